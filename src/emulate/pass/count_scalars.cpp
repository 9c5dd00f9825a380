// Scalar work for the modelled clocks: per basic block the number of plain instructions, divisions and calls of functions; per
// load and store its address. Instructions that the optimiser made vectors of count once per element: the chips' scalar units
// have none.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

namespace {

struct Work {
  std::uint32_t plain = 0, divisions = 0, functions = 0;
};

std::uint32_t elements_of(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

bool is_free_intrinsic(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::threadlocal_address:
      return true;
    default:
      return llvm::isa<llvm::DbgInfoIntrinsic>(call);
  }
}

bool is_division(const llvm::Instruction& at) {
  switch (at.getOpcode()) {
    case llvm::Instruction::SDiv:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SRem:
    case llvm::Instruction::URem:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
      return true;
    default:
      return false;
  }
}

void add(Work& work, const llvm::Instruction& at) {
  if (llvm::isa<llvm::PHINode>(at) || llvm::isa<llvm::BitCastInst>(at) || llvm::isa<llvm::AllocaInst>(at)) return;
  // Loads and stores are told one by one.
  if (llvm::isa<llvm::LoadInst>(at) || llvm::isa<llvm::StoreInst>(at)) return;
  if (const auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(&at); place != nullptr && place->hasAllConstantIndices())
    return;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&at)) {
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call)) {
      if (is_free_intrinsic(*intrinsic)) return;
      if (intrinsic->getIntrinsicID() == llvm::Intrinsic::sqrt)
        work.divisions += elements_of(at.getType());
      else
        work.plain += elements_of(at.getType());
      return;
    }
    const llvm::Function* callee = call->getCalledFunction();
    // The runtime keeps the time of its own calls; a function of the program counts in its own blocks.
    if (callee == nullptr || callee->getName().starts_with("__sb_")) return;
    if (callee->isDeclaration())
      ++work.functions;
    else
      work.plain += 2;
    return;
  }
  const std::uint32_t elements = elements_of(at.getType());
  if (is_division(at))
    work.divisions += elements;
  else
    work.plain += elements;
}

void count(llvm::Function& function, llvm::FunctionCallee spend, llvm::FunctionCallee touch) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::BasicBlock& block : function) {
    Work work;
    llvm::SmallVector<llvm::Instruction*, 16> accesses;
    for (llvm::Instruction& at : block) {
      add(work, at);
      if (llvm::getLoadStorePointerOperand(&at) != nullptr) accesses.push_back(&at);
    }
    for (llvm::Instruction* at : accesses) {
      llvm::Value* pointer = llvm::getLoadStorePointerOperand(at);
      if (is_compilers_own(pointer) || llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer))) continue;
      auto* store = llvm::dyn_cast<llvm::StoreInst>(at);
      llvm::Type* type = store != nullptr ? store->getValueOperand()->getType() : at->getType();
      const std::uint32_t elements = elements_of(type);
      const auto bytes = static_cast<std::uint32_t>(layout.getTypeStoreSize(type).getFixedValue()) / elements;
      llvm::IRBuilder<> builder(at);
      for (std::uint32_t i = 0; i < elements; ++i) {
        llvm::Value* place = i == 0 ? pointer : builder.CreateConstGEP1_32(builder.getInt8Ty(), pointer, i * bytes);
        builder.CreateCall(touch, {place, builder.getInt32(bytes), builder.getInt32(store != nullptr ? 1 : 0)});
      }
    }
    if (work.plain + work.divisions + work.functions == 0) continue;
    llvm::IRBuilder<> builder(&*block.getFirstInsertionPt());
    // A call in a function with debug information needs a place.
    for (llvm::Instruction& at : block) {
      if (at.getDebugLoc()) {
        builder.SetCurrentDebugLocation(at.getDebugLoc());
        break;
      }
    }
    builder.CreateCall(spend, {builder.getInt32(work.plain), builder.getInt32(work.divisions), builder.getInt32(work.functions)});
  }
}

}  // namespace

void count_scalars(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* nothing = llvm::Type::getVoidTy(context);
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  llvm::FunctionCallee spend = module.getOrInsertFunction("__sb_spend", nothing, word, word, word);
  llvm::FunctionCallee touch =
      module.getOrInsertFunction("__sb_touch", nothing, llvm::PointerType::getUnqual(context), word, word);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.getName().starts_with("__sb_")) count(function, spend, touch);
  }
}

}  // namespace starbridge::emulate
