// Loads and stores with cache hints (the emulated card has no caches), fences, clocks, address spaces.
#pragma once

#include "starbridge/device_api.h"

#define SB_LOAD(name) template <class T> SB_DEVICE T name(const T* address) { return *address; }
SB_LOAD(__ldg) SB_LOAD(__ldca) SB_LOAD(__ldcs) SB_LOAD(__ldlu)
#undef SB_LOAD
// These two skip the cache: programs poll with them, so that others must be let run.
template <class T> SB_DEVICE T __ldcg(const T* address) { return *address; }
template <class T> SB_DEVICE T __ldcv(const T* address) { __sb_yield(); return *address; }
#define SB_STORE(name) template <class T> SB_DEVICE void name(T* address, T value) { *address = value; }
SB_STORE(__stwb) SB_STORE(__stcg) SB_STORE(__stcs) SB_STORE(__stwt)
#undef SB_STORE

SB_DEVICE void __threadfence() { __sb_fence(1); }
SB_DEVICE void __threadfence_block() { __sb_fence(0); }
SB_DEVICE void __threadfence_system() { __sb_fence(2); }
SB_DEVICE int __syncthreads_count(int predicate) { return __sb_sync_count(predicate); }
SB_DEVICE int __syncthreads_or(int predicate) { return __sb_sync_count(predicate) != 0; }
SB_DEVICE int __syncthreads_and(int predicate) { return __sb_sync_count(predicate == 0) == 0; }

SB_DEVICE long long clock64() { return __sb_clock(); }
extern "C" __device__ inline clock_t clock() noexcept(true) { return (clock_t)__sb_clock(); }
SB_DEVICE void __nanosleep(unsigned int) { __sb_yield(); }
SB_DEVICE void __trap() { __sb_trap(); }
SB_DEVICE void __brkpt() { __sb_trap(); }
SB_DEVICE void __prof_trigger(int) {}
SB_DEVICE unsigned int __isGlobal(const void* address) { return __sb_space(address) == 1; }
SB_DEVICE unsigned int __isShared(const void* address) { return __sb_space(address) == 2; }
SB_DEVICE unsigned int __isConstant(const void* address) { return __sb_space(address) == 3; }
SB_DEVICE unsigned int __isLocal(const void* address) { return __sb_space(address) == 4; }
SB_DEVICE size_t __cvta_generic_to_shared(const void* address) { return (size_t)address; }
SB_DEVICE size_t __cvta_generic_to_global(const void* address) { return (size_t)address; }
SB_DEVICE void* __cvta_shared_to_generic(size_t address) { return (void*)address; }
SB_DEVICE void* __cvta_global_to_generic(size_t address) { return (void*)address; }
#define __builtin_assume_aligned_sb(pointer, bytes) __builtin_assume_aligned(pointer, bytes)
#define __nvvm_get_smem_pointer(pointer) ((unsigned int)(size_t)(pointer))
