// What ported programs share: launches in CUDA's terms, host calls whose meaning differs, exchanges between lanes. Read after bang.h.
#pragma once

#include <bang.h>

#undef __CUDA_ARCH__  // some compilers of BANG C are built on CUDA's

#include <math.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "starbridge_cuda.h"

namespace port {

using Launch = LaunchOf<cnrtQueue_t>;

inline int cores() {
  static int count = [] {
    int clusters = 1, per_cluster = 1;
    cnrtDeviceGetAttribute(&clusters, cnrtAttrClusterCount, 0);
    cnrtDeviceGetAttribute(&per_cluster, cnrtAttrMcorePerCluster, 0);
    return clusters * per_cluster;
  }();
  return count;
}
// One task per core, fewer when there are fewer blocks.
inline cnrtDim3_t tasks(const Launch& at) {
  const unsigned long long blocks = 1ULL * at.grid.x * at.grid.y * at.grid.z;
  const unsigned int count = (unsigned int)std::min<unsigned long long>(blocks, (unsigned long long)cores());
  return cnrtDim3_t{count == 0 ? 1 : count, 1, 1};
}
// CUDA's plain copies wait for everything before them; CNRT's do not.
inline cnrtRet_t memcpy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t kind) {
  cnrtRet_t error = cnrtDeviceSynchronize();
  return error != cnrtSuccess ? error : cnrtMemcpy(to, const_cast<void*>(from), bytes, kind);
}
// Row by row: CNRT's own form is not in all its versions.
inline cnrtRet_t memcpy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cnrtMemTransDir_t kind) {
  for (size_t row = 0; row < height; ++row) {
    cnrtRet_t error = port::memcpy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind);
    if (error != cnrtSuccess) return error;
  }
  return cnrtSuccess;
}
inline cnrtRet_t memset(void* to, int value, size_t bytes) {
  cnrtRet_t error = cnrtDeviceSynchronize();
  return error != cnrtSuccess ? error : cnrtMemset(to, value, bytes);
}
inline cnrtRet_t free_device(void* pointer) {
  if (pointer == nullptr) return cnrtSuccess;
  cnrtRet_t error = cnrtDeviceSynchronize();
  return error != cnrtSuccess ? error : cnrtFree(pointer);
}
inline cnrtRet_t memcpy_async(void* to, const void* from, size_t bytes, cnrtMemTransDir_t kind, cnrtQueue_t queue = nullptr) {
  return queue == nullptr ? port::memcpy(to, from, bytes, kind) : cnrtMemcpyAsync(to, const_cast<void*>(from), bytes, queue, kind);
}
inline cnrtRet_t memset_async(void* to, int value, size_t bytes, cnrtQueue_t queue = nullptr) {
  return queue == nullptr ? port::memset(to, value, bytes) : cnrtMemsetAsync(to, value, bytes, queue);
}
template <class T>
cnrtRet_t host_malloc(T** pointer, size_t bytes, unsigned int = 0) { return cnrtHostMalloc((void**)pointer, bytes); }
inline cnrtRet_t place_notifier(cnrtNotifier_t notifier, cnrtQueue_t queue = nullptr) { return cnrtPlaceNotifier(notifier, queue); }
inline cnrtRet_t elapsed(float* milliseconds, cnrtNotifier_t start, cnrtNotifier_t end) {
  float microseconds = 0;
  cnrtRet_t error = cnrtNotifierDuration(start, end, &microseconds);
  *milliseconds = microseconds / 1000;
  return error;
}
inline cnrtRet_t device_count(int* count) {
  unsigned int found = 0;
  cnrtRet_t error = cnrtGetDeviceCount(&found);
  *count = (int)found;
  return error;
}
inline cnrtRet_t device_properties(DeviceProperties* to, int ordinal) {
  cnrtDeviceProp_t from;
  cnrtRet_t error = cnrtGetDeviceProperties(&from, ordinal);
  if (error != cnrtSuccess) return error;
  *to = {};
  std::snprintf(to->name, sizeof to->name, "%s", from.name);
  to->major = from.major, to->minor = from.minor, to->multiProcessorCount = from.clusterCount * from.McorePerCluster;
  to->maxThreadsPerBlock = 1024, to->maxThreadsPerMultiProcessor = 1024, to->warpSize = 32, to->clockRate = from.clusterClockRate;
  for (int i = 0; i < 3; ++i) to->maxThreadsDim[i] = i == 2 ? 64 : 1024, to->maxGridSize[i] = 65535;
  to->totalGlobalMem = from.totalMem * (size_t{1} << 20), to->sharedMemPerBlock = 48 * 1024;
  to->totalConstMem = 64 * 1024, to->l2CacheSize = 4 << 20, to->regsPerBlock = 65536;  // CNRT does not tell: sizes that programs can work with
  return cnrtSuccess;
}
inline cnrtRet_t device_attribute(int* to, Attribute which, int ordinal) {
  DeviceProperties all;
  cnrtRet_t error = device_properties(&all, ordinal);
  if (error != cnrtSuccess) return error;
  *to = value_of(all, which);
  return cnrtSuccess;
}

