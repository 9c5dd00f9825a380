// Warp primitives of CUB, over shuffles.
#pragma once

#include "cub/operators.cuh"

namespace cub {

template <class T, int Lanes = 32, int Legacy = 0> class WarpReduce {
 public:
  struct TempStorage { char unused; };
  SB_MEMBER explicit WarpReduce(TempStorage&) {}
  template <class Operation> SB_MEMBER T Reduce(T value, Operation operation) { return Reduce(value, operation, Lanes); }
  template <class Operation> SB_MEMBER T Reduce(T value, Operation operation, int valid) {
    const int lane = (int)__sb_lane() % Lanes;
    for (int step = 1; step < Lanes; step *= 2) {
      T other = __shfl_down_sync(mask(), value, step, Lanes);
      if (lane + step < valid && lane + step < Lanes) value = operation(value, other);
    }
    return value;
  }
  SB_MEMBER T Sum(T value) { return Reduce(value, cub::Sum()); }
  SB_MEMBER T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }

 private:
  SB_MEMBER static unsigned int mask() { return Lanes == 32 ? ~0u : ((1u << Lanes % 32) - 1) << (__sb_lane() / Lanes * Lanes); }
};

template <class T, int Lanes = 32, int Legacy = 0> class WarpScan {
 public:
  struct TempStorage { char unused; };
  SB_MEMBER explicit WarpScan(TempStorage&) {}
  template <class Operation> SB_MEMBER void InclusiveScan(T value, T& result, Operation operation) {
    const int lane = (int)__sb_lane() % Lanes;
    for (int step = 1; step < Lanes; step *= 2) {
      T other = __shfl_up_sync(mask(), value, step, Lanes);
      if (lane >= step) value = operation(other, value);
    }
    result = value;
  }
  template <class Operation> SB_MEMBER void ExclusiveScan(T value, T& result, T initial, Operation operation) {
    T upto;
    InclusiveScan(value, upto, operation);
    T before = __shfl_up_sync(mask(), upto, 1, Lanes);
    result = __sb_lane() % Lanes == 0 ? initial : operation(initial, before);
  }
  SB_MEMBER void InclusiveSum(T value, T& result) { InclusiveScan(value, result, cub::Sum()); }
  SB_MEMBER void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T(0), cub::Sum()); }
  SB_MEMBER void InclusiveSum(T value, T& result, T& whole) {
    InclusiveSum(value, result);
    whole = __shfl_sync(mask(), result, Lanes - 1, Lanes);
  }

 private:
  SB_MEMBER static unsigned int mask() { return Lanes == 32 ? ~0u : ((1u << Lanes % 32) - 1) << (__sb_lane() / Lanes * Lanes); }
};

}  // namespace cub
