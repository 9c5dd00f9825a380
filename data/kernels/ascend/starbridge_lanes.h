// Atomics, exchanges between lanes, and functions of one value of ported programs. Read after starbridge_vectors.h.
#pragma once

#include "starbridge_vectors.h"

namespace port {

// --- atomics -----------------------------------------------------------------------------------------------------------------------
enum class Join { kAdd, kMax, kMin };
template <class T>
__aicore__ inline void atomic_out(At<T> to, T value, Join how) {
  Core* core = to.core;
  core->turn(Core::kScalar);
  tensor(core->slot<T>()).SetValue(0, value);
  core->turn(Core::kOut);
  if (how == Join::kAdd) AscendC::SetAtomicAdd<T>();
  if (how == Join::kMax) AscendC::SetAtomicMax<T>();
  if (how == Join::kMin) AscendC::SetAtomicMin<T>();
  AscendC::DataCopyExtParams params{1, sizeof(T), 0, 0, 0};
  AscendC::DataCopyPad(global(to, 1), tensor(core->slot<T>()), params);
  AscendC::SetAtomicNone();
  core->cache_is_old = true;
}
__aicore__ inline void atomic_reduce_add(At<float> to, float value) { atomic_out(to, value, Join::kAdd); }
__aicore__ inline void atomic_reduce_add(At<int> to, int value) { atomic_out(to, value, Join::kAdd); }
__aicore__ inline void atomic_reduce_add(At<unsigned int> to, unsigned int value) { atomic_out((At<int>)to, (int)value, Join::kAdd); }
__aicore__ inline void atomic_reduce_max(At<float> to, float value) { atomic_out(to, value, Join::kMax); }
__aicore__ inline void atomic_reduce_max(At<int> to, int value) { atomic_out(to, value, Join::kMax); }
__aicore__ inline void atomic_reduce_min(At<float> to, float value) { atomic_out(to, value, Join::kMin); }
__aicore__ inline void atomic_reduce_min(At<int> to, int value) { atomic_out(to, value, Join::kMin); }

// On memory that one core alone reaches: UB, or GM in a kernel launched on one core (910B gives no old value back).
#define PORT_ALONE(name, expression)                      \
  template <class T>                                      \
  __aicore__ inline T name##_here(At<T> at, T value) {    \
    const T old = at[0].value();                          \
    at[0] = (T)(expression);                              \
    return old;                                           \
  }                                                       \
  template <class T>                                      \
  __aicore__ inline void atomic_##name(T* seen, At<T> at, T value) { *seen = name##_here(at, value); }
PORT_ALONE(add, old + value) PORT_ALONE(max, old < value ? value : old) PORT_ALONE(min, value < old ? value : old) PORT_ALONE(exch, value)
PORT_ALONE(inc, old >= value ? 0 : old + 1) PORT_ALONE(dec, old == 0 || old > value ? value : old - 1)
PORT_ALONE(and, old & value) PORT_ALONE(or, old | value) PORT_ALONE(xor, old ^ value)
#undef PORT_ALONE
#define PORT_ALONE(name) template <class T> __aicore__ inline void alone_##name(At<T> at, T value) { name##_here(at, value); }
PORT_ALONE(add) PORT_ALONE(max) PORT_ALONE(min) PORT_ALONE(exch) PORT_ALONE(inc) PORT_ALONE(dec) PORT_ALONE(and) PORT_ALONE(or) PORT_ALONE(xor)
#undef PORT_ALONE
template <class T>
__aicore__ inline T cas_here(At<T> at, T expected, T value) {
  const T old = at[0].value();
  if (old == expected) at[0] = value;
  return old;
}
template <class T>
__aicore__ inline void atomic_cas(T* seen, At<T> at, T expected, T value) { *seen = cas_here(at, expected, value); }

