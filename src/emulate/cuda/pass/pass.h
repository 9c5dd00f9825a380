// The pass: what Clang 19 does with the two halves of a CUDA program before it optimises them. One thread per module.
// Host half: every kernel stub gets an invoker that takes the array of argument addresses apart again.
// Device half: __shared__ variables move into the block's memory, built-in variables become thread-local, every kernel gets a
// loop that runs thread after thread, and for a check every access of memory tells the runtime.
#pragma once

#include <llvm/IR/Module.h>

namespace starbridge::emulate::cuda {

struct PassOptions {
  bool is_host = false;
  bool is_check = false;  // accesses are told to the runtime
};

// Reads SB_CUDA_PASS: "host", "run" or "check".
PassOptions pass_options();

// Adds `__sb_invoke` functions and a constructor that registers them. True when the module has kernel stubs.
bool add_invokers(llvm::Module& module);

// Moves variables in shared memory to the block's memory; gives each kernel its constant `__sb_shared_bytes$NAME` and, for a
// check, the table `__sb_shared_map$NAME`.
void lower_shared(llvm::Module& module, const PassOptions& options);
// Managed variables live on the host's side; device code reaches each through a pointer the runtime sets.
void lower_variables(llvm::Module& module);
// threadIdx and its like become thread-local variables of the runtime, read once per function.
void lower_builtins(llvm::Module& module);
// Adds `__sb_loop$NAME` beside each kernel.
void add_thread_loops(llvm::Module& module);
// Volatile accesses of memory that other threads see let the other lanes of the warp come as far.
void mark_volatile_steps(llvm::Module& module);
// Every load, store and atomic of device code calls the runtime first.
void instrument_accesses(llvm::Module& module);

// The kernels defined here: functions with the attribute the front end gives them.
bool is_kernel(const llvm::Function& function);

}  // namespace starbridge::emulate::cuda
