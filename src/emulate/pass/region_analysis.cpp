// What must be known before a kernel is cut into regions: whether it can be, what lives across the cuts, what all threads share.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>

#include "emulate/pass/pass.h"
#include "emulate/pass/regions.h"

namespace starbridge::emulate {

namespace {

constexpr unsigned kSuspendsMax = 120;
constexpr unsigned kInstructionsMax = 12000;
constexpr int kInlinesMax = 200;

SuspendKind kind_of_call(llvm::StringRef name) {
  static const std::map<std::string, SuspendKind, std::less<>> kinds = {
      {"__syncthreads", SuspendKind::kBarrier},   {"__sb_sync_count", SuspendKind::kCount},
      {"__sb_sync_warp", SuspendKind::kSyncWarp}, {"__sb_shuffle", SuspendKind::kShuffle},
      {"__sb_ballot", SuspendKind::kBallot},      {"__sb_match", SuspendKind::kMatch},
      {"__sb_gather", SuspendKind::kGather}};
  auto found = kinds.find(std::string_view(name));
  return found == kinds.end() ? SuspendKind::kExit : found->second;
}

// Threads that wait like this are not cut: they poll, meet in parts of a block, or in a grid.
bool needs_fibres(llvm::StringRef name) {
  return name == "__sb_named_barrier" || name == "__sb_active_mask" || name == "__sb_grid_sync" || name == "__sb_yield" ||
         name == "__sb_poll" || name == "__sb_warp_step" || name.starts_with("__sb_phase_");
}

// What is told to the checker of a volatile read lets the others run.
bool is_told_volatile(const llvm::CallBase& call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (name != "__sb_read" && name != "__sb_write" && name != "__sb_write_value") return false;
  const auto* flags = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
  return flags == nullptr || (flags->getZExtValue() >> 8 & 1) != 0;
}

enum class Waits { kNo, kYes, kNeedsFibres };

class WaitFinder {
 public:
  Waits of(llvm::Function& function) {
    auto [entry, is_new] = known_.try_emplace(&function, Waits::kNo);
    if (!is_new) {
      if (on_stack_.count(&function) > 0) is_recursive_.insert(&function);
      return entry->second;
    }
    on_stack_.insert(&function);
    Waits result = Waits::kNo;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& at : block) result = std::max(result, of(at));
    }
    on_stack_.erase(&function);
    if (result == Waits::kYes && is_recursive_.count(&function) > 0) result = Waits::kNeedsFibres;
    known_[&function] = result;
    return result;
  }

 private:
  Waits of(llvm::Instruction& at) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
    if (call == nullptr) return llvm::isa<llvm::IndirectBrInst>(at) ? Waits::kNeedsFibres : Waits::kNo;
    if (call->isInlineAsm()) return Waits::kNo;
    llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || !llvm::isa<llvm::CallInst>(call)) return Waits::kNeedsFibres;
    if (needs_fibres(callee->getName()) || is_told_volatile(*call)) return Waits::kNeedsFibres;
    if (kind_of_call(callee->getName()) != SuspendKind::kExit) return Waits::kYes;
    return callee->isDeclaration() ? Waits::kNo : of(*callee);
  }

  std::map<llvm::Function*, Waits> known_;
  llvm::DenseSet<llvm::Function*> on_stack_, is_recursive_;
};

// Kernels get their own copy of such an argument; threads may share it only when none writes it.
bool is_only_read(const llvm::Argument& argument) {
  llvm::SmallVector<const llvm::Value*, 8> pointers = {&argument};
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    for (const llvm::User* user : pointers[i]->users()) {
      if (llvm::isa<llvm::GetElementPtrInst>(user))
        pointers.push_back(user);
      else if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
        if (copy->getRawDest() == pointers[i]) return false;
      } else if (!llvm::isa<llvm::LoadInst>(user))
        return false;
    }
  }
  return true;
}

}  // namespace

