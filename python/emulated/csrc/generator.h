// Generator: random numbers of the device. It draws the stream that the CPU's generator gives for the same seed; the default
// generators are the CPU's own, so that an emulated run consumes random numbers in the order the reference run does.
#pragma once

#include <ATen/core/Generator.h>

namespace starbridge::device {

at::Generator make_generator(int device);
const at::Generator& default_generator(int device);
// The CPU generator behind a device generator.
at::Generator cpu_generator_of(const at::Generator& generator);

}  // namespace starbridge::device