// --- exchanges between lanes [first, last) in sections of `width`; a lane without a partner keeps its own value ---------------------
template <class T, class Partner>
__aicore__ inline void exchange(At<T> to, At<T> from, int width, int first, int last, Partner partner) {
  for (int lane = first; lane < last; ++lane) {
    const int section = lane / width * width, source = partner(lane, section);
    to[lane] = source < section || source >= section + width || source < first || source >= last ? from[lane].value() : from[source].value();
  }
}
template <class T>
__aicore__ inline void lanes_down(At<T> to, At<T> from, int delta, int width, int first, int last) {
  exchange(to, from, width, first, last, [delta](int lane, int) { return lane + delta; });
}
template <class T>
__aicore__ inline void lanes_up(At<T> to, At<T> from, int delta, int width, int first, int last) {
  exchange(to, from, width, first, last, [delta](int lane, int) { return lane - delta; });
}
template <class T>
__aicore__ inline void lanes_xor(At<T> to, At<T> from, int bits, int width, int first, int last) {
  exchange(to, from, width, first, last, [bits](int lane, int) { return lane ^ bits; });
}
template <class T>
__aicore__ inline void lanes_index(At<T> to, At<T> from, int index, int width, int first, int last) {
  exchange(to, from, width, first, last, [index, width](int, int section) { return section + (index & (width - 1)); });
}
template <class T>
__aicore__ inline void lanes_index(At<T> to, At<T> from, At<int> index, int width, int first, int last) {
  exchange(to, from, width, first, last, [index, width](int lane, int section) { return section + (index[lane].value() & (width - 1)); });
}
template <class T, class Together>
__aicore__ inline void join(At<T> to, At<T> from, int width, int first, int last, Together together) {
  for (int at = first; at < last;) {
    const int end = (at / width + 1) * width < last ? (at / width + 1) * width : last;
    T all = from[at].value();
    for (int lane = at + 1; lane < end; ++lane) all = together(all, from[lane].value());
    for (int lane = at; lane < end; ++lane) to[lane] = all;
    at = end;
  }
}
template <class T>
__aicore__ inline void lanes_sum(At<T> to, At<T> from, int width, int first, int last) {
  join(to, from, width, first, last, [](T a, T b) { return (T)(a + b); });
}
template <class T>
__aicore__ inline void lanes_max(At<T> to, At<T> from, int width, int first, int last) {
  join(to, from, width, first, last, [](T a, T b) { return a < b ? b : a; });
}
template <class T>
__aicore__ inline void lanes_min(At<T> to, At<T> from, int width, int first, int last) {
  join(to, from, width, first, last, [](T a, T b) { return b < a ? b : a; });
}
template <class T>
__aicore__ inline void lanes_ballot(At<T> to, At<int> from, int width, int first, int last) {
  for (int at = first; at < last;) {
    const int section = at / width * width, end = section + width < last ? section + width : last;
    unsigned int mask = 0;
    for (int lane = at; lane < end; ++lane) mask |= (from[lane].value() != 0 ? 1u : 0u) << (lane - section);
    for (int lane = at; lane < end; ++lane) to[lane] = (T)mask;
    at = end;
  }
}
template <class T>
__aicore__ inline void lanes_match(At<T> to, At<unsigned int> from, int width, int first, int last) {
  for (int lane = first; lane < last; ++lane) {
    const int section = lane / width * width;
    const unsigned int own = from[lane].value();
    unsigned int mask = 0;
    for (int other = section < first ? first : section; other < section + width && other < last; ++other)
      mask |= (from[other].value() == own ? 1u : 0u) << (other - section);
    to[lane] = (T)mask;
  }
}
template <class T>
__aicore__ inline void lanes_any(At<T> to, At<int> from, int width, int first, int last) {
  join((At<int>)to, from, width, first, last, [](int a, int b) { return (a != 0 || b != 0) ? 1 : 0; });
}
template <class T>
__aicore__ inline void lanes_all(At<T> to, At<int> from, int width, int first, int last) {
  join((At<int>)to, from, width, first, last, [](int a, int b) { return (a != 0 && b != 0) ? 1 : 0; });
}
__aicore__ inline bool any_lane(At<int> mask, int count) {
  for (int lane = 0; lane < count; ++lane) {
    if (mask[lane].value() != 0) return true;
  }
  return false;
}
// Bounds of lanes, kept within int.
__aicore__ inline int least(int a, int64_t b) { return b < a ? (b < 0 ? 0 : (int)b) : a; }
__aicore__ inline int most(int a, int64_t b) { return b > a ? (b > 1 << 30 ? 1 << 30 : (int)b) : a; }

