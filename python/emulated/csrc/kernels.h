// Kernels: registers every operator of the device with PyTorch's dispatcher. Called once, after configure_policy.
#pragma once

namespace starbridge::emulated {

void register_operators();

}  // namespace starbridge::emulated
