// The pass: what Clang 19 does with the two halves of a program before it optimises them. One thread per module.
// Host half: every kernel stub gets an invoker that takes the array of argument addresses apart again.
// Device half: variables in a chip's own memories move there, built-in variables become thread-local, and for a check every
// access of memory tells the runtime. CUDA: every kernel gets a loop that runs thread after thread.
#pragma once

#include <llvm/IR/Module.h>

namespace starbridge::emulate {

struct PassOptions {
  bool is_host = false;
  bool is_check = false;   // accesses are told to the runtime
  bool is_bang = false;    // a program in BANG C; else in CUDA
  bool is_ascend = false;  // a program in Ascend C
  bool is_timed = false;   // scalar work is told to the runtime's clocks
};

// Reads SB_EMULATE_PASS: "host", or "run", "check" or "time", alone or after "bang-" or "ascend-".
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
// Adds `__sb_loop$NAME` beside each kernel; in regions where `may_cut` and it is possible.
void add_thread_loops(llvm::Module& module, bool may_cut);
// Cuts a kernel where its threads wait and adds `__sb_loop$NAME` over the pieces. False: it is unchanged, or only inlined.
bool build_regions(llvm::Function& kernel);
// Volatile accesses of memory that other threads see let the other lanes of the warp come as far.
void mark_volatile_steps(llvm::Module& module);
// Every load, store and atomic of device code calls the runtime first.
void instrument_accesses(llvm::Module& module);

// Every basic block of device code tells what its scalar instructions are, every load and store where it goes. Runs last, so that
// what the optimiser took away is not counted.
void count_scalars(llvm::Module& module);
// Built-in variables and constants of the compiler: no memory of the program's.
bool is_compilers_own(const llvm::Value* pointer);

// Moves BANG C's variables in NRAM, WRAM, SRAM and LDRAM to the core's memories; describes them in `__sb_spaces$NAME` per kernel.
void lower_spaces(llvm::Module& module, const PassOptions& options);
// Inline PTX of device code becomes the IR of its instructions; what is not known is an error at its line.
void lower_ptx(llvm::Module& module);
// Inline assembly of the chip becomes a call of the runtime with its text and operands.
void lower_assembly(llvm::Module& module);
// Leaves, beside each kernel of an Ascend program, which units of a core it reaches.
void note_units(llvm::Module& module);
// In every function that uses `global`, its address becomes *base + offset, computed once at the entry.
void replace_by_offset(llvm::GlobalVariable& global, llvm::GlobalVariable& base, std::uint64_t offset);
// The runtime's thread-local pointer of that name.
llvm::GlobalVariable* thread_pointer(llvm::Module& module, llvm::StringRef name);
// The last part of a mangled name, as the user wrote it.
std::string readable_name(llvm::StringRef mangled);

// The kernels defined here: functions with the attribute the front end gives them.
bool is_kernel(const llvm::Function& function);

}  // namespace starbridge::emulate
