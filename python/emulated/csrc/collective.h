// Collective: the vendor's communication library, played by Gloo on the same memory. Calls finish before they return, so the
// tensors of a call need no tracking. One thread per process group, as PyTorch asks.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace starbridge::emulated {

// `inner` is a Gloo backend; `name` is hccl or cncl.
c10::intrusive_ptr<c10d::Backend> make_collective(c10::intrusive_ptr<c10d::Backend> inner, const std::string& name);

}  // namespace starbridge::emulated