// In GDRAM.
template <class T>
void* address_of(Symbol<T>& symbol) {
  if (symbol.device == nullptr) {
    if (cnrtMalloc((void**)&symbol.device, sizeof(T)) != cnrtSuccess) std::abort();
    cnrtMemcpy(symbol.device, (void*)&symbol.initial, sizeof(T), cnrtMemcpyHostToDev);
  }
  return symbol.device;
}
template <class T>
cnrtRet_t memcpy_to_symbol(Symbol<T>& symbol, const void* from, size_t bytes, size_t offset = 0, cnrtMemTransDir_t kind = cnrtMemcpyHostToDev) {
  return port::memcpy((char*)address_of(symbol) + offset, from, bytes, kind);
}
template <class T>
cnrtRet_t memcpy_from_symbol(void* to, Symbol<T>& symbol, size_t bytes, size_t offset = 0, cnrtMemTransDir_t kind = cnrtMemcpyDevToHost) {
  return port::memcpy(to, (char*)address_of(symbol) + offset, bytes, kind);
}
#define PORT_NOTHING(...) cnrtSuccess

#if defined(__BANG__)
// Bounds of lanes, kept within int.
__mlu_func__ int least(int a, int64_t b) { return b < a ? (b < 0 ? 0 : (int)b) : a; }
__mlu_func__ int most(int a, int64_t b) { return b > a ? (b > 1 << 30 ? 1 << 30 : (int)b) : a; }

// One element of every `step`; memcpy takes 65536 segments at most.
template <class T>
__mlu_func__ void load_strided(T* to, const T* from, int64_t step, int count, mluMemcpyDirection_t way) {
  if (step > 0) {
    __memcpy(to, from, sizeof(T), way, sizeof(T), step * sizeof(T), count - 1);
  } else {
    for (int i = 0; i < count; ++i) to[i] = from[i * step];
  }
}
template <class T>
__mlu_func__ void store_strided(T* to, const T* from, int64_t step, int count, mluMemcpyDirection_t way) {
  if (step > 0) {
    __memcpy(to, from, sizeof(T), way, step * sizeof(T), sizeof(T), count - 1);
  } else {
    for (int i = 0; i < count; ++i) to[i * step] = from[i];
  }
}

