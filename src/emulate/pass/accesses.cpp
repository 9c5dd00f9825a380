// Accesses of memory that other threads may see: told to the checker, or, when nothing is checked, used as the places where the
// lanes of a warp keep step for old code that counts on it.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

// The built-in variables and constants that the compiler itself made.
bool is_compilers_own(const llvm::Value* pointer) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer));
  if (global == nullptr) {
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(llvm::getUnderlyingObject(pointer)))
      return call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address;
    return false;
  }
  return global->isThreadLocal() || global->isConstant();
}

namespace {

// Flags of an access, in step with runtime/access.h.
constexpr std::uint32_t kIsVolatile = 1U << 8;

bool is_device_code(const llvm::Function& function) {
  return !function.isDeclaration() && !function.getName().starts_with("__sb_");
}

// Variables of the thread itself, at a place known now.
bool is_own_register(const llvm::Value* pointer, std::uint64_t bytes, const llvm::DataLayout& layout) {
  llvm::APInt offset(64, 0);
  const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(base);
  if (alloca == nullptr) {
    const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
    return argument != nullptr && argument->hasByValAttr();
  }
  std::optional<llvm::TypeSize> size = alloca->getAllocationSize(layout);
  return size && offset.getSExtValue() >= 0 && offset.getZExtValue() + bytes <= size->getFixedValue();
}

class Instrumenter {
 public:
  explicit Instrumenter(llvm::Module& module) : layout_(module.getDataLayout()) {
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* nothing = llvm::Type::getVoidTy(context);
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    llvm::Type* word = llvm::Type::getInt32Ty(context);
    llvm::Type* length = llvm::Type::getInt64Ty(context);
    read_ = module.getOrInsertFunction("__sb_read", nothing, pointer, word, word);
    write_ = module.getOrInsertFunction("__sb_write", nothing, pointer, word, word);
    write_value_ = module.getOrInsertFunction("__sb_write_value", nothing, pointer, word, word, length);
    atomic_ = module.getOrInsertFunction("__sb_atomic", nothing, pointer, word, word);
    copy_ = module.getOrInsertFunction("__sb_copy", nothing, pointer, pointer, length, word);
    fill_ = module.getOrInsertFunction("__sb_fill", nothing, pointer, length, word);
    local_ = module.getOrInsertFunction("__sb_local", nothing, pointer, length, pointer, length);
  }

