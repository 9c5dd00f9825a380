// Chains of fused steps: bang::experimental::fusor<float>(dst, src, n).mul(2.0f).sqrt().add(bias); Each step rounds to T and is
// done where it stands, the first from `src` to `dst`, the others within `dst`.
#pragma once

#include "bang.h"

#if defined(__CUDA__)
namespace bang {
namespace experimental {

template <class T>
class fusor {
 public:
  SB_DEVICE_MEMBER fusor(T* dst, const T* src, sb_long n) : to_(dst), from_(src), n_(n) {}

#define SB_FUSOR_TWO(name, builtin, scalar)                \
  SB_DEVICE_MEMBER fusor& name(T value) {                  \
    scalar(to_, from_, value, n_);                         \
    return step();                                         \
  }                                                        \
  SB_DEVICE_MEMBER fusor& name(const T* vector) {          \
    builtin(to_, from_, vector, n_);                       \
    return step();                                         \
  }
  SB_FUSOR_TWO(add, __bang_add, __bang_add_scalar) SB_FUSOR_TWO(sub, __bang_sub, __bang_sub_scalar)
  SB_FUSOR_TWO(mul, __bang_mul, __bang_mul_scalar) SB_FUSOR_TWO(div, __bang_div, __bang_div)
  SB_FUSOR_TWO(max, __bang_maxequal, __bang_maxeq_scalar) SB_FUSOR_TWO(min, __bang_minequal, __bang_mineq_scalar)
  SB_FUSOR_TWO(eq, __bang_eq, __bang_eq_scalar) SB_FUSOR_TWO(ne, __bang_ne, __bang_ne_scalar)
  SB_FUSOR_TWO(lt, __bang_lt, __bang_lt_scalar) SB_FUSOR_TWO(le, __bang_le, __bang_le_scalar)
  SB_FUSOR_TWO(gt, __bang_gt, __bang_gt_scalar) SB_FUSOR_TWO(ge, __bang_ge, __bang_ge_scalar)
#undef SB_FUSOR_TWO

#define SB_FUSOR_ONE(name, builtin)   \
  SB_DEVICE_MEMBER fusor& name() {    \
    builtin(to_, from_, n_);          \
    return step();                    \
  }
  SB_FUSOR_ONE(abs, __bang_abs) SB_FUSOR_ONE(sqrt, __bang_sqrt) SB_FUSOR_ONE(rsqrt, __bang_rsqrt) SB_FUSOR_ONE(recip, __bang_recip)
  SB_FUSOR_ONE(square, __bang_square) SB_FUSOR_ONE(floor, __bang_floor) SB_FUSOR_ONE(relu, __bang_relu) SB_FUSOR_ONE(log2, __bang_log2)
  SB_FUSOR_ONE(pow2, __bang_pow2)
#undef SB_FUSOR_ONE

 private:
  SB_DEVICE_MEMBER fusor& step() {
    from_ = to_;
    return *this;
  }
  T* to_;
  const T* from_;
  sb_long n_;
};

}  // namespace experimental
}  // namespace bang
#endif