// Exchanges between lanes [first, last) in sections of `width`; a lane without a partner keeps its own value.
template <class T, class Partner>
__mlu_func__ void exchange(T* to, const T* from, int width, int first, int last, Partner partner) {
  for (int lane = first; lane < last; ++lane) {
    const int section = lane / width * width, source = partner(lane, section);
    to[lane] = source < section || source >= section + width || source < first || source >= last ? from[lane] : from[source];
  }
}
template <class T>
__mlu_func__ void lanes_down(T* to, T* from, int delta, int width, int first, int last) {
  const int count = last - first;
  if (first % width == 0 && count % width == 0 && delta > 0 && delta < width) {
    __memcpy(to + first, from + first, count * sizeof(T), NRAM2NRAM);
    __memcpy(to + first, from + first + delta, (width - delta) * sizeof(T), NRAM2NRAM, width * sizeof(T), width * sizeof(T), count / width - 1);
    return;
  }
  exchange(to, from, width, first, last, [delta](int lane, int) { return lane + delta; });
}
template <class T>
__mlu_func__ void lanes_up(T* to, T* from, int delta, int width, int first, int last) {
  const int count = last - first;
  if (first % width == 0 && count % width == 0 && delta > 0 && delta < width) {
    __memcpy(to + first, from + first, count * sizeof(T), NRAM2NRAM);
    __memcpy(to + first + delta, from + first, (width - delta) * sizeof(T), NRAM2NRAM, width * sizeof(T), width * sizeof(T), count / width - 1);
    return;
  }
  exchange(to, from, width, first, last, [delta](int lane, int) { return lane - delta; });
}
template <class T>
__mlu_func__ void lanes_xor(T* to, T* from, int bits, int width, int first, int last) {
  const int count = last - first;
  if (bits > 0 && (bits & (bits - 1)) == 0 && 2 * bits <= width && first % (2 * bits) == 0 && count % (2 * bits) == 0) {
    const int pair = 2 * bits * (int)sizeof(T);
    __memcpy(to + first, from + first + bits, bits * sizeof(T), NRAM2NRAM, pair, pair, count / (2 * bits) - 1);
    __memcpy(to + first + bits, from + first, bits * sizeof(T), NRAM2NRAM, pair, pair, count / (2 * bits) - 1);
    return;
  }
  exchange(to, from, width, first, last, [bits](int lane, int) { return lane ^ bits; });
}
template <class T>
__mlu_func__ void lanes_index(T* to, T* from, int index, int width, int first, int last) {
  exchange(to, from, width, first, last, [index, width](int, int section) { return section + (index & (width - 1)); });
}
template <class T>
__mlu_func__ void lanes_index(T* to, T* from, const int* index, int width, int first, int last) {
  exchange(to, from, width, first, last, [index, width](int lane, int section) { return section + (index[lane] & (width - 1)); });
}
template <class T, class Join>
__mlu_func__ void join(T* to, const T* from, int width, int first, int last, Join together) {
  for (int at = first; at < last;) {
    const int end = (at / width + 1) * width < last ? (at / width + 1) * width : last;
    T all = from[at];
    for (int lane = at + 1; lane < end; ++lane) all = together(all, from[lane]);
    for (int lane = at; lane < end; ++lane) to[lane] = all;
    at = end;
  }
}
template <class T>
__mlu_func__ void lanes_sum(T* to, T* from, int width, int first, int last) {
  join(to, from, width, first, last, [](T a, T b) { return (T)(a + b); });
}
template <class T>
__mlu_func__ void lanes_max(T* to, T* from, int width, int first, int last) {
  join(to, from, width, first, last, [](T a, T b) { return a < b ? b : a; });
}
template <class T>
__mlu_func__ void lanes_min(T* to, T* from, int width, int first, int last) {
  join(to, from, width, first, last, [](T a, T b) { return b < a ? b : a; });
}
template <class T>
__mlu_func__ void lanes_ballot(T* to, const int* from, int width, int first, int last) {
  for (int at = first; at < last;) {
    const int section = at / width * width, end = section + width < last ? section + width : last;
    unsigned int mask = 0;
    for (int lane = at; lane < end; ++lane) mask |= (from[lane] != 0 ? 1u : 0u) << (lane - section);
    for (int lane = at; lane < end; ++lane) to[lane] = (T)mask;
    at = end;
  }
}
template <class T>
__mlu_func__ void lanes_match(T* to, const unsigned int* from, int width, int first, int last) {
  for (int lane = first; lane < last; ++lane) {
    const int section = lane / width * width;
    unsigned int mask = 0;
    for (int other = section < first ? first : section; other < section + width && other < last; ++other)
      mask |= (from[other] == from[lane] ? 1u : 0u) << (other - section);
    to[lane] = (T)mask;
  }
}
template <class T>
__mlu_func__ void lanes_any(T* to, int* from, int width, int first, int last) {
  join((int*)to, from, width, first, last, [](int a, int b) { return (a != 0 || b != 0) ? 1 : 0; });
}
template <class T>
__mlu_func__ void lanes_all(T* to, int* from, int width, int first, int last) {
  join((int*)to, from, width, first, last, [](int a, int b) { return (a != 0 && b != 0) ? 1 : 0; });
}

