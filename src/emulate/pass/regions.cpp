// Cuts kernels into regions and builds, for each, a loop over the threads of a row. What a value needs to outlive a region:
// nothing when it can be computed again from arguments and built-in variables; one place per block when all threads share it;
// else one per thread.
#include "emulate/pass/regions.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <map>
#include <set>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

namespace {

using llvm::Value;

// The frame of a block, in step with RegionFrame of runtime/regions.cpp: arrays over threads, then the slots.
constexpr std::uint64_t kThreads = 1024, kNextAt = 0, kMaskAt = 1024, kValueAt = 5120, kSourceAt = 13312, kPointerAt = 17408,
                        kResultAt = 25600, kCurrentAt = 33792, kSlotsAt = 33856;
constexpr std::uint64_t kThreadBytesMax = 16384;  // of what one thread keeps; more runs on fibres
constexpr int kRepeatMax = 10;                    // instructions computed again instead of kept

class Regions {
 public:
  Regions(llvm::Function& kernel)
      : kernel_(kernel), module_(*kernel.getParent()), context_(kernel.getContext()), layout_(module_.getDataLayout()) {}

  // False: the kernel keeps too much per thread.
  bool build() {
    suspends_ = cut(kernel_);
    find_live_values(kernel_, suspends_);
    divergent_ = find_divergent_values(kernel_);
    if (!place_allocas() || !place_values()) return false;
    for (unsigned state = 0; state <= suspends_.size(); ++state) regions_.push_back(build_region(state));
    add_region_loop(kernel_, regions_, suspends_, frame_bytes_, uniform_bytes_);
    kernel_.deleteBody();
    kernel_.setLinkage(llvm::GlobalValue::ExternalLinkage);
    kernel_.setComdat(nullptr);
    return true;
  }

 private:
  llvm::Type* word() { return llvm::Type::getInt32Ty(context_); }
  llvm::Type* byte() { return llvm::Type::getInt8Ty(context_); }
  llvm::Type* pointer() { return llvm::PointerType::getUnqual(context_); }

  llvm::BasicBlock* start_of(unsigned state) { return state == 0 ? &kernel_.getEntryBlock() : suspends_[state - 1].after; }

  // The blocks a thread may run from `state` until it waits again.
  llvm::SetVector<llvm::BasicBlock*> blocks_of(unsigned state) {
    llvm::DenseSet<llvm::BasicBlock*> waits;
    for (const Suspend& suspend : suspends_) waits.insert(suspend.call->getParent());
    llvm::SetVector<llvm::BasicBlock*> blocks;
    blocks.insert(start_of(state));
    for (unsigned i = 0; i < blocks.size(); ++i) {
      for (llvm::BasicBlock* next : llvm::successors(blocks[i])) {
        if (waits.count(next) == 0) blocks.insert(next);
      }
    }
    return blocks;
  }

  // Does the variable's address stay inside one region, in plain accesses?
  bool is_of_one_region(const llvm::AllocaInst& alloca) {
    llvm::SmallVector<const Value*, 8> pointers = {&alloca};
    llvm::DenseSet<const llvm::BasicBlock*> used;
    for (std::size_t i = 0; i < pointers.size(); ++i) {
      for (const llvm::User* user : pointers[i]->users()) {
        const auto* at = llvm::cast<llvm::Instruction>(user);
        used.insert(at->getParent());
        if (llvm::isa<llvm::GetElementPtrInst>(at))
          pointers.push_back(at);
        else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(at)) {
          if (store->getValueOperand() == pointers[i]) return false;
        } else if (!llvm::isa<llvm::LoadInst>(at) && !llvm::isa<llvm::MemIntrinsic>(at))
          return false;
      }
    }
    int regions = 0;
    for (unsigned state = 0; state <= suspends_.size(); ++state) {
      const auto blocks = blocks_of(state);
      regions +=
          llvm::any_of(used, [&](const llvm::BasicBlock* block) { return blocks.contains(const_cast<llvm::BasicBlock*>(block)); })
              ? 1
              : 0;
    }
    return regions <= 1;
  }