bool can_be_cut(llvm::Function& kernel) {
  WaitFinder finder;
  if (kernel.isVarArg() || finder.of(kernel) == Waits::kNeedsFibres) return false;
  for (const llvm::Argument& argument : kernel.args()) {
    if (argument.hasByValAttr() && !is_only_read(argument)) return false;
  }
  for (int round = 0; round < kInlinesMax; ++round) {
    llvm::CallInst* next = nullptr;
    for (llvm::BasicBlock& block : kernel) {
      for (llvm::Instruction& at : block) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&at);
        if (call == nullptr || call->isInlineAsm() || call->getCalledFunction()->isDeclaration()) continue;
        if (finder.of(*call->getCalledFunction()) == Waits::kYes) next = call;
      }
    }
    if (next == nullptr) break;
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*next, info).isSuccess()) return false;
    if (round + 1 == kInlinesMax) return false;
  }
  unsigned suspends = 0, instructions = 0;
  llvm::SmallVector<llvm::Instruction*, 32> markers;
  for (llvm::BasicBlock& block : kernel) {
    for (llvm::Instruction& at : block) {
      ++instructions;
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&at); call != nullptr && call->getCalledFunction() != nullptr) {
        if (kind_of_call(call->getCalledFunction()->getName()) != SuspendKind::kExit) ++suspends;
        if (call->isLifetimeStartOrEnd()) markers.push_back(call);
        const llvm::Intrinsic::ID id = call->getIntrinsicID();
        if (id == llvm::Intrinsic::stacksave || id == llvm::Intrinsic::stackrestore) return false;
      }
      auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&at);
      if (alloca != nullptr && (!alloca->isStaticAlloca() && !llvm::isa<llvm::ConstantInt>(alloca->getArraySize()))) return false;
    }
  }
  if (suspends > kSuspendsMax || instructions > kInstructionsMax) return false;
  for (llvm::Instruction* marker : markers) marker->eraseFromParent();  // a variable's place outlives the region it is made in
  return true;
}

std::vector<Suspend> cut(llvm::Function& kernel) {
  std::vector<Suspend> suspends;
  std::vector<llvm::CallInst*> calls;
  for (llvm::BasicBlock& block : kernel) {
    for (llvm::Instruction& at : block) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&at);
      if (call != nullptr && call->getCalledFunction() != nullptr &&
          kind_of_call(call->getCalledFunction()->getName()) != SuspendKind::kExit)
        calls.push_back(call);
    }
  }
  for (llvm::CallInst* call : calls) {
    Suspend suspend;
    suspend.kind = kind_of_call(call->getCalledFunction()->getName());
    suspend.call = call;
    suspend.before = call->getParent();
    llvm::BasicBlock* own = llvm::SplitBlock(suspend.before, call);
    suspend.after = llvm::SplitBlock(own, call->getNextNode());
    if (suspend.kind > SuspendKind::kCount) {
      auto* mask = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
      suspend.is_whole_warp = mask != nullptr && mask->isMinusOne();
    }
    suspends.push_back(std::move(suspend));
  }
  // A later split may have moved the end of an earlier suspend's block.
  for (Suspend& suspend : suspends) {
    suspend.before = suspend.call->getParent()->getSinglePredecessor();
    suspend.after = suspend.call->getParent()->getSingleSuccessor();
  }
  return suspends;
}

void find_live_values(llvm::Function& kernel, std::vector<Suspend>& suspends) {
  using Set = llvm::SetVector<llvm::Value*>;
  llvm::DenseMap<llvm::BasicBlock*, Set> live_in;
  auto is_kept = [](llvm::Value* value) { return llvm::isa<llvm::Instruction>(value) && !llvm::isa<llvm::AllocaInst>(value); };
  bool changes = true;
  while (changes) {
    changes = false;
    for (llvm::BasicBlock& block : llvm::reverse(kernel)) {
      Set live;
      for (llvm::BasicBlock* next : llvm::successors(&block)) {
        for (llvm::Value* value : live_in[next]) live.insert(value);
        for (llvm::PHINode& phi : next->phis()) {
          if (llvm::Value* value = phi.getIncomingValueForBlock(&block); is_kept(value)) live.insert(value);
        }
      }
      for (llvm::Instruction& at : llvm::reverse(block)) {
        live.remove(&at);
        if (llvm::isa<llvm::PHINode>(at)) continue;  // its operands are used at the ends of the blocks before
        for (llvm::Value* operand : at.operands()) {
          if (is_kept(operand)) live.insert(operand);
        }
      }
      Set& known = live_in[&block];
      if (known.size() != live.size()) {
        for (llvm::Value* value : live) known.insert(value);
        changes = true;
      }
    }
  }
  for (Suspend& suspend : suspends) suspend.live = live_in[suspend.after];
}

