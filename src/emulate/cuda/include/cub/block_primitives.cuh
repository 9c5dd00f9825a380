// Block primitives of CUB. They meet in shared memory at barriers, in rank order, so that sums do not depend on the order of threads.
#pragma once

#include "cub/operators.cuh"

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };

template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Legacy = 0> class BlockReduce {
 public:
  struct TempStorage { T values[X * Y * Z]; };
  SB_MEMBER explicit BlockReduce(TempStorage& storage) : storage_(storage) {}
  template <class Operation> SB_MEMBER T Reduce(T value, Operation operation, int valid = X * Y * Z) {
    const int self = details::linear_thread();
    storage_.values[self] = value;
    __syncthreads();
    T result = value;
    if (self == 0) {
      result = storage_.values[0];
      for (int i = 1; i < valid; ++i) result = operation(result, storage_.values[i]);
    }
    __syncthreads();
    return result;
  }
  template <int Items, class Operation> SB_MEMBER T Reduce(T (&values)[Items], Operation operation) {
    T sum = values[0];
    for (int i = 1; i < Items; ++i) sum = operation(sum, values[i]);
    return Reduce(sum, operation);
  }
  SB_MEMBER T Sum(T value) { return Reduce(value, cub::Sum()); }
  SB_MEMBER T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int Items> SB_MEMBER T Sum(T (&values)[Items]) { return Reduce(values, cub::Sum()); }

 private:
  TempStorage& storage_;
};

template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Legacy = 0> class BlockScan {
 public:
  struct TempStorage { T values[X * Y * Z + 1]; };
  SB_MEMBER explicit BlockScan(TempStorage& storage) : storage_(storage) {}
  template <class Operation> SB_MEMBER void InclusiveScan(T value, T& result, Operation operation, T& whole) {
    const int self = details::linear_thread();
    storage_.values[self] = value;
    __syncthreads();
    if (self == 0)
      for (int i = 1; i < X * Y * Z; ++i) storage_.values[i] = operation(storage_.values[i - 1], storage_.values[i]);
    __syncthreads();
    result = storage_.values[self];
    whole = storage_.values[X * Y * Z - 1];
    __syncthreads();
  }
  template <class Operation> SB_MEMBER void InclusiveScan(T value, T& result, Operation operation) {
    T whole;
    InclusiveScan(value, result, operation, whole);
  }
  template <class Operation> SB_MEMBER void ExclusiveScan(T value, T& result, T initial, Operation operation, T& whole) {
    const int self = details::linear_thread();
    storage_.values[self] = value;
    __syncthreads();
    if (self == 0) {
      T running = initial, all = storage_.values[0];
      for (int i = 0; i < X * Y * Z; ++i) {
        T next = operation(running, storage_.values[i]);
        if (i > 0) all = operation(all, storage_.values[i]);
        storage_.values[i] = running;
        running = next;
      }
      storage_.values[X * Y * Z] = all;
    }
    __syncthreads();
    result = storage_.values[self];
    whole = storage_.values[X * Y * Z];
    __syncthreads();
  }
  template <class Operation> SB_MEMBER void ExclusiveScan(T value, T& result, T initial, Operation operation) {
    T whole;
    ExclusiveScan(value, result, initial, operation, whole);
  }
  SB_MEMBER void InclusiveSum(T value, T& result) { InclusiveScan(value, result, cub::Sum()); }
  SB_MEMBER void InclusiveSum(T value, T& result, T& whole) { InclusiveScan(value, result, cub::Sum(), whole); }
  SB_MEMBER void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T(0), cub::Sum()); }
  SB_MEMBER void ExclusiveSum(T value, T& result, T& whole) { ExclusiveScan(value, result, T(0), cub::Sum(), whole); }
  // Several items per thread, in blocked order.
  template <int Items, class Operation> SB_MEMBER void InclusiveScan(T (&in)[Items], T (&out)[Items], Operation operation, T& whole) {
    T sum = in[0];
    for (int i = 1; i < Items; ++i) sum = operation(sum, in[i]);
    T upto;
    InclusiveScan(sum, upto, operation, whole);
    const int self = details::linear_thread();
    storage_.values[self] = upto;
    __syncthreads();
    T running = self == 0 ? in[0] : operation(storage_.values[self - 1], in[0]);
    out[0] = running;
    for (int i = 1; i < Items; ++i) out[i] = running = operation(running, in[i]);
    __syncthreads();
  }
  template <int Items, class Operation> SB_MEMBER void InclusiveScan(T (&in)[Items], T (&out)[Items], Operation operation) {
    T whole;
    InclusiveScan(in, out, operation, whole);
  }
  template <int Items, class Operation> SB_MEMBER void ExclusiveScan(T (&in)[Items], T (&out)[Items], T initial, Operation operation, T& whole) {
    T sum = in[0];
    for (int i = 1; i < Items; ++i) sum = operation(sum, in[i]);
    T before;
    ExclusiveScan(sum, before, initial, operation, whole);
    for (int i = 0; i < Items; ++i) {
      T next = operation(before, in[i]);
      out[i] = before;
      before = next;
    }
  }
  template <int Items, class Operation> SB_MEMBER void ExclusiveScan(T (&in)[Items], T (&out)[Items], T initial, Operation operation) {
    T whole;
    ExclusiveScan(in, out, initial, operation, whole);
  }
  template <int Items> SB_MEMBER void InclusiveSum(T (&in)[Items], T (&out)[Items]) { InclusiveScan(in, out, cub::Sum()); }
  template <int Items> SB_MEMBER void InclusiveSum(T (&in)[Items], T (&out)[Items], T& whole) { InclusiveScan(in, out, cub::Sum(), whole); }
  template <int Items> SB_MEMBER void ExclusiveSum(T (&in)[Items], T (&out)[Items]) { ExclusiveScan(in, out, T(0), cub::Sum()); }
  template <int Items> SB_MEMBER void ExclusiveSum(T (&in)[Items], T (&out)[Items], T& whole) { ExclusiveScan(in, out, T(0), cub::Sum(), whole); }

 private:
  TempStorage& storage_;
};