  std::uint64_t take_slot(std::uint64_t bytes, std::uint64_t align) {
    bytes = llvm::alignTo(bytes, align);
    thread_bytes_ += bytes;
    frame_bytes_ = llvm::alignTo(frame_bytes_, std::max<std::uint64_t>(align, 64));
    const std::uint64_t at = frame_bytes_;
    frame_bytes_ += bytes * kThreads + 64;  // not all arrays at the same place of a page
    return at;
  }

  bool place_allocas() {
    for (llvm::BasicBlock& block : kernel_) {
      for (llvm::Instruction& at : block) {
        auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&at);
        if (alloca == nullptr) continue;
        has_variables_ = true;
        if (is_of_one_region(*alloca)) continue;
        auto size = alloca->getAllocationSize(layout_);
        if (!size) return false;
        kept_variables_[alloca] = {take_slot(size->getFixedValue(), alloca->getAlign().value()),
                                   llvm::alignTo(size->getFixedValue(), alloca->getAlign())};
      }
    }
    return thread_bytes_ <= kThreadBytesMax;
  }

  bool place_values() {
    for (const Suspend& suspend : suspends_) {
      for (Value* value : suspend.live) {
        int budget = kRepeatMax;
        if (slots_.count(value) > 0 || can_repeat(value, budget)) continue;
        const std::uint64_t bytes = layout_.getTypeAllocSize(value->getType()).getFixedValue();
        if (divergent_.count(value) > 0) {
          slots_[value] = {take_slot(bytes, layout_.getABITypeAlign(value->getType()).value()), false};
        } else {
          uniform_bytes_ = llvm::alignTo(uniform_bytes_, layout_.getABITypeAlign(value->getType()));
          slots_[value] = {uniform_bytes_, true};
          uniform_bytes_ += bytes;
        }
      }
    }
    return thread_bytes_ <= kThreadBytesMax && uniform_bytes_ < 4096;
  }

  bool can_repeat(Value* value, int& budget) {
    if (llvm::isa<llvm::Constant>(value) || llvm::isa<llvm::Argument>(value)) return true;
    int axis = 0;
    if (is_builtin_load(value, axis)) return true;
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(value)) return kept_variables_.count(alloca) > 0;
    auto* at = llvm::dyn_cast<llvm::Instruction>(value);
    if (at == nullptr || --budget < 0) return false;
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(at);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address)
      return true;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(at); call != nullptr && rank_call(*call) != 0) return true;
    if (!llvm::isa<llvm::BinaryOperator>(at) && !llvm::isa<llvm::CastInst>(at) && !llvm::isa<llvm::GetElementPtrInst>(at) &&
        !llvm::isa<llvm::CmpInst>(at) && !llvm::isa<llvm::SelectInst>(at))
      return false;
    return llvm::all_of(at->operands(), [&](Value* operand) { return can_repeat(operand, budget); });
  }

  // Which question about the thread's rank a call asks: 1 lane, 2 warp, 3 rank; 0: none.
  static int rank_call(const llvm::CallInst& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) return 0;
    return callee->getName() == "__sb_lane"          ? 1
           : callee->getName() == "__sb_warp"        ? 2
           : callee->getName() == "__sb_thread_rank" ? 3
                                                     : 0;
  }

  struct Building {
    llvm::Function* function;
    Value *frame, *uniform_in, *uniform_out, *x, *y, *z, *rank;
    llvm::BasicBlock *entry, *start, *latch;
    llvm::ValueToValueMapTy map;
    std::map<const Value*, Value*> repeated, shared;
  };

  Value* place(llvm::IRBuilder<>& ir, Building& b, std::uint64_t offset, std::uint64_t bytes) {
    Value* index = ir.CreateZExt(b.rank, ir.getInt64Ty());
    Value* base = ir.CreateConstInBoundsGEP1_64(byte(), b.frame, offset);
    return ir.CreateInBoundsGEP(llvm::ArrayType::get(byte(), bytes), base, index);
  }

  // The value at the start of the region, computed again.
  Value* repeat(llvm::IRBuilder<>& ir, Building& b, Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return value;
    if (Value* known = b.map.lookup(value)) return known;
    if (auto found = b.repeated.find(value); found != b.repeated.end()) return found->second;
    int axis = 0;
    Value* result = nullptr;
    auto* at = llvm::cast<llvm::Instruction>(value);
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(at); call != nullptr && rank_call(*call) != 0) {
      result = rank_answer(ir, b, rank_call(*call));
    } else if (is_builtin_load(value, axis) && axis >= 0) {
      result = axis == 0 ? b.x : axis == 1 ? b.y : b.z;
    } else {
      llvm::Instruction* copy = at->clone();
      for (llvm::Use& use : copy->operands()) use.set(repeat(ir, b, use.get()));
      copy->setDebugLoc(llvm::DebugLoc());
      result = ir.Insert(copy);
    }
    b.repeated[value] = result;
    return result;
  }

  Value* rank_answer(llvm::IRBuilder<>& ir, Building& b, int question) {
    return question == 1 ? ir.CreateAnd(b.rank, ir.getInt32(31)) : question == 2 ? ir.CreateLShr(b.rank, 5) : b.rank;
  }

  Region build_region(unsigned state);
  void start_region(Building& b, unsigned state);
  void leave(Building& b, llvm::BasicBlock& end, int next, bool is_single);
  void keep_in_variables(Building& b, unsigned state);
  void finish_loop(Building& b);

  llvm::Function& kernel_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const llvm::DataLayout& layout_;
  std::vector<Suspend> suspends_;
  llvm::DenseSet<const Value*> divergent_;
  struct Slot {
    std::uint64_t offset;
    bool is_uniform;
  };
  std::map<Value*, Slot> slots_;
  std::map<llvm::AllocaInst*, std::pair<std::uint64_t, std::uint64_t>> kept_variables_;  // offset, bytes per thread
  std::map<Value*, Value*> entry_values_;
  std::uint64_t thread_bytes_ = 0, frame_bytes_ = kSlotsAt, uniform_bytes_ = 8;
  bool has_variables_ = false;
  const bool is_check_ = pass_options().is_check;
  std::vector<Region> regions_;
};

