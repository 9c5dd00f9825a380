// Built-ins that exist on the chip and not here: named, so that a program that uses one is told so at its line.
#pragma once

#define SB_BANG_REFUSED(name)                                                                                                  \
  template <class... Arguments>                                                                                                \
  __device__ void name(Arguments...) __attribute__((unavailable("the emulated chip does not do this built-in")));
#include "starbridge/bang_refused.def"
#undef SB_BANG_REFUSED