bool is_builtin_load(const llvm::Value* value, int& axis) {
  axis = -1;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (load == nullptr || load->isVolatile()) return false;
  const llvm::DataLayout& layout = load->getModule()->getDataLayout();
  llvm::APInt offset(64, 0);
  const llvm::Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (const auto* address = llvm::dyn_cast<llvm::IntrinsicInst>(base);
      address != nullptr && address->getIntrinsicID() == llvm::Intrinsic::threadlocal_address)
    base = address->getArgOperand(0);
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
  if (global == nullptr || !global->isThreadLocal() || !global->getName().starts_with("__sb_")) return false;
  if (global->getName() == "__sb_threadIdx") axis = static_cast<int>(offset.getZExtValue() / 4);
  return true;
}

llvm::DenseSet<const llvm::Value*> find_divergent_values(llvm::Function& kernel) {
  llvm::DominatorTree dominators(kernel);
  llvm::PostDominatorTree after(kernel);
  llvm::LoopInfo loops(dominators);
  llvm::DenseSet<const llvm::Value*> divergent;
  llvm::SmallVector<const llvm::Value*, 64> work;
  auto mark = [&](const llvm::Value* value) {
    if (divergent.insert(value).second) work.push_back(value);
  };
  for (llvm::BasicBlock& block : kernel) {
    for (llvm::Instruction& at : block) {
      int axis = 0;
      if (is_builtin_load(&at, axis)) {
        if (axis >= 0) mark(&at);
      } else if (at.mayReadOrWriteMemory() || llvm::isa<llvm::AllocaInst>(at) || llvm::isa<llvm::CallBase>(at)) {
        const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&at);
        const bool is_pure = call != nullptr && !at.mayReadOrWriteMemory();
        if (!is_pure) mark(&at);
      }
    }
  }
  // Where paths that threads chose differently meet again: everything chosen between is theirs alone.
  auto mark_joins = [&](const llvm::Instruction& branch) {
    llvm::BasicBlock* start = const_cast<llvm::BasicBlock*>(branch.getParent());
    const llvm::DomTreeNode* node = after.getNode(start);
    const llvm::BasicBlock* end = node == nullptr || node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
    llvm::DenseSet<llvm::BasicBlock*> seen;
    llvm::SmallVector<llvm::BasicBlock*, 16> blocks(llvm::successors(start));
    while (!blocks.empty()) {
      llvm::BasicBlock* block = blocks.pop_back_val();
      if (!seen.insert(block).second) continue;
      for (llvm::PHINode& phi : block->phis()) mark(&phi);
      if (block == end) continue;
      for (llvm::BasicBlock* next : llvm::successors(block)) blocks.push_back(next);
    }
    // Threads leave a loop after different numbers of rounds: what it computed differs outside.
    for (llvm::Loop* loop = loops.getLoopFor(start); loop != nullptr; loop = loop->getParentLoop()) {
      const bool leaves = llvm::any_of(llvm::successors(start), [&](llvm::BasicBlock* next) { return !loop->contains(next); });
      if (!leaves) continue;
      for (llvm::BasicBlock* block : loop->blocks()) {
        for (llvm::Instruction& at : *block) {
          if (llvm::any_of(at.users(),
                           [&](llvm::User* user) { return !loop->contains(llvm::cast<llvm::Instruction>(user)->getParent()); }))
            mark(&at);
        }
      }
    }
  };
  while (!work.empty()) {
    const llvm::Value* value = work.pop_back_val();
    for (const llvm::User* user : value->users()) {
      const auto* at = llvm::dyn_cast<llvm::Instruction>(user);
      if (at == nullptr) continue;
      if (at->isTerminator())
        mark_joins(*at);
      else
        mark(at);
    }
  }
  return divergent;
}

}  // namespace starbridge::emulate