void Regions::start_region(Building& b, unsigned state) {
  llvm::IRBuilder<> entry(b.entry);
  llvm::StructType* arguments = type_of_arguments(kernel_);
  for (llvm::Argument& argument : kernel_.args()) {
    Value* at = entry.CreateStructGEP(arguments, b.function->getArg(1), argument.getArgNo());
    b.map[&argument] = entry.CreateLoad(argument.getType(), at);
  }
  // Built-in variables that all threads share are read before the loop.
  for (llvm::BasicBlock& block : kernel_) {
    for (llvm::Instruction& at : block) {
      int axis = 0;
      if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&at); alloca != nullptr && kept_variables_.count(alloca) == 0)
        b.shared[alloca] = b.map[alloca] = entry.Insert(alloca->clone());
      if (!is_builtin_load(&at, axis) || axis >= 0) continue;
      b.shared[&at] = repeat(entry, b, &at);
      b.map[&at] = b.shared[&at];
    }
  }
  llvm::IRBuilder<> ir(b.start);
  for (auto [alloca, kept] : kept_variables_) b.shared[alloca] = b.map[alloca] = place(ir, b, kept.first, kept.second);
  entry_values_.clear();
  if (state == 0) return;
  const Suspend& suspend = suspends_[state - 1];
  for (Value* value : suspend.live) {
    Value* loaded = nullptr;
    if (value == suspend.call) {
      const bool is_count = suspend.kind == SuspendKind::kCount;
      Value* raw = ir.CreateLoad(ir.getInt64Ty(), place(ir, b, kResultAt, 8));
      loaded = is_count || value->getType()->isIntegerTy(32) ? ir.CreateTrunc(raw, value->getType()) : raw;
    } else if (auto slot = slots_.find(value); slot == slots_.end()) {
      loaded = repeat(ir, b, value);
    } else if (slot->second.is_uniform) {
      loaded = entry.CreateLoad(value->getType(), entry.CreateConstInBoundsGEP1_64(byte(), b.uniform_in, slot->second.offset));
    } else {
      loaded = ir.CreateLoad(value->getType(), place(ir, b, slot->second.offset, layout_.getTypeAllocSize(value->getType())));
    }
    entry_values_[value] = loaded;
  }
}

