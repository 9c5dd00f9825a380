// Names that are known and not emulated.
#pragma once

#define SB_CUDA_REFUSED(name, what)                                                                                      \
  template <class... Arguments>                                                                                          \
  static inline __attribute__((host, device, unavailable("not emulated: " what))) int name(Arguments&&...);
#include "starbridge/cuda_refused.def"
#undef SB_CUDA_REFUSED
