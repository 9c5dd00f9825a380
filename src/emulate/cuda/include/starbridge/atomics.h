// Atomics of every width, type and scope. All scopes are one: the emulated memory is sequentially consistent.
#pragma once

#include "starbridge/device_api.h"
#include "starbridge/integer_intrinsics.h"

namespace sb {
// Repeats until nobody came between; works on the bits, so that NaN compares equal to itself.
template <class Bits, class T, class Operation> SB_DEVICE T update(T* address, Operation operation) {
  Bits* place = reinterpret_cast<Bits*>(address);
  Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
  for (;;) {
    Bits wanted = bits_of<Bits>(operation(bits_of<T>(old)));
    if (__atomic_compare_exchange_n(place, &old, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return bits_of<T>(old);
  }
}
template <class T> SB_DEVICE T polled(const volatile void* address, T old, bool may_wait) {
  // What looks like a thread that waits for another lets the others run.
  if (may_wait) __sb_poll(address);
  return old;
}
}  // namespace sb

#define SB_SCOPES(type, name, parameters, arguments)                                             \
  SB_DEVICE type name##_block parameters { return name arguments; }                               \
  SB_DEVICE type name##_system parameters { return name arguments; }
#define SB_ATOMIC_INT(type)                                                                                                  \
  SB_DEVICE type atomicAdd(type* a, type v) { return sb::polled(a, __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST), v == 0); }        \
  SB_DEVICE type atomicAnd(type* a, type v) { return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST); }                            \
  SB_DEVICE type atomicOr(type* a, type v) { return sb::polled(a, __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST), v == 0); }          \
  SB_DEVICE type atomicXor(type* a, type v) { return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST); }                            \
  SB_DEVICE type atomicMin(type* a, type v) { return __atomic_fetch_min(a, v, __ATOMIC_SEQ_CST); }                            \
  SB_DEVICE type atomicMax(type* a, type v) { return __atomic_fetch_max(a, v, __ATOMIC_SEQ_CST); }                            \
  SB_DEVICE type atomicExch(type* a, type v) {                                                                               \
    type old = __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                                                  \
    return sb::polled(a, old, old == v);                                                                                        \
  }                                                                                                                          \
  SB_DEVICE type atomicCAS(type* a, type expected, type v) {                                                                 \
    type old = expected;                                                                                                     \
    bool done = __atomic_compare_exchange_n(a, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                          \
    return sb::polled(a, old, !done || expected == v);                                                                          \
  }                                                                                                                          \
  SB_SCOPES(type, atomicAdd, (type* a, type v), (a, v)) SB_SCOPES(type, atomicAnd, (type* a, type v), (a, v))                 \
  SB_SCOPES(type, atomicOr, (type* a, type v), (a, v)) SB_SCOPES(type, atomicXor, (type* a, type v), (a, v))                  \
  SB_SCOPES(type, atomicMin, (type* a, type v), (a, v)) SB_SCOPES(type, atomicMax, (type* a, type v), (a, v))                 \
  SB_SCOPES(type, atomicExch, (type* a, type v), (a, v)) SB_SCOPES(type, atomicCAS, (type* a, type e, type v), (a, e, v))
SB_ATOMIC_INT(int)
SB_ATOMIC_INT(unsigned int)
SB_ATOMIC_INT(unsigned long long)
SB_ATOMIC_INT(long long)
SB_ATOMIC_INT(unsigned long)
#undef SB_ATOMIC_INT
SB_DEVICE int atomicSub(int* a, int v) { return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST); }
SB_DEVICE unsigned int atomicSub(unsigned int* a, unsigned int v) { return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST); }
SB_SCOPES(int, atomicSub, (int* a, int v), (a, v))
SB_SCOPES(unsigned int, atomicSub, (unsigned int* a, unsigned int v), (a, v))
SB_DEVICE unsigned int atomicInc(unsigned int* a, unsigned int limit) {
  return sb::update<unsigned int>(a, [limit](unsigned int old) { return old >= limit ? 0U : old + 1; });
}
SB_DEVICE unsigned int atomicDec(unsigned int* a, unsigned int limit) {
  return sb::update<unsigned int>(a, [limit](unsigned int old) { return old == 0 || old > limit ? limit : old - 1; });
}
SB_SCOPES(unsigned int, atomicInc, (unsigned int* a, unsigned int v), (a, v))
SB_SCOPES(unsigned int, atomicDec, (unsigned int* a, unsigned int v), (a, v))
SB_DEVICE float atomicAdd(float* a, float v) {
  return sb::update<unsigned int>(a, [v](float old) { return old + v; });
}
SB_DEVICE double atomicAdd(double* a, double v) {
  return sb::update<unsigned long long>(a, [v](double old) { return old + v; });
}
SB_SCOPES(float, atomicAdd, (float* a, float v), (a, v))
SB_SCOPES(double, atomicAdd, (double* a, double v), (a, v))
SB_DEVICE float2 atomicAdd(float2* a, float2 v) { return float2{atomicAdd(&a->x, v.x), atomicAdd(&a->y, v.y)}; }
SB_DEVICE float4 atomicAdd(float4* a, float4 v) {
  return float4{atomicAdd(&a->x, v.x), atomicAdd(&a->y, v.y), atomicAdd(&a->z, v.z), atomicAdd(&a->w, v.w)};
}
SB_DEVICE float atomicExch(float* a, float v) {
  return sb::bits_of<float>(__atomic_exchange_n((unsigned int*)a, sb::bits_of<unsigned int>(v), __ATOMIC_SEQ_CST));
}
SB_DEVICE double atomicExch(double* a, double v) {
  return sb::bits_of<double>(__atomic_exchange_n((unsigned long long*)a, sb::bits_of<unsigned long long>(v), __ATOMIC_SEQ_CST));
}
SB_DEVICE unsigned short atomicCAS(unsigned short* a, unsigned short expected, unsigned short v) {
  unsigned short old = expected;
  bool done = __atomic_compare_exchange_n(a, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return sb::polled(a, old, !done);
}