// The end of a thread's way through the region: it waits at suspends_[next - 1], or has ended (0).
void Regions::leave(Building& b, llvm::BasicBlock& end, int next, bool is_single) {
  llvm::IRBuilder<> ir(end.getTerminator());
  ir.SetCurrentDebugLocation(llvm::DebugLoc());
  auto mapped = [&](Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return value;
    Value* found = b.map.lookup(value);
    return found != nullptr ? found : entry_values_.at(value);
  };
  if (next > 0) {
    const Suspend& suspend = suspends_[static_cast<unsigned>(next) - 1];
    auto give = [&](std::uint64_t at, unsigned argument, llvm::Type* type) {
      Value* value = mapped(suspend.call->getArgOperand(argument));
      if (value->getType()->isPointerTy()) value = ir.CreatePtrToInt(value, type);
      ir.CreateStore(ir.CreateZExtOrTrunc(value, type), place(ir, b, at, layout_.getTypeAllocSize(type)));
    };
    if (suspend.kind == SuspendKind::kCount) give(kValueAt, 0, ir.getInt64Ty());
    if (suspend.kind > SuspendKind::kCount) {
      if (!suspend.is_whole_warp) give(kMaskAt, 0, ir.getInt32Ty());
      if (suspend.kind != SuspendKind::kSyncWarp) give(kValueAt, 1, ir.getInt64Ty());
      if (suspend.kind == SuspendKind::kShuffle) give(kSourceAt, 2, ir.getInt32Ty());
      if (suspend.kind == SuspendKind::kGather) give(kPointerAt, 2, ir.getInt64Ty());
    }
    for (Value* value : suspend.live) {
      if (value == suspend.call) continue;
      auto slot = slots_.find(value);
      if (slot == slots_.end()) continue;
      Value* to = slot->second.is_uniform ? ir.CreateConstInBoundsGEP1_64(byte(), b.uniform_out, slot->second.offset)
                                          : place(ir, b, slot->second.offset, layout_.getTypeAllocSize(value->getType()));
      ir.CreateStore(mapped(value), to);
    }
  }
  if (!is_single) ir.CreateStore(ir.getInt8(static_cast<std::uint8_t>(next)), place(ir, b, kNextAt, 1));
  ir.CreateBr(b.latch);
  end.getTerminator()->eraseFromParent();
}

// Values that enter the region and are computed in it again (in a loop) have two origins: they go through a variable.
void Regions::keep_in_variables(Building& b, unsigned state) {
  if (state == 0) return;
  for (Value* value : suspends_[state - 1].live) {
    auto* copy = llvm::dyn_cast_or_null<llvm::Instruction>(b.map.lookup(value));
    if (copy == nullptr || copy == entry_values_[value] || copy->getParent()->getParent() != b.function) continue;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(copy)) {
      llvm::AllocaInst* variable = llvm::DemotePHIToStack(phi, b.entry->getFirstNonPHIOrDbg()->getIterator());
      copy = nullptr;
      for (llvm::User* user : variable->users()) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) copy = load;
      }
      if (copy == nullptr) continue;
    }
    llvm::AllocaInst* variable = llvm::DemoteRegToStack(*copy, false, b.entry->getFirstNonPHIOrDbg()->getIterator());
    if (variable == nullptr) continue;
    llvm::IRBuilder<>(b.start->getTerminator()).CreateStore(entry_values_[value], variable);
  }
}

