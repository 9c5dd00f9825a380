// Host call: runs one operator of the device with the CPU's kernel, on the same memory. Any thread.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "op_table.h"

namespace starbridge::emulated {

// Takes the operator's arguments from the stack and leaves its results there. Refuses as the profile says, checks that all
// tensors are on one device as a real backend does, and keeps in-place, out and view results tied to the caller's tensors.
void run_on_host(OpRecord& record, const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace starbridge::emulated
