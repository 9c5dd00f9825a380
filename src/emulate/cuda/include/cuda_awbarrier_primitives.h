// The C form of arrive-and-wait barriers.
#pragma once

#include "cuda_runtime.h"
#include "starbridge/phase_barrier.h"

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
SB_DEVICE void __mbarrier_init(__mbarrier_t* barrier, unsigned int expected) { __sb_phase_init(barrier, expected); }
SB_DEVICE void __mbarrier_inval(__mbarrier_t*) {}
SB_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) { return __sb_phase_arrive(barrier, 1, 0); }
SB_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) { return __sb_phase_arrive(barrier, 1, 1); }
SB_DEVICE bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  if (__sb_phase_is_over(barrier, token)) return true;
  __sb_yield();
  return false;
}
SB_DEVICE unsigned int __mbarrier_maximum_count() { return (1u << 20) - 1; }
