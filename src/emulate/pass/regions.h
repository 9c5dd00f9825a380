// Regions: a kernel whose threads wait for each other is cut at the places where they wait. Each piece becomes a loop over the
// threads of a row of the block, so that waiting costs no switch of stacks and the compiler can use vector instructions.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace starbridge::emulate {

// What a thread waits for; in step with runtime/regions.cpp.
enum class SuspendKind : unsigned { kExit, kBarrier, kCount, kSyncWarp, kShuffle, kBallot, kMatch, kGather };

struct Suspend {
  SuspendKind kind = SuspendKind::kExit;
  llvm::CallInst* call = nullptr;
  llvm::BasicBlock* before = nullptr;  // its end arrives
  llvm::BasicBlock* after = nullptr;   // its start goes on
  bool is_whole_warp = false;          // the mask is all ones, known now
  llvm::SetVector<llvm::Value*> live;  // values that `after` and what follows need
};

// The kernel after all functions that wait were inlined, or false: it must run on fibres. Leaves the kernel as it was then.
bool can_be_cut(llvm::Function& kernel);
// Puts each waiting call into a block of its own. In the order of the function.
std::vector<Suspend> cut(llvm::Function& kernel);
// Fills Suspend::live.
void find_live_values(llvm::Function& kernel, std::vector<Suspend>& suspends);
// Values that may differ between the threads that get there together.
llvm::DenseSet<const llvm::Value*> find_divergent_values(llvm::Function& kernel);
// The loads of built-in variables and of the block's memory, which the start of every region can repeat. For threadIdx the axis
// is in `axis`, else -1.
bool is_builtin_load(const llvm::Value* value, int& axis);
struct Region {
  llvm::Function* function = nullptr;
  int single_next = -1;  // state that all threads go to; -1: several
};
// The kernel's arguments as one object, which regions read them from.
llvm::StructType* type_of_arguments(const llvm::Function& kernel);
// Adds `__sb_loop$KERNEL`.
void add_region_loop(llvm::Function& kernel, const std::vector<Region>& regions, const std::vector<Suspend>& suspends,
                     std::uint64_t frame_bytes, std::uint64_t uniform_bytes);
// Instructions of `region`, copied from the kernel, keep the kernel's lines: they count as inlined.
void keep_kernel_lines(const llvm::Function& kernel, llvm::Function& region);

}  // namespace starbridge::emulate