// What a check calls at accesses.
bool is_checkers(llvm::StringRef name) {
  return llvm::is_contained({"__sb_read", "__sb_write", "__sb_write_value", "__sb_atomic", "__sb_copy", "__sb_fill", "__sb_local"},
                            name);
}

// Threads between two waits do not depend on each other: the loop over them is free of dependences, but for variables it reuses.
void Regions::finish_loop(Building& b) {
  llvm::MDNode* group = llvm::MDNode::getDistinct(context_, {});
  bool needs_thread = false, has_local = false;
  for (llvm::BasicBlock& block : *b.function) {
    for (llvm::Instruction& at : block) {
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&at); call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call)) {
        const llvm::Function* callee = call->getCalledFunction();
        needs_thread |= callee == nullptr || !callee->isDeclaration() || (callee->getName().starts_with("__sb_") && !is_checkers(callee->getName()));
      }
      if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&at)) has_local |= !alloca->getAllocatedType()->isSingleValueType();
    }
  }
  for (llvm::BasicBlock& block : *b.function) {
    if (has_local) break;
    for (llvm::Instruction& at : block) {
      const Value* to = llvm::getLoadStorePointerOperand(&at);
      if (to != nullptr && !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(to)))
        at.setMetadata(llvm::LLVMContext::MD_access_group, group);
    }
  }
  if (needs_thread) {
    llvm::IRBuilder<> ir(llvm::cast<llvm::Instruction>(b.rank)->getNextNode());
    ir.CreateCall(module_.getOrInsertFunction("__sb_set_thread", ir.getVoidTy(), word(), word(), word(), word()),
                  {b.rank, b.x, b.y, b.z});
  } else if (is_check_) {  // the checkers ask who it is
    llvm::IRBuilder<> entry(b.entry->getTerminator());
    Value* current = entry.CreateLoad(pointer(), entry.CreateConstInBoundsGEP1_64(byte(), b.frame, kCurrentAt));
    llvm::IRBuilder<> ir(llvm::cast<llvm::Instruction>(b.rank)->getNextNode());
    ir.CreateStore(b.rank, current);
  }
  llvm::Metadata* parts[] = {nullptr,
                             llvm::MDNode::get(context_, {llvm::MDString::get(context_, "llvm.loop.parallel_accesses"), group}),
                             llvm::MDNode::get(context_, {llvm::MDString::get(context_, "llvm.loop.mustprogress")})};
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context_, parts);
  loop->replaceOperandWith(0, loop);
  b.latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

