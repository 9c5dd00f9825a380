// Device-wide primitives of CUB: asked for their temporary storage first, as the original; then one kernel with one thread, whose
// order is the sequential one.
#pragma once

#include <stdint.h>

#include "cub/operators.cuh"

namespace cub {
namespace details {
template <class Body> __global__ void alone(Body body) { body(); }
// First call: how much; second: the work.
template <class Body> static inline cudaError_t carry_out(void* storage, size_t& bytes, cudaStream_t stream, Body body) {
  if (storage == nullptr) {
    bytes = 1;
    return cudaSuccess;
  }
  alone<<<1, 1, 0, stream>>>(body);
  return cudaPeekAtLastError();
}
template <class In, class Out, class Operation, class Initial> struct Fold {
  In in; Out out; long long count; Operation operation; Initial initial;
  SB_MEMBER void operator()() const {
    Initial sum = initial;
    for (long long i = 0; i < count; ++i) sum = operation(sum, (Initial)in[i]);
    *out = sum;
  }
};
template <class In, class Out, class Operation, class Initial> struct Scan {
  In in; Out out; long long count; Operation operation; Initial initial; bool exclusive;
  SB_MEMBER void operator()() const {
    Initial sum = initial;
    for (long long i = 0; i < count; ++i) {
      Initial value = (Initial)in[i];
      if (exclusive) { out[i] = sum; sum = operation(sum, value); }
      else { sum = i == 0 ? value : (Initial)operation(sum, value); out[i] = sum; }
    }
  }
};
// Least significant digit first, a byte at a time: stable.
template <class Key, class Value> struct Sort {
  const Key* keys; Key* keys_out; const Value* values; Value* values_out; long long count; bool descending;
  SB_MEMBER void operator()() const {
    for (long long i = 0; i < count; ++i) {
      keys_out[i] = keys[i];
      if (values_out) values_out[i] = values[i];
    }
    // Bottom-up merging needs a second array; shell-sized insertion would not be stable: a binary insertion by blocks of one is.
    for (long long width = 1; width < count; width *= 2)
      for (long long left = 0; left + width < count; left += 2 * width)
        merge(left, left + width, left + 2 * width < count ? left + 2 * width : count);
  }
  SB_MEMBER bool before(const Key& a, const Key& b) const { return descending ? b < a : a < b; }
  // In place, by rotations (the symmetric merge of Kim and Kutzner, 2004, without recursion on the small side).
  SB_MEMBER void merge(long long a, long long m, long long b) const {
    long long i = a, j = m;
    while (i < j && j < b) {
      if (!before(keys_out[j], keys_out[i])) { ++i; continue; }
      long long end = j;
      while (end < b && before(keys_out[end], keys_out[i])) ++end;
      rotate(i, j, end);
      i += end - j;
      j = end;
    }
  }
  SB_MEMBER void flip(long long a, long long b) const {
    for (--b; a < b; ++a, --b) {
      Key k = keys_out[a]; keys_out[a] = keys_out[b]; keys_out[b] = k;
      if (values_out) { Value v = values_out[a]; values_out[a] = values_out[b]; values_out[b] = v; }
    }
  }
  SB_MEMBER void rotate(long long a, long long m, long long b) const { flip(a, m); flip(m, b); flip(a, b); }
};
}  // namespace details

struct DeviceReduce {
  template <class In, class Out, class Operation, class T>
  static cudaError_t Reduce(void* storage, size_t& bytes, In in, Out out, int count, Operation operation, T initial, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Fold<In, Out, Operation, T>{in, out, count, operation, initial});
  }
  template <class In, class Out> static cudaError_t Sum(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return Reduce(storage, bytes, in, out, count, cub::Sum(), T(0), stream);
  }
  template <class In, class Out> static cudaError_t Max(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return Reduce(storage, bytes, in, out, count, cub::Max(), std::numeric_limits<T>::lowest(), stream);
  }
  template <class In, class Out> static cudaError_t Min(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return Reduce(storage, bytes, in, out, count, cub::Min(), std::numeric_limits<T>::max(), stream);
  }
};
struct DeviceScan {
  template <class In, class Out> static cudaError_t InclusiveSum(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return details::carry_out(storage, bytes, stream, details::Scan<In, Out, cub::Sum, T>{in, out, count, cub::Sum(), T(0), false});
  }
  template <class In, class Out> static cudaError_t ExclusiveSum(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return details::carry_out(storage, bytes, stream, details::Scan<In, Out, cub::Sum, T>{in, out, count, cub::Sum(), T(0), true});
  }
  template <class In, class Out, class Operation>
  static cudaError_t InclusiveScan(void* storage, size_t& bytes, In in, Out out, Operation operation, int count, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return details::carry_out(storage, bytes, stream, details::Scan<In, Out, Operation, T>{in, out, count, operation, T(), false});
  }
  template <class In, class Out, class Operation, class T>
  static cudaError_t ExclusiveScan(void* storage, size_t& bytes, In in, Out out, Operation operation, T initial, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Scan<In, Out, Operation, T>{in, out, count, operation, initial, true});
  }
};
struct DeviceRadixSort {
  template <class Key> static cudaError_t SortKeys(void* storage, size_t& bytes, const Key* in, Key* out, int count, int = 0, int = sizeof(Key) * 8, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Sort<Key, char>{in, out, nullptr, nullptr, count, false});
  }
  template <class Key> static cudaError_t SortKeysDescending(void* storage, size_t& bytes, const Key* in, Key* out, int count, int = 0, int = sizeof(Key) * 8, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Sort<Key, char>{in, out, nullptr, nullptr, count, true});
  }
  template <class Key, class Value> static cudaError_t SortPairs(void* storage, size_t& bytes, const Key* in, Key* out, const Value* values, Value* values_out,
                                                                 int count, int = 0, int = sizeof(Key) * 8, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Sort<Key, Value>{in, out, values, values_out, count, false});
  }
  template <class Key, class Value> static cudaError_t SortPairsDescending(void* storage, size_t& bytes, const Key* in, Key* out, const Value* values, Value* values_out,
                                                                           int count, int = 0, int = sizeof(Key) * 8, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Sort<Key, Value>{in, out, values, values_out, count, true});
  }
};

}  // namespace cub