  void instrument(llvm::Function& function) {
    llvm::SmallVector<llvm::Instruction*, 64> instructions;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) instructions.push_back(&instruction);
    }
    for (llvm::Instruction* instruction : instructions) visit(*instruction);
  }

 private:
  void visit(llvm::Instruction& at) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
      tell(load->isAtomic() ? atomic_ : read_, at, load->getPointerOperand(), load->getType(), load->getAlign(),
           load->isVolatile());
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
      tell(store->isAtomic() ? atomic_ : write_, at, store->getPointerOperand(), store->getValueOperand()->getType(),
           store->getAlign(), store->isVolatile(), store->isAtomic() ? nullptr : store->getValueOperand());
      if (!store->isAtomic()) store->setAlignment(llvm::Align(1));
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&at)) {
      tell(atomic_, at, update->getPointerOperand(), update->getValOperand()->getType(), update->getAlign(), false);
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&at)) {
      tell(atomic_, at, exchange->getPointerOperand(), exchange->getCompareOperand()->getType(), exchange->getAlign(), false);
    } else if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&at)) {
      llvm::IRBuilder<> builder(&at);
      std::uint32_t align = static_cast<std::uint32_t>(
          std::min(transfer->getDestAlign().valueOrOne().value(), transfer->getSourceAlign().valueOrOne().value()));
      builder.CreateCall(copy_, {transfer->getDest(), transfer->getSource(),
                                 builder.CreateZExt(transfer->getLength(), builder.getInt64Ty()), builder.getInt32(align)});
    } else if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(&at)) {
      llvm::IRBuilder<> builder(&at);
      builder.CreateCall(fill_, {set->getDest(), builder.CreateZExt(set->getLength(), builder.getInt64Ty()),
                                 builder.getInt32(static_cast<std::uint32_t>(set->getDestAlign().valueOrOne().value()))});
    }
  }

  void tell(llvm::FunctionCallee callee, llvm::Instruction& at, llvm::Value* pointer, llvm::Type* type, llvm::Align align,
            bool is_volatile, llvm::Value* value = nullptr) {
    std::uint64_t bytes = layout_.getTypeStoreSize(type).getFixedValue();
    if (is_own_register(pointer, bytes, layout_) || is_compilers_own(pointer)) return;
    llvm::IRBuilder<> builder(&at);
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer))) {
      std::optional<llvm::TypeSize> size = alloca->getAllocationSize(layout_);
      if (size) builder.CreateCall(local_, {pointer, builder.getInt64(bytes), alloca, builder.getInt64(size->getFixedValue())});
      return;
    }
    std::uint32_t flags =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(align.value(), 16)) | (is_volatile ? kIsVolatile : 0);
    if (llvm::Value* raw = raw_bits(builder, value, bytes)) {
      // Two threads that store the same value do no harm.
      builder.CreateCall(write_value_,
                         {pointer, builder.getInt32(static_cast<std::uint32_t>(bytes)), builder.getInt32(flags), raw});
      return;
    }
    builder.CreateCall(callee, {pointer, builder.getInt32(static_cast<std::uint32_t>(bytes)), builder.getInt32(flags)});
  }

  // A stored value of up to 8 bytes as a 64-bit word, or nullptr.
  llvm::Value* raw_bits(llvm::IRBuilder<>& builder, llvm::Value* value, std::uint64_t bytes) {
    if (value == nullptr || bytes > 8) return nullptr;
    llvm::Type* type = value->getType();
    llvm::Type* bits = builder.getIntNTy(static_cast<unsigned>(bytes) * 8);
    if (type->isPointerTy())
      value = builder.CreatePtrToInt(value, bits);
    else if (type->isIntegerTy() && type != bits)
      value = builder.CreateZExt(value, bits);
    else if (type->getPrimitiveSizeInBits() == bytes * 8)
      value = builder.CreateBitCast(value, bits);
    else
      return nullptr;
    return builder.CreateZExt(value, builder.getInt64Ty());
  }

  const llvm::DataLayout& layout_;
  llvm::FunctionCallee write_value_;
  llvm::FunctionCallee read_, write_, atomic_, copy_, fill_, local_;
};

}  // namespace

namespace {

// Two barriers in the two arms of a branch are two barriers to the user, whatever they could be merged to.
void keep_calls_apart(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      llvm::StringRef name = call->getCalledFunction()->getName();
      if (name == "__syncthreads" || name.starts_with("__sb_")) call->addFnAttr(llvm::Attribute::NoMerge);
    }
  }
}

}  // namespace

void instrument_accesses(llvm::Module& module) {
  Instrumenter instrumenter(module);
  for (llvm::Function& function : module) {
    if (!is_device_code(function)) continue;
    instrumenter.instrument(function);
    keep_calls_apart(function);
  }
}

void mark_volatile_steps(llvm::Module& module) {
  llvm::FunctionCallee step = module.getOrInsertFunction("__sb_warp_step", llvm::Type::getVoidTy(module.getContext()));
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Function& function : module) {
    if (!is_device_code(function)) continue;
    llvm::SmallVector<llvm::Instruction*, 16> accesses;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        bool is_volatile = (load != nullptr && load->isVolatile()) || (store != nullptr && store->isVolatile());
        if (is_volatile && !is_own_register(llvm::getLoadStorePointerOperand(&instruction), 1, layout))
          accesses.push_back(&instruction);
      }
    }
    for (llvm::Instruction* access : accesses) {
      llvm::IRBuilder<> builder(access->getNextNode());
      builder.CreateCall(step);
    }
  }
}

}  // namespace starbridge::emulate
