// Inputs: what a program copies from the host to the card, written down, changed to another distribution, or taken from an
// earlier run, so that two programs of one meaning work on the same data whatever their host code makes of it.
#pragma once

#include <cstddef>

namespace starbridge::emulate {

// Called when `bytes` bytes have come to `start` on the card. By the environment:
//   SB_EMULATE_INPUTS_KIND      signs | special: float words get another sign or value (inputs.cpp tells how)
//   SB_EMULATE_INPUTS_OUT       file that receives, copy by copy: count of bytes, hash of what was given, the bytes used
//   SB_EMULATE_INPUTS_IN        such a file: what was given there gets the bytes used there
//   SB_EMULATE_INPUTS_IN_ORDER  and what was not gets the next unused one of its length
void take_input(void* start, std::size_t bytes);

}  // namespace starbridge::emulate
