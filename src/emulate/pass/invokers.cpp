// The host half: what a launch passes is an array of addresses, one per parameter of the kernel. The stub that Clang writes shows
// which part of which parameter each argument of the machine-level signature is; an invoker is that stub turned round.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <optional>
#include <vector>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

namespace {

// Where one machine-level argument lies: at `offset` bytes of the parameter in `slot`; or it is that parameter's address.
struct Origin {
  unsigned slot = 0;
  std::int64_t offset = 0;
  llvm::Type* stored_as = nullptr;  // nullptr: the address itself
};

using Slots = llvm::DenseMap<const llvm::Value*, unsigned>;

const llvm::Value* base_of(const llvm::Value* pointer, std::int64_t& offset, const llvm::DataLayout& layout) {
  llvm::APInt bytes(64, 0);
  const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, bytes, true);
  offset = bytes.getSExtValue();
  return base;
}

// The slot whose parameter lives in `storage`, directly or after a copy as a whole.
std::optional<unsigned> slot_of(const llvm::Value* storage, const Slots& slots) {
  if (auto found = slots.find(storage); found != slots.end()) return found->second;
  for (const llvm::User* user : storage->users()) {
    const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user);
    if (copy == nullptr || copy->getSource() != storage) continue;
    if (auto found = slots.find(copy->getDest()); found != slots.end()) return found->second;
  }
  return std::nullopt;
}

std::optional<Origin> origin_of(const llvm::Argument& argument, const Slots& slots, const llvm::DataLayout& layout) {
  if (auto found = slots.find(&argument); found != slots.end()) return Origin{found->second, 0, nullptr};
  llvm::SmallVector<const llvm::Value*, 4> values = {&argument};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const llvm::User* user : values[i]->users()) {
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user); store != nullptr && store->getValueOperand() == values[i]) {
        std::int64_t offset = 0;
        const llvm::Value* base = base_of(store->getPointerOperand(), offset, layout);
        if (std::optional<unsigned> slot = slot_of(base, slots)) return Origin{*slot, offset, values[i]->getType()};
      } else if (llvm::isa<llvm::CastInst>(user)) {
        values.push_back(user);  // a bool is widened before it is stored
      }
    }
  }
  return std::nullopt;
}

// The array of addresses the stub gives to cudaLaunchKernel, as "address -> index".
Slots slots_of(const llvm::CallBase& launch, const llvm::DataLayout& layout) {
  Slots slots;
  const llvm::Value* array = nullptr;
  for (const llvm::Value* operand : launch.args()) {
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(operand);
    if (alloca != nullptr && alloca->getAllocatedType()->isPointerTy()) array = alloca;
  }
  if (array == nullptr) return slots;
  llvm::SmallVector<const llvm::Value*, 16> pointers = {array};
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    for (const llvm::User* user : pointers[i]->users()) {
      if (llvm::isa<llvm::GetElementPtrInst>(user)) pointers.push_back(user);
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (store == nullptr || store->getPointerOperand() != pointers[i]) continue;
      std::int64_t offset = 0;
      base_of(pointers[i], offset, layout);
      slots[store->getValueOperand()] = static_cast<unsigned>(offset / 8);
    }
  }
  return slots;
}

// void invoker(kernel, addresses): loads every argument and calls. nullptr when an argument cannot be traced.
llvm::Function* make_invoker(llvm::Module& module, llvm::Function& stub, const llvm::CallBase& launch) {
  const llvm::DataLayout& layout = module.getDataLayout();
  Slots slots = slots_of(launch, layout);
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  auto* invoker = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "__sb_invoke$" + stub.getName(), module);
  invoker->setDoesNotThrow();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", invoker));
  llvm::SmallVector<llvm::Value*, 16> arguments;
  for (llvm::Argument& argument : stub.args()) {
    std::optional<Origin> origin = origin_of(argument, slots, layout);
    if (!origin) {
      invoker->eraseFromParent();
      return nullptr;
    }
    llvm::Value* place = builder.CreateConstGEP1_32(pointer, invoker->getArg(1), origin->slot);
    llvm::Value* address = builder.CreateAlignedLoad(pointer, place, llvm::Align(8));
    if (origin->stored_as == nullptr) {
      arguments.push_back(address);
      continue;
    }
    llvm::Value* value = builder.CreateAlignedLoad(
        origin->stored_as, builder.CreateConstGEP1_64(builder.getInt8Ty(), address, origin->offset), llvm::Align(1));
    if (value->getType() != argument.getType()) value = builder.CreateTrunc(value, argument.getType());
    arguments.push_back(value);
  }
  llvm::CallInst* call = builder.CreateCall(stub.getFunctionType(), invoker->getArg(0), arguments);
  call->setCallingConv(stub.getCallingConv());
  llvm::AttributeList attributes = stub.getAttributes();
  for (unsigned i = 0; i < arguments.size(); ++i) {
    for (llvm::Attribute attribute : attributes.getParamAttrs(i)) call->addParamAttr(i, attribute);
  }
  builder.CreateRetVoid();
  return invoker;
}

// How many bytes each parameter takes, in order: a graph keeps them after the launch.
llvm::Constant* sizes_of(llvm::Module& module, const Slots& slots) {
  const llvm::DataLayout& layout = module.getDataLayout();
  std::vector<std::uint32_t> sizes;
  for (auto [value, slot] : slots) {
    if (sizes.size() <= slot) sizes.resize(slot + 1, 0);
    if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(value))
      sizes[slot] = static_cast<std::uint32_t>(layout.getTypeAllocSize(alloca->getAllocatedType()));
    else if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value); argument != nullptr && argument->hasByValAttr())
      sizes[slot] = static_cast<std::uint32_t>(layout.getTypeAllocSize(argument->getParamByValType()));
  }
  sizes.push_back(~0U);  // the end
  auto* data = llvm::ConstantDataArray::get(module.getContext(), sizes);
  return new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data);
}

}  // namespace

bool add_invokers(llvm::Module& module) {
  llvm::Function* launch = module.getFunction("cudaLaunchKernel");
  if (launch == nullptr) return false;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* nothing = llvm::Type::getVoidTy(context);
  llvm::FunctionCallee announce = module.getOrInsertFunction("__sb_register_invoker", nothing, pointer, pointer, pointer);
  auto* constructor = llvm::Function::Create(llvm::FunctionType::get(nothing, false), llvm::GlobalValue::InternalLinkage,
                                             "__sb_register_invokers", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", constructor));
  bool any = false;
  for (llvm::User* user : llvm::make_early_inc_range(launch->users())) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call == nullptr || call->getCalledFunction() != launch) continue;
    // The call of a stub passes the stub itself; other calls are the user's own.
    llvm::Function* stub = call->getFunction();
    if (call->getArgOperand(0)->stripPointerCasts() != stub || !stub->getName().contains("__device_stub__")) continue;
    llvm::Function* invoker = make_invoker(module, *stub, *call);
    llvm::Value* address =
        invoker == nullptr ? static_cast<llvm::Value*>(llvm::ConstantPointerNull::get(builder.getPtrTy())) : invoker;
    builder.CreateCall(announce, {stub, address, sizes_of(module, slots_of(*call, module.getDataLayout()))});
    any = true;
  }
  builder.CreateRetVoid();
  if (any)
    llvm::appendToGlobalCtors(module, constructor, 0);
  else
    constructor->eraseFromParent();
  return any;
}

}  // namespace starbridge::emulate
