// Warp operations: shuffles, votes, match, reductions. Values of up to 8 bytes travel as they are, wider ones in pieces.
#pragma once

#include "starbridge/device_api.h"
#include "starbridge/integer_intrinsics.h"

SB_DEVICE void __syncwarp(unsigned int mask = 0xffffffffU) { __sb_sync_warp(mask); }
SB_DEVICE unsigned int __activemask() { return __sb_active_mask(); }
SB_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) { return __sb_ballot(mask, predicate); }
SB_DEVICE int __any_sync(unsigned int mask, int predicate) { return __sb_ballot(mask, predicate) != 0; }
SB_DEVICE int __all_sync(unsigned int mask, int predicate) { return __sb_ballot(mask, predicate == 0) == 0; }

namespace sb {
template <class T> SB_DEVICE T exchange(unsigned int mask, T value, int source) {
  static_assert(sizeof(T) <= 8, "only values of up to 8 bytes are shuffled");
  unsigned long long raw = 0;
  __builtin_memcpy(&raw, &value, sizeof value);
  raw = __sb_shuffle(mask, raw, source);
  __builtin_memcpy(&value, &raw, sizeof value);
  return value;
}
// Lanes are taken in sections of `width`; a lane whose partner lies outside its section keeps its own value.
template <class T> SB_DEVICE T shuffle(unsigned int mask, T value, int lane, int width) {
  const int self = (int)__sb_lane();
  return exchange(mask, value, (self & ~(width - 1)) + (lane & (width - 1)));
}
template <class T> SB_DEVICE T shuffle_up(unsigned int mask, T value, unsigned int delta, int width) {
  const int self = (int)__sb_lane(), from = self - (int)delta;
  return exchange(mask, value, from < (self & ~(width - 1)) ? self : from);
}
template <class T> SB_DEVICE T shuffle_down(unsigned int mask, T value, unsigned int delta, int width) {
  const int self = (int)__sb_lane(), from = self + (int)delta;
  return exchange(mask, value, from > (self | (width - 1)) ? self : from);
}
template <class T> SB_DEVICE T shuffle_xor(unsigned int mask, T value, int bits, int width) {
  const int self = (int)__sb_lane(), from = self ^ bits;
  return exchange(mask, value, from > (self | (width - 1)) ? self : from);
}
}  // namespace sb
#define SB_SHUFFLES(type)                                                                                                                     \
  SB_DEVICE type __shfl_sync(unsigned int mask, type value, int lane, int width = 32) { return sb::shuffle(mask, value, lane, width); }        \
  SB_DEVICE type __shfl_up_sync(unsigned int mask, type value, unsigned int delta, int width = 32) { return sb::shuffle_up(mask, value, delta, width); }     \
  SB_DEVICE type __shfl_down_sync(unsigned int mask, type value, unsigned int delta, int width = 32) { return sb::shuffle_down(mask, value, delta, width); } \
  SB_DEVICE type __shfl_xor_sync(unsigned int mask, type value, int bits, int width = 32) { return sb::shuffle_xor(mask, value, bits, width); }              \
  SB_DEVICE type __shfl(type value, int lane, int width = 32) { return sb::shuffle(__sb_active_mask(), value, lane, width); }                  \
  SB_DEVICE type __shfl_up(type value, unsigned int delta, int width = 32) { return sb::shuffle_up(__sb_active_mask(), value, delta, width); } \
  SB_DEVICE type __shfl_down(type value, unsigned int delta, int width = 32) { return sb::shuffle_down(__sb_active_mask(), value, delta, width); } \
  SB_DEVICE type __shfl_xor(type value, int bits, int width = 32) { return sb::shuffle_xor(__sb_active_mask(), value, bits, width); }
SB_SHUFFLES(int) SB_SHUFFLES(unsigned int) SB_SHUFFLES(long) SB_SHUFFLES(unsigned long) SB_SHUFFLES(long long)
SB_SHUFFLES(unsigned long long) SB_SHUFFLES(float) SB_SHUFFLES(double)

#define SB_MATCH(type, bits)                                                                                                       \
  SB_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) { return __sb_match(mask, sb::bits_of<bits>(value)); }     \
  SB_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int* all) {                                               \
    unsigned int same = __sb_match(mask, sb::bits_of<bits>(value));                                                                \
    *all = same == mask;                                                                                                           \
    return *all ? mask : 0;                                                                                                        \
  }
SB_MATCH(int, unsigned int) SB_MATCH(unsigned int, unsigned int) SB_MATCH(long, unsigned long long)
SB_MATCH(unsigned long, unsigned long long) SB_MATCH(long long, unsigned long long) SB_MATCH(unsigned long long, unsigned long long)
SB_MATCH(float, unsigned int) SB_MATCH(double, unsigned long long)
#undef SB_MATCH

namespace sb {
template <class T, class Operation> SB_DEVICE T reduce(unsigned int mask, T value, Operation operation) {
  unsigned long long values[32];
  __sb_gather(mask, (unsigned long long)(long long)value, values);
  bool any = false;
  T result = value;
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    result = any ? operation(result, (T)values[lane]) : (T)values[lane];
    any = true;
  }
  return result;
}
}  // namespace sb
#define SB_REDUCE(type)                                                                                                             \
  SB_DEVICE type __reduce_add_sync(unsigned int mask, type v) { return sb::reduce(mask, v, [](type a, type b) { return (type)((unsigned)a + (unsigned)b); }); } \
  SB_DEVICE type __reduce_min_sync(unsigned int mask, type v) { return sb::reduce(mask, v, [](type a, type b) { return b < a ? b : a; }); }  \
  SB_DEVICE type __reduce_max_sync(unsigned int mask, type v) { return sb::reduce(mask, v, [](type a, type b) { return a < b ? b : a; }); }
SB_REDUCE(int) SB_REDUCE(unsigned int)
#undef SB_REDUCE
SB_DEVICE unsigned int __reduce_and_sync(unsigned int mask, unsigned int v) { return sb::reduce(mask, v, [](unsigned a, unsigned b) { return a & b; }); }
SB_DEVICE unsigned int __reduce_or_sync(unsigned int mask, unsigned int v) { return sb::reduce(mask, v, [](unsigned a, unsigned b) { return a | b; }); }
SB_DEVICE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int v) { return sb::reduce(mask, v, [](unsigned a, unsigned b) { return a ^ b; }); }

// The old forms without a mask: for the lanes that run together.
SB_DEVICE unsigned int __ballot(int predicate) { return __sb_ballot(__sb_active_mask(), predicate); }
SB_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
SB_DEVICE int __all(int predicate) { return __ballot(predicate == 0) == 0; }