Region Regions::build_region(unsigned state) {
  const auto blocks = blocks_of(state);
  llvm::DenseMap<llvm::BasicBlock*, int> leaves;  // block that ends in a wait -> state
  std::set<int> targets;
  for (llvm::BasicBlock* block : blocks) {
    for (unsigned i = 0; i < suspends_.size(); ++i) {
      if (suspends_[i].before != block) continue;
      leaves[block] = static_cast<int>(i) + 1;
      targets.insert(static_cast<int>(i) + 1);
    }
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) targets.insert(0);
  }
  const bool is_single = targets.size() <= 1;
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context_),
                              {pointer(), pointer(), pointer(), pointer(), word(), word(), word(), word(), word()}, false);
  Building b;
  b.function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                      "__sb_region" + std::to_string(state) + "$" + kernel_.getName(), module_);
  for (llvm::StringRef kind : {"target-cpu", "target-features", "frame-pointer", "no-trapping-math", "tune-cpu"}) {
    if (kernel_.hasFnAttribute(kind)) b.function->addFnAttr(kernel_.getFnAttribute(kind));
  }
  b.function->setDoesNotThrow();
  for (unsigned i = 0; i < 4; ++i) b.function->addParamAttr(i, llvm::Attribute::NoAlias);
  b.frame = b.function->getArg(0), b.uniform_in = b.function->getArg(2), b.uniform_out = b.function->getArg(3);
  b.y = b.function->getArg(6), b.z = b.function->getArg(7);
  b.entry = llvm::BasicBlock::Create(context_, "entry", b.function);
  b.start = llvm::BasicBlock::Create(context_, "thread", b.function);
  llvm::IRBuilder<> ir(b.start);
  llvm::PHINode* x = ir.CreatePHI(word(), 2);
  b.x = x;
  b.rank = ir.CreateAdd(b.function->getArg(8), x, "rank", true, true);
  start_region(b, state);
  for (llvm::BasicBlock* block : blocks) {
    llvm::BasicBlock* copy = llvm::CloneBasicBlock(block, b.map, "", b.function);
    b.map[block] = copy;
  }
  b.latch = llvm::BasicBlock::Create(context_, "latch", b.function);
  // What is known at the start stands for values that the region does not compute itself.
  for (auto [value, loaded] : entry_values_) {
    if (!blocks.contains(llvm::cast<llvm::Instruction>(value)->getParent())) b.map[value] = loaded;
  }
  // Built-in variables, ranks and kept variables are what the start of the region says, wherever the kernel asks.
  for (llvm::BasicBlock* block : blocks) {
    for (llvm::Instruction& original : *block) {
      int axis = 0;
      auto* call = llvm::dyn_cast<llvm::CallInst>(&original);
      Value* instead = nullptr;
      llvm::IRBuilder<> at(b.start);
      if (auto found = b.shared.find(&original); found != b.shared.end())
        instead = found->second;
      else if (is_builtin_load(&original, axis))
        instead = axis == 0 ? b.x : axis == 1 ? b.y : b.z;
      else if (call != nullptr && rank_call(*call) != 0)
        instead = rank_answer(at, b, rank_call(*call));
      else
        continue;
      llvm::cast<llvm::Instruction>(b.map[&original])->eraseFromParent();
      b.map[&original] = instead;
    }
  }
  for (llvm::BasicBlock* block : blocks) {
    auto* copy = llvm::cast<llvm::BasicBlock>(b.map[block]);
    for (llvm::PHINode& phi : llvm::make_early_inc_range(copy->phis())) {
      for (unsigned i = phi.getNumIncomingValues(); i > 0; --i) {
        if (!blocks.contains(phi.getIncomingBlock(i - 1))) phi.removeIncomingValue(i - 1, false);
      }
    }
    for (llvm::Instruction& at : *copy)
      llvm::RemapInstruction(&at, b.map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    if (auto leaf = leaves.find(block); leaf != leaves.end())
      leave(b, *copy, leaf->second, is_single);
    else if (llvm::isa<llvm::ReturnInst>(copy->getTerminator()))
      leave(b, *copy, 0, is_single);
  }
  ir.SetInsertPoint(b.start);
  ir.CreateBr(llvm::cast<llvm::BasicBlock>(b.map[start_of(state)]));
  llvm::IRBuilder<> entry(b.entry);
  entry.CreateBr(b.start);
  ir.SetInsertPoint(b.latch);
  Value* next = ir.CreateAdd(x, ir.getInt32(1), "", true, true);
  auto* done = llvm::BasicBlock::Create(context_, "done", b.function);
  ir.CreateCondBr(ir.CreateICmpSLT(next, b.function->getArg(5)), b.start, done);
  ir.SetInsertPoint(done);
  ir.CreateRetVoid();
  x->addIncoming(b.function->getArg(4), b.entry);
  x->addIncoming(next, b.latch);
  // Variables of the region stand at its entry, where the compiler can take them apart.
  for (llvm::BasicBlock& block : *b.function) {
    for (llvm::Instruction& at : llvm::make_early_inc_range(block)) {
      if (llvm::isa<llvm::AllocaInst>(at) && &block != b.entry) at.moveBefore(b.entry->getFirstNonPHIOrDbg());
    }
  }
  keep_in_variables(b, state);
  finish_loop(b);
  keep_kernel_lines(kernel_, *b.function);
  return {b.function, !is_single ? -1 : targets.empty() ? 0 : *targets.begin()};
}

}  // namespace

bool build_regions(llvm::Function& kernel) {
  if (!can_be_cut(kernel)) return false;
  return Regions(kernel).build();
}

}  // namespace starbridge::emulate