// --- functions of one value: the scalar unit has none, so that one lane of a vector does it ------------------------------------------
template <class Work>
__aicore__ inline float one_lane(Core& core, float x, Work work) {
  core.slot<float>()[0] = x;
  work(core.slot<float>());
  return core.slot<float>()[0].value();
}
#define PORT_SCALAR(name, call) \
  __aicore__ inline float name(Core& core, float x) { return one_lane(core, x, [](At<float> at) { call(at, at, 1); }); }
PORT_SCALAR(scalar_exp, port::exp) PORT_SCALAR(scalar_exp2, port::pow2) PORT_SCALAR(scalar_log, port::log) PORT_SCALAR(scalar_log2, port::log2)
PORT_SCALAR(scalar_tanh, port::tanh) PORT_SCALAR(scalar_sin, port::sin) PORT_SCALAR(scalar_cos, port::cos) PORT_SCALAR(scalar_sqrt, port::sqrt)
PORT_SCALAR(scalar_floor, port::floor) PORT_SCALAR(scalar_ceil, port::ceil) PORT_SCALAR(scalar_trunc, port::trunc) PORT_SCALAR(scalar_rsqrt, port::rsqrt)
#undef PORT_SCALAR
#define PORT_SCALAR(name, Call)                                                                                  \
  __aicore__ inline float name(Core& core, float x) {                                                            \
    return one_lane(core, x, [](At<float> at) {                                                                  \
      lanes_staged(at, at, at, 1, [](At<float> to, At<float> a, At<float>, int n) { AscendC::Call(tensor(to), tensor(a), to.core->library(), (uint32_t)n); }); \
    });                                                                                                          \
  }
PORT_SCALAR(scalar_tan, Tan) PORT_SCALAR(scalar_sinh, Sinh) PORT_SCALAR(scalar_cosh, Cosh) PORT_SCALAR(scalar_asin, Asin) PORT_SCALAR(scalar_acos, Acos)
PORT_SCALAR(scalar_atan, Atan) PORT_SCALAR(scalar_asinh, Asinh) PORT_SCALAR(scalar_acosh, Acosh) PORT_SCALAR(scalar_atanh, Atanh)
PORT_SCALAR(scalar_erf, Erf) PORT_SCALAR(scalar_erfc, Erfc) PORT_SCALAR(scalar_log10, Log10) PORT_SCALAR(scalar_rint, Round)
#undef PORT_SCALAR
#define PORT_SCALAR(name, Call)                                                                                                \
  __aicore__ inline float name(Core& core, float x, float y) {                                                                 \
    core.slot<float>()[0] = x;                                                                                                 \
    core.slot<float>()[8] = y;                                                                                                 \
    lanes_staged(core.slot<float>(), core.slot<float>(), core.slot<float>() + 8, 1, [](At<float> to, At<float> a, At<float> b, int n) { \
      AscendC::Call<float>(tensor(to), tensor(a), tensor(b), to.core->library(), (uint32_t)n);                                 \
    });                                                                                                                        \
    return core.slot<float>()[0].value();                                                                                      \
  }
