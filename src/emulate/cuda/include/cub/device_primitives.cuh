// Device-wide primitives of CUB: asked for their temporary storage first, as the original; then one kernel with one thread, whose
// order is the sequential one.
#pragma once

#include <stdint.h>

#include "cub/iterators.cuh"
#include "cub/operators.cuh"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace cub {
namespace details {
template <class Body> __global__ void alone(Body body) { body(); }
// First call: how much; second: the work.
template <class Body> static inline cudaError_t carry_out(void* storage, size_t& bytes, cudaStream_t stream, Body body, size_t wanted = 1) {
  if (storage == nullptr) {
    bytes = wanted;
    return cudaSuccess;
  }
  if (bytes < wanted) return cudaErrorInvalidValue;
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
template <class In, class Out, class Operation> struct FoldPlaces {
  In in; Out out; long long count; Operation operation;
  SB_MEMBER void operator()() const {
    typedef typename std::iterator_traits<In>::value_type T;
    KeyValuePair<int, T> best(0, in[0]);
    for (long long i = 1; i < count; ++i) best = operation(best, KeyValuePair<int, T>((int)i, in[i]));
    *out = best;
  }
};
template <class Keys, class KeysOut, class In, class Out, class Runs, class Operation> struct FoldByKey {
  Keys keys; KeysOut keys_out; In in; Out out; Runs runs; long long count; Operation operation;
  SB_MEMBER void operator()() const {
    long long run = -1;
    for (long long i = 0; i < count; ++i) {
      if (i > 0 && keys[i] == keys[i - 1]) out[run] = operation(out[run], in[i]);
      else ++run, keys_out[run] = keys[i], out[run] = in[i];
    }
    *runs = run + 1;
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
// Keys as unsigned numbers in the same order; only the bits asked for count.
template <class Key> struct is_real : std::is_floating_point<Key> {};
template <> struct is_real<__half> : std::true_type {};
template <> struct is_real<__nv_bfloat16> : std::true_type {};
template <class Key> SB_MEMBER unsigned long long ordered_bits(const Key& key, int begin, int end) {
  static_assert(sizeof(Key) <= 8, "radix sorts take keys of up to 8 bytes");
  unsigned long long raw = 0;
  __builtin_memcpy(&raw, &key, sizeof key);
  const unsigned long long sign = 1ULL << (sizeof(Key) * 8 - 1), all = sign | (sign - 1);
  if (is_real<Key>::value) {
    if (raw == sign) raw = 0;  // both zeros are one key
    raw = (raw & sign) != 0 ? ~raw & all : raw | sign;
  } else if (std::is_signed<Key>::value) {
    raw ^= sign;
  }
  return raw >> begin & (end - begin >= 64 ? ~0ULL : (1ULL << (end - begin)) - 1);
}
template <class Key> struct RadixBefore {
  int begin, end;
  bool descending;
  SB_MEMBER bool operator()(const Key& a, const Key& b) const {
    const unsigned long long x = ordered_bits(a, begin, end), y = ordered_bits(b, begin, end);
    return descending ? y < x : x < y;
  }
};
// Merges runs of doubled length, from one array to another and back: stable.
template <class Key, class Value, class Before> struct Sort {
  const Key* keys; Key* keys_out; const Value* values; Value* values_out; long long count; Before before; char* room;
  SB_MEMBER void operator()() const { (*this)(0, count); }
  SB_MEMBER void operator()(long long first, long long last) const {
    Key *from = keys_out, *to = (Key*)room;
    Value *values_from = values_out, *values_to = (Value*)(room + (count * sizeof(Key) + 15) / 16 * 16);
    for (long long i = first; i < last; ++i) {
      from[i] = keys[i];
      if (values != nullptr) values_from[i] = values[i];
    }
    for (long long width = 1; width < last - first; width *= 2) {
      for (long long left = first; left < last; left += 2 * width) {
        const long long middle = left + width < last ? left + width : last, end = left + 2 * width < last ? left + 2 * width : last;
        for (long long out = left, i = left, j = middle; out < end; ++out) {
          const long long pick = j >= end || (i < middle && !before(from[j], from[i])) ? i++ : j++;
          to[out] = from[pick];
          if (values != nullptr) values_to[out] = values_from[pick];
        }
      }
      Key* other = from;
      from = to, to = other;
      Value* others = values_from;
      values_from = values_to, values_to = others;
    }
    if (from == keys_out) return;
    for (long long i = first; i < last; ++i) {
      keys_out[i] = from[i];
      if (values != nullptr) values_out[i] = values_from[i];
    }
  }
  static size_t bytes(long long count) { return (count * sizeof(Key) + 15) / 16 * 16 + count * sizeof(Value); }
};
}  // namespace details

struct DeviceReduce {
  template <class In, class Out, class Operation, class T>
  static cudaError_t Reduce(void* storage, size_t& bytes, In in, Out out, int count, Operation operation, T initial, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Fold<In, Out, Operation, T>{in, out, count, operation, initial});
  }
  template <class In, class Out, class Operation, class Change, class T>
  static cudaError_t TransformReduce(void* storage, size_t& bytes, In in, Out out, int count, Operation operation, Change change, T initial,
                                     cudaStream_t stream = 0) {
    return Reduce(storage, bytes, TransformInputIterator<T, Change, In>(in, change), out, count, operation, initial, stream);
  }
  template <class In, class Out> static cudaError_t ArgMin(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::FoldPlaces<In, Out, cub::ArgMin>{in, out, count, cub::ArgMin()});
  }
  template <class In, class Out> static cudaError_t ArgMax(void* storage, size_t& bytes, In in, Out out, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::FoldPlaces<In, Out, cub::ArgMax>{in, out, count, cub::ArgMax()});
  }
  template <class Keys, class KeysOut, class In, class Out, class Runs, class Operation>
  static cudaError_t ReduceByKey(void* storage, size_t& bytes, Keys keys, KeysOut keys_out, In in, Out out, Runs runs, Operation operation, int count,
                                 cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream,
                              details::FoldByKey<Keys, KeysOut, In, Out, Runs, Operation>{keys, keys_out, in, out, runs, count, operation});
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
}  // namespace cub
