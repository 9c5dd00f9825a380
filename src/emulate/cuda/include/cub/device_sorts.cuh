// Device-wide sorts of CUB: by the bits of keys, by a comparison, and segment by segment. All are stable.
#pragma once

#include "cub/device_primitives.cuh"

namespace cub {
namespace details {
template <class Body, class Offsets, class OffsetsEnd> struct EachSegment {
  Body body; int segments; Offsets begin; OffsetsEnd end;
  SB_MEMBER void operator()() const {
    for (int i = 0; i < segments; ++i) body((long long)begin[i], (long long)end[i]);
  }
};
template <class Key, class Value, class Before>
static inline cudaError_t sort(void* storage, size_t& bytes, cudaStream_t stream, const Key* in, Key* out, const Value* values, Value* values_out,
                               long long count, Before before) {
  typedef Sort<Key, Value, Before> Body;
  return carry_out(storage, bytes, stream, Body{in, out, values, values_out, count, before, (char*)storage}, Body::bytes(count) + 16);
}
template <class Key, class Value, class Before, class Begin, class End>
static inline cudaError_t sort_segments(void* storage, size_t& bytes, cudaStream_t stream, const Key* in, Key* out, const Value* values,
                                        Value* values_out, long long count, int segments, Begin begin, End end, Before before) {
  typedef Sort<Key, Value, Before> Body;
  const EachSegment<Body, Begin, End> all{Body{in, out, values, values_out, count, before, (char*)storage}, segments, begin, end};
  return carry_out(storage, bytes, stream, all, Body::bytes(count) + 16);
}
}  // namespace details

// The names come in pairs (upwards and Descending) and in two forms: four arrays, or buffers that are swapped.
#define SB_CUB_SORTS(name, descending_)                                                                                                         \
  template <class Key> static cudaError_t SortKeys##name(void* storage, size_t& bytes, const Key* in, Key* out, int count, int begin = 0,          \
                                                         int end = sizeof(Key) * 8, cudaStream_t stream = 0) {                                    \
    return details::sort<Key, char>(storage, bytes, stream, in, out, nullptr, nullptr, count, details::RadixBefore<Key>{begin, end, descending_});   \
  }                                                                                                                                             \
  template <class Key> static cudaError_t SortKeys##name(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, int count, int begin = 0,           \
                                                         int end = sizeof(Key) * 8, cudaStream_t stream = 0) {                                    \
    cudaError_t error = SortKeys##name(storage, bytes, (const Key*)keys.Current(), keys.Alternate(), count, begin, end, stream);                  \
    if (storage != nullptr) keys.selector ^= 1;                                                                                                  \
    return error;                                                                                                                               \
  }                                                                                                                                             \
  template <class Key, class Value>                                                                                                              \
  static cudaError_t SortPairs##name(void* storage, size_t& bytes, const Key* in, Key* out, const Value* values, Value* values_out, int count,       \
                                     int begin = 0, int end = sizeof(Key) * 8, cudaStream_t stream = 0) {                                         \
    return details::sort(storage, bytes, stream, in, out, values, values_out, count, details::RadixBefore<Key>{begin, end, descending_});           \
  }                                                                                                                                             \
  template <class Key, class Value>                                                                                                              \
  static cudaError_t SortPairs##name(void* storage, size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, int count, int begin = 0,   \
                                     int end = sizeof(Key) * 8, cudaStream_t stream = 0) {                                                        \
    cudaError_t error = SortPairs##name(storage, bytes, (const Key*)keys.Current(), keys.Alternate(), (const Value*)values.Current(),             \
                                        values.Alternate(), count, begin, end, stream);                                                         \
    if (storage != nullptr) keys.selector ^= 1, values.selector ^= 1;                                                                             \
    return error;                                                                                                                               \
  }
struct DeviceRadixSort {
  SB_CUB_SORTS(, false)
  SB_CUB_SORTS(Descending, true)
};
#undef SB_CUB_SORTS

#define SB_CUB_SEGMENTED(prefix, name, descending_, ...)                                                                                         \
  template <class Key, class Begin, class End>                                                                                                   \
  static cudaError_t prefix##Keys##name(void* storage, size_t& bytes, const Key* in, Key* out, int count, int segments, Begin begin, End end,        \
                                        ##__VA_ARGS__, cudaStream_t stream = 0) {                                                                \
    return details::sort_segments<Key, char>(storage, bytes, stream, in, out, nullptr, nullptr, count, segments, begin, end,                     \
                                             details::RadixBefore<Key>{0, (int)sizeof(Key) * 8, descending_});                                   \
  }                                                                                                                                             \
  template <class Key, class Value, class Begin, class End>                                                                                      \
  static cudaError_t prefix##Pairs##name(void* storage, size_t& bytes, const Key* in, Key* out, const Value* values, Value* values_out, int count,  \
                                         int segments, Begin begin, End end, ##__VA_ARGS__, cudaStream_t stream = 0) {                           \
    return details::sort_segments(storage, bytes, stream, in, out, values, values_out, count, segments, begin, end,                              \
                                  details::RadixBefore<Key>{0, (int)sizeof(Key) * 8, descending_});                                              \
  }
struct DeviceSegmentedRadixSort {
  SB_CUB_SEGMENTED(Sort, , false, int = 0, int = sizeof(Key) * 8)
  SB_CUB_SEGMENTED(Sort, Descending, true, int = 0, int = sizeof(Key) * 8)
};
struct DeviceSegmentedSort {
  SB_CUB_SEGMENTED(Sort, , false)
  SB_CUB_SEGMENTED(Sort, Descending, true)
  SB_CUB_SEGMENTED(StableSort, , false)
  SB_CUB_SEGMENTED(StableSort, Descending, true)
};
#undef SB_CUB_SEGMENTED

struct DeviceMergeSort {
  template <class Key, class Before> static cudaError_t SortKeys(void* storage, size_t& bytes, Key* keys, long long count, Before before, cudaStream_t stream = 0) {
    return details::sort<Key, char>(storage, bytes, stream, keys, keys, nullptr, nullptr, count, before);
  }
  template <class Key, class Value, class Before>
  static cudaError_t SortPairs(void* storage, size_t& bytes, Key* keys, Value* values, long long count, Before before, cudaStream_t stream = 0) {
    return details::sort<Key, Value>(storage, bytes, stream, keys, keys, values, values, count, before);
  }
  template <class Key, class Before> static cudaError_t StableSortKeys(void* storage, size_t& bytes, Key* keys, long long count, Before before, cudaStream_t stream = 0) {
    return SortKeys(storage, bytes, keys, count, before, stream);
  }
  template <class Key, class Value, class Before>
  static cudaError_t StableSortPairs(void* storage, size_t& bytes, Key* keys, Value* values, long long count, Before before, cudaStream_t stream = 0) {
    return SortPairs(storage, bytes, keys, values, count, before, stream);
  }
};
}  // namespace cub