PORT_SCALAR(scalar_pow, Power) PORT_SCALAR(scalar_fmod, Fmod)
#undef PORT_SCALAR
__aicore__ inline float scalar_log1p(Core& core, float x) {
  const float near = 1.0f + x;  // the error of the sum is taken back
  if (near == 1.0f) return x;
  return near > 3.4e38f ? near : scalar_log(core, near) * (x / (near - 1.0f));
}
__aicore__ inline float scalar_expm1(Core& core, float x) {
  const float to = scalar_exp(core, x);
  if (to == 1.0f) return x;
  if (to > 3.4e38f) return to;
  return to - 1.0f == -1.0f ? -1.0f : (to - 1.0f) * (x / scalar_log(core, to));
}
__aicore__ inline float scalar_fabs(Core&, float x) { return x < 0 || (x == 0 && 1.0f / x < 0) ? -x : x; }
__aicore__ inline float scalar_fmax(Core&, float a, float b) { return a != a || a < b ? b : a; }
__aicore__ inline float scalar_fmin(Core&, float a, float b) { return a != a || b < a ? b : a; }
__aicore__ inline float scalar_fma(Core&, float a, float b, float c) { return a * b + c; }
__aicore__ inline float scalar_round(Core& core, float x) {
  const float whole = scalar_trunc(core, x), rest = x - whole;
  return rest >= 0.5f ? whole + 1.0f : rest <= -0.5f ? whole - 1.0f : whole;
}
__aicore__ inline float scalar_copysign(Core& core, float a, float b) {
  const float size = scalar_fabs(core, a);
  return b < 0 || (b == 0 && 1.0f / b < 0) ? -size : size;
}
template <class T> __aicore__ inline T min_of(T a, T b) { return b < a ? b : a; }
template <class T> __aicore__ inline T max_of(T a, T b) { return a < b ? b : a; }
template <class T> __aicore__ inline T abs_of(T a) { return a < 0 ? -a : a; }
__aicore__ inline float saturate(float x) { return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; }
__aicore__ inline int popc(unsigned int x) { int n = 0; for (; x != 0; x &= x - 1) ++n; return n; }
__aicore__ inline int popcll(uint64_t x) { return popc((unsigned int)x) + popc((unsigned int)(x >> 32)); }
__aicore__ inline int clz(unsigned int x) { int n = 32; for (; x != 0; x >>= 1) --n; return n; }
__aicore__ inline int clzll(uint64_t x) { return (x >> 32) != 0 ? clz((unsigned int)(x >> 32)) : 32 + clz((unsigned int)x); }
__aicore__ inline int ffs(unsigned int x) { return x == 0 ? 0 : 32 - clz(x & (0u - x)); }
__aicore__ inline unsigned int brev(unsigned int x) { unsigned int y = 0; for (int i = 0; i < 32; ++i) y |= (x >> i & 1u) << (31 - i); return y; }
__aicore__ inline int float_as_int(float x) { return *(int*)&x; }
__aicore__ inline unsigned int float_as_uint(float x) { return *(unsigned int*)&x; }
__aicore__ inline float int_as_float(int x) { return *(float*)&x; }
__aicore__ inline float uint_as_float(unsigned int x) { return *(float*)&x; }
__aicore__ inline int mul24(int a, int b) { return (int)((unsigned int)(a << 8 >> 8) * (unsigned int)(b << 8 >> 8)); }
__aicore__ inline unsigned int mul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__aicore__ inline int mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
__aicore__ inline unsigned int umulhi(unsigned int a, unsigned int b) { return (unsigned int)((uint64_t)a * b >> 32); }
__aicore__ inline int float2int_rz(float x) { return x != x ? 0 : x >= 2147483648.0f ? 0x7fffffff : x < -2147483648.0f ? (-2147483647 - 1) : (int)x; }
__aicore__ inline int float2int_rd(float x) { const int whole = float2int_rz(x); return (float)whole > x && whole > -2147483647 ? whole - 1 : whole; }
__aicore__ inline int float2int_ru(float x) { const int whole = float2int_rz(x); return (float)whole < x && whole < 0x7fffffff ? whole + 1 : whole; }
__aicore__ inline int float2int_rn(float x) {
  const int low = float2int_rd(x);
  const float rest = x - (float)low;
  return rest > 0.5f || (rest == 0.5f && (low & 1) != 0) ? low + 1 : low;
}
__aicore__ inline float int2float(int x) { return (float)x; }

}  // namespace port
