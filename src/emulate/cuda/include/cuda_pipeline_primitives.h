// The C form of copies of one thread: they are done when they are asked for.
#pragma once

#include "cuda_runtime.h"
#include "starbridge/phase_barrier.h"

SB_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  sb::copy_together(to, from, bytes - zeros, 0, 1);
  for (size_t i = bytes - zeros; i < bytes; ++i) ((unsigned char*)to)[i] = 0;
}
SB_DEVICE void __pipeline_commit() {}
SB_DEVICE void __pipeline_wait_prior(unsigned int) {}