__mlu_func__ bool any_lane(const int* mask, int count) {
  for (int lane = 0; lane < count; ++lane) {
    if (mask[lane] != 0) return true;
  }
  return false;
}

// Atomics on memory that one task alone reaches.
#define PORT_HERE(name, expression)                    \
  template <class T>                                   \
  __mlu_func__ T name##_here(T* at, T value) {         \
    const T old = *at;                                 \
    *at = (T)(expression);                             \
    return old;                                        \
  }
PORT_HERE(add, old + value) PORT_HERE(max, old < value ? value : old) PORT_HERE(min, value < old ? value : old) PORT_HERE(exch, value)
PORT_HERE(inc, old >= value ? 0 : old + 1) PORT_HERE(dec, old == 0 || old > value ? value : old - 1)
#undef PORT_HERE
template <class T> __mlu_func__ T and_here(T* at, T value) { const T old = *at; *at = old & value; return old; }
template <class T> __mlu_func__ T or_here(T* at, T value) { const T old = *at; *at = old | value; return old; }
template <class T> __mlu_func__ T xor_here(T* at, T value) { const T old = *at; *at = old ^ value; return old; }
template <class T> __mlu_func__ T cas_here(T* at, T expected, T value) { const T old = *at; if (old == expected) *at = value; return old; }

template <class T> __mlu_func__ T min_of(T a, T b) { return b < a ? b : a; }
template <class T> __mlu_func__ T max_of(T a, T b) { return a < b ? b : a; }
template <class T> __mlu_func__ T abs_of(T a) { return a < 0 ? -a : a; }
__mlu_func__ float rsqrt(float x) { return 1.0f / sqrtf(x); }
__mlu_func__ float saturate(float x) { return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; }
__mlu_func__ int popc(unsigned int x) { int n = 0; for (; x != 0; x &= x - 1) ++n; return n; }
__mlu_func__ int popcll(uint64_t x) { return popc((unsigned int)x) + popc((unsigned int)(x >> 32)); }
__mlu_func__ int clz(unsigned int x) { int n = 32; for (; x != 0; x >>= 1) --n; return n; }
__mlu_func__ int clzll(uint64_t x) { return (x >> 32) != 0 ? clz((unsigned int)(x >> 32)) : 32 + clz((unsigned int)x); }
__mlu_func__ int ffs(unsigned int x) { return x == 0 ? 0 : 32 - clz(x & (0u - x)); }
__mlu_func__ unsigned int brev(unsigned int x) { unsigned int y = 0; for (int i = 0; i < 32; ++i) y |= (x >> i & 1u) << (31 - i); return y; }
__mlu_func__ int float_as_int(float x) { int y; __builtin_memcpy(&y, &x, 4); return y; }
__mlu_func__ unsigned int float_as_uint(float x) { unsigned int y; __builtin_memcpy(&y, &x, 4); return y; }
__mlu_func__ float int_as_float(int x) { float y; __builtin_memcpy(&y, &x, 4); return y; }
__mlu_func__ float uint_as_float(unsigned int x) { float y; __builtin_memcpy(&y, &x, 4); return y; }
__mlu_func__ int mul24(int a, int b) { return (int)((unsigned int)(a << 8 >> 8) * (unsigned int)(b << 8 >> 8)); }
__mlu_func__ unsigned int mul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__mlu_func__ int mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
__mlu_func__ unsigned int umulhi(unsigned int a, unsigned int b) { return (unsigned int)((uint64_t)a * b >> 32); }
__mlu_func__ int float2int_rn(float x) { return __float2int32_rn(x); }
__mlu_func__ int float2int_rz(float x) { return __float2int32_tz(x); }
__mlu_func__ int float2int_rd(float x) { return __float2int32_dn(x); }
__mlu_func__ int float2int_ru(float x) { return __float2int32_up(x); }
__mlu_func__ float int2float(int x) { return (float)x; }
#endif

}  // namespace port