template <class T, int X, int Items, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Legacy = 0> class BlockLoad {
 public:
  struct TempStorage { char unused; };
  SB_MEMBER BlockLoad() {}
  SB_MEMBER explicit BlockLoad(TempStorage&) {}
  template <class From> SB_MEMBER void Load(From from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[place(i)];
  }
  template <class From> SB_MEMBER void Load(From from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
      if (place(i) < valid) items[i] = from[place(i)];
  }
  template <class From, class Default> SB_MEMBER void Load(From from, T (&items)[Items], int valid, Default otherwise) {
    for (int i = 0; i < Items; ++i) items[i] = place(i) < valid ? (T)from[place(i)] : (T)otherwise;
  }

 private:
  SB_MEMBER static int place(int i) { return A == BLOCK_LOAD_STRIPED ? details::linear_thread() + i * X * Y * Z : details::linear_thread() * Items + i; }
};
template <class T, int X, int Items, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Legacy = 0> class BlockStore {
 public:
  struct TempStorage { char unused; };
  SB_MEMBER BlockStore() {}
  SB_MEMBER explicit BlockStore(TempStorage&) {}
  template <class To> SB_MEMBER void Store(To to, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[place(i)] = items[i];
  }
  template <class To> SB_MEMBER void Store(To to, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i)
      if (place(i) < valid) to[place(i)] = items[i];
  }

 private:
  SB_MEMBER static int place(int i) { return A == BLOCK_STORE_STRIPED ? details::linear_thread() + i * X * Y * Z : details::linear_thread() * Items + i; }
};

template <class Key, int X, int Items, class Value = NullType> class BlockRadixSort {
 public:
  struct TempStorage { Key keys[X * Items]; int rank[X * Items]; };
  SB_MEMBER explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}
  SB_MEMBER void Sort(Key (&keys)[Items]) { sort(keys, false); }
  SB_MEMBER void SortDescending(Key (&keys)[Items]) { sort(keys, true); }

 private:
  // Each item counts those that come before it: stable, and as many steps as the block has items.
  SB_MEMBER void sort(Key (&keys)[Items], bool descending) {
    const int self = details::linear_thread();
    for (int i = 0; i < Items; ++i) storage_.keys[self * Items + i] = keys[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) {
      const int at = self * Items + i;
      int rank = 0;
      for (int j = 0; j < X * Items; ++j) {
        const Key other = storage_.keys[j];
        const bool before = descending ? keys[i] < other : other < keys[i];
        if (before || (other == keys[i] && j < at)) ++rank;
      }
      storage_.rank[at] = rank;
    }
    __syncthreads();
    for (int i = 0; i < Items; ++i) storage_.keys[storage_.rank[self * Items + i]] = keys[i];
    __syncthreads();
    for (int i = 0; i < Items; ++i) keys[i] = storage_.keys[self * Items + i];
    __syncthreads();
  }
  TempStorage& storage_;
};

template <int X, class T, int Items, class From> SB_DEVICE void LoadDirectStriped(int thread, From from, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) items[i] = from[thread + i * X];
}
template <class T, int Items, class From> SB_DEVICE void LoadDirectBlocked(int thread, From from, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) items[i] = from[thread * Items + i];
}
template <int X, class T, int Items, class To> SB_DEVICE void StoreDirectStriped(int thread, To to, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) to[thread + i * X] = items[i];
}
template <class T, int Items, class To> SB_DEVICE void StoreDirectBlocked(int thread, To to, T (&items)[Items]) {
  for (int i = 0; i < Items; ++i) to[thread * Items + i] = items[i];
}

}  // namespace cub
