// Generator: random numbers of the emulated device. The numbers are the CPU's (same seed, same stream), so a run on the
// device can be compared with the same run on the CPU. Locking as PyTorch's own generators: callers hold mutex_.
#pragma once

#include <ATen/core/Generator.h>

namespace starbridge::emulated {

// shared: the default generators of all devices are the CPU's default generator itself, so a program draws the same numbers
// in the same order as when it runs on the CPU. Otherwise each device has a stream of its own.
void configure_generators(int device_count, bool is_shared);
const at::Generator& default_generator(int device);
at::Generator new_generator(int device);
// The CPU generator behind `generator` when that is one of ours.
at::Generator host_generator(const at::Generator& generator);
// The CPU generator behind the default generator of `device`.
const at::Generator& host_default_generator(int device);
bool is_shared_with_host();

}  // namespace starbridge::emulated
