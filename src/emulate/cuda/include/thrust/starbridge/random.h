// Engines and distributions of thrust::random, on both sides.
#pragma once

#include "thrust/starbridge/functional.h"

namespace thrust {
namespace random {

// x = a x + c modulo m (Lewis, Goodman and Miller 1969 for minstd).
template <class T, T A, T C, T M> class linear_congruential_engine {
 public:
  typedef T result_type;
  static constexpr T min = C == 0 ? 1 : 0, max = M - 1, default_seed = 1;
  SB_HD_MEMBER explicit linear_congruential_engine(T seed = default_seed) { this->seed(seed); }
  SB_HD_MEMBER void seed(T value = default_seed) { state_ = value % M == 0 && C == 0 ? 1 : value % M; }
  SB_HD_MEMBER T operator()() { return state_ = (T)(((unsigned long long)A * state_ + C) % M); }
  SB_HD_MEMBER void discard(unsigned long long count) {
    unsigned long long a = A, c = C, a_all = 1, c_all = 0;
    for (; count > 0; count >>= 1) {
      if (count & 1) a_all = a_all * a % M, c_all = (c_all * a + c) % M;
      c = (a + 1) % M * c % M, a = a * a % M;
    }
    state_ = (T)((a_all * state_ + c_all) % M);
  }

 private:
  T state_;
};
typedef linear_congruential_engine<unsigned, 48271u, 0u, 2147483647u> minstd_rand;
typedef linear_congruential_engine<unsigned, 16807u, 0u, 2147483647u> minstd_rand0;
typedef minstd_rand default_random_engine;

template <class T = double> class uniform_real_distribution {
 public:
  SB_HD_MEMBER explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
  template <class E> SB_HD_MEMBER T operator()(E& engine) { return a_ + (b_ - a_) * (T)((double)(engine() - E::min) / ((double)(E::max - E::min) + 1)); }

 private:
  T a_, b_;
};
template <class T = int> class uniform_int_distribution {
 public:
  SB_HD_MEMBER explicit uniform_int_distribution(T a = 0, T b = 0x7fffffff) : a_(a), b_(b) {}
  template <class E> SB_HD_MEMBER T operator()(E& engine) {
    const double share = (double)(engine() - E::min) / ((double)(E::max - E::min) + 1);
    return (T)(a_ + (T)(share * ((double)b_ - (double)a_ + 1)));
  }

 private:
  T a_, b_;
};
template <class T = double> class normal_distribution {
 public:
  SB_HD_MEMBER explicit normal_distribution(T mean = 0, T deviation = 1) : mean_(mean), deviation_(deviation) {}
  template <class E> SB_HD_MEMBER T operator()(E& engine) {  // Box and Muller
    const double u = ((double)(engine() - E::min) + 1) / ((double)(E::max - E::min) + 2), v = (double)(engine() - E::min) / ((double)(E::max - E::min) + 1);
    return (T)(mean_ + deviation_ * sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v));
  }

 private:
  T mean_, deviation_;
};

}  // namespace random
using random::default_random_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
}  // namespace thrust
