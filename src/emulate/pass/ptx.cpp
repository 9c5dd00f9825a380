// Inline PTX: each asm statement of device code becomes the IR of its instructions. What is not in the tables is refused at its
// line.
#include "emulate/pass/ptx.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

bool read_type(const std::string& word, PtxType& type) {
  if (word == "pred") return type = {'p', 1, false}, true;
  if (word == "f16x2") return type = {'h', 32, true}, true;
  if (word == "bf16x2") return type = {'e', 32, true}, true;
  if (word == "f16") return type = {'h', 16, false}, true;
  if (word == "bf16") return type = {'e', 16, false}, true;
  if (word == "tf32") return type = {'f', 32, false}, true;
  if (word.size() < 2 || std::string_view("usbf").find(word[0]) == std::string_view::npos) return false;
  const std::string digits = word.substr(1);
  if (digits != "8" && digits != "16" && digits != "32" && digits != "64" && digits != "128") return false;
  type = {word[0], static_cast<unsigned>(std::atoi(digits.c_str())), false};
  return true;
}

PtxEmitter::PtxEmitter(llvm::CallInst& call, const PtxText& text)
    : call_(call),
      module_(*call.getModule()),
      builder_(&call),
      entry_(&call.getFunction()->getEntryBlock(), call.getFunction()->getEntryBlock().begin()),
      text_(text) {
  auto room = [&](llvm::Type* type) { return entry_.CreateAlloca(type); };
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  llvm::Type* result = call.getType();
  std::vector<llvm::Type*> types;
  if (auto* many = llvm::dyn_cast<llvm::StructType>(result))
    types.assign(many->element_begin(), many->element_end());
  else if (!result->isVoidTy())
    types.push_back(result);
  outputs_ = static_cast<unsigned>(types.size());
  for (llvm::Type* type : types) {
    arguments_.push_back(room(type));
    builder_.CreateStore(llvm::Constant::getNullValue(type), arguments_.back());
  }
  // Tied inputs start their output; the others get registers of their own.
  unsigned operand = 0;
  for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly->ParseConstraints()) {
    if (constraint.Type != llvm::InlineAsm::isInput) continue;
    llvm::Value* value = call.getArgOperand(operand++);
    if (constraint.hasMatchingInput() ||
        (!constraint.Codes.empty() && std::isdigit(static_cast<unsigned char>(constraint.Codes[0][0])) != 0)) {
      const unsigned tied = static_cast<unsigned>(std::atoi(constraint.Codes[0].c_str()));
      if (tied < outputs_) builder_.CreateStore(value, arguments_[tied]);
      arguments_.push_back(nullptr);
      arguments_.back() = tied < outputs_ ? arguments_[tied] : nullptr;
      continue;
    }
    if (value->getType()->isAggregateType()) {
      arguments_.push_back(nullptr);
      continue;
    }
    arguments_.push_back(room(value->getType()));
    builder_.CreateStore(value, arguments_.back());
  }
  for (const PtxRegister& each : text.registers) {
    PtxType type;
    if (!read_type(each.type, type)) continue;
    registers_[each.name] = room(builder_.getIntNTy(type.bits));
    builder_.CreateStore(builder_.getIntN(type.bits, 0), registers_[each.name]);
  }
}

llvm::Type* PtxEmitter::llvm_type(const PtxType& type) {
  if (type.kind == 'f') return type.bits == 64 ? builder_.getDoubleTy() : builder_.getFloatTy();
  llvm::Type* scalar = type.kind == 'h' ? builder_.getHalfTy() : type.kind == 'e' ? builder_.getBFloatTy() : nullptr;
  if (scalar != nullptr) return type.is_packed ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(scalar, 2)) : scalar;
  return builder_.getIntNTy(type.bits);
}

llvm::AllocaInst* PtxEmitter::slot_of(const PtxOperand& operand) {
  if (operand.kind == PtxOperand::Kind::kArgument)
    return operand.argument < arguments_.size() ? arguments_[operand.argument] : nullptr;
  auto found = registers_.find(operand.name);
  return found == registers_.end() ? nullptr : found->second;
}

llvm::Value* PtxEmitter::value(const PtxOperand& operand, const PtxType& type) {
  llvm::Type* wanted = llvm_type(type);
  const unsigned width = type.is_packed ? 32 : type.bits;
  llvm::Value* raw = nullptr;
  switch (operand.kind) {
    case PtxOperand::Kind::kNumber: {
      double number = 0;
      if (operand.number_type == 'f')
        number = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.number)));
      else if (operand.number_type == 'd')
        number = std::bit_cast<double>(operand.number);
      else
        number = static_cast<double>(static_cast<std::int64_t>(operand.number));
      if (type.is_float() && !type.is_packed) return llvm::ConstantFP::get(wanted, number);
      raw = builder_.getIntN(width, width >= 64 ? operand.number : operand.number & ((std::uint64_t{1} << width) - 1));
      break;
    }
    case PtxOperand::Kind::kSpecial:
      raw = special(operand.name);
      break;
    case PtxOperand::Kind::kSink:
      return llvm::Constant::getNullValue(wanted);
    default: {
      llvm::AllocaInst* slot = slot_of(operand);
      if (slot == nullptr) return llvm::Constant::getNullValue(wanted);
      raw = builder_.CreateLoad(slot->getAllocatedType(), slot);
    }
  }
  if (raw->getType()->isPointerTy()) raw = builder_.CreatePtrToInt(raw, builder_.getInt64Ty());
  if (!raw->getType()->isIntegerTy())
    raw = builder_.CreateBitCast(raw, builder_.getIntNTy(static_cast<unsigned>(raw->getType()->getPrimitiveSizeInBits())));
  llvm::Type* integer = builder_.getIntNTy(width);
  raw = type.is_signed() ? builder_.CreateSExtOrTrunc(raw, integer) : builder_.CreateZExtOrTrunc(raw, integer);
  return builder_.CreateBitCast(raw, wanted);
}

llvm::Value* PtxEmitter::flag(const PtxOperand& operand) {
  llvm::Value* raw = value(operand, {'p', 1, false});
  return operand.is_negated ? builder_.CreateNot(raw) : raw;
}

void PtxEmitter::assign(const PtxOperand& operand, llvm::Value* value, bool is_signed) {
  if (operand.kind == PtxOperand::Kind::kSink) return;
  llvm::AllocaInst* slot = slot_of(operand);
  if (slot == nullptr) return;
  llvm::Type* type = slot->getAllocatedType();
  if (value->getType() != type) {
    if (!value->getType()->isIntegerTy())
      value =
          builder_.CreateBitCast(value, builder_.getIntNTy(static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits())));
    const unsigned width = type->isPointerTy() ? 64 : static_cast<unsigned>(type->getPrimitiveSizeInBits());
    llvm::Type* integer = builder_.getIntNTy(width);
    value = is_signed ? builder_.CreateSExtOrTrunc(value, integer) : builder_.CreateZExtOrTrunc(value, integer);
    value = type->isPointerTy() ? builder_.CreateIntToPtr(value, type) : builder_.CreateBitCast(value, type);
  }
  builder_.CreateStore(value, slot);
}

llvm::Value* PtxEmitter::pointer(const PtxOperand& address, bool is_shared) {
  llvm::Value* base = bits(address.members[0], 64);
  if (address.members.size() > 1) base = builder_.CreateAdd(base, bits(address.members[1], 64));
  if (!is_shared) return builder_.CreateIntToPtr(base, builder_.getPtrTy());
  return call("__sb_shared_pointer", builder_.getPtrTy(), {builder_.CreateTrunc(base, builder_.getInt32Ty())});
}

llvm::Value* PtxEmitter::call(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  return builder_.CreateCall(callee, arguments);
}

llvm::Value* PtxEmitter::scratch(unsigned words) {
  llvm::AllocaInst* room = entry_.CreateAlloca(llvm::ArrayType::get(entry_.getInt32Ty(), words));
  room->setAlignment(llvm::Align(16));
  return room;
}

llvm::Value* PtxEmitter::special(const std::string& name) {
  static const std::map<std::string, const char*> variables = {
      {"tid", "__sb_threadIdx"}, {"ntid", "__sb_blockDim"}, {"ctaid", "__sb_blockIdx"}, {"nctaid", "__sb_gridDim"}};
  if (const std::size_t dot = name.find('.'); dot != std::string::npos) {
    auto found = variables.find(name.substr(0, dot));
    const int axis = name.back() - 'x';
    if (found != variables.end() && axis >= 0 && axis < 3) {
      llvm::Type* type = llvm::ArrayType::get(builder_.getInt32Ty(), 3);
      auto* global = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(found->second, type));
      return builder_.CreateAlignedLoad(
          builder_.getInt32Ty(),
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), global, 4ULL * static_cast<unsigned>(axis)), llvm::Align(4));
    }
  }
  llvm::Type* word32 = builder_.getInt32Ty();
  auto lane = [&] { return call("__sb_lane", word32, {}); };
  if (name == "laneid") return lane();
  if (name == "warpid") return call("__sb_warp", word32, {});
  if (name == "smid") return call("__sb_multiprocessor", word32, {});
  if (name == "nsmid") return call("__sb_multiprocessors", word32, {});
  if (name == "nwarpid") return word(32);
  if (name == "gridid") return word(0);
  if (name == "WARP_SZ") return word(32);
  if (name == "dynamic_smem_size") return call("__sb_dynamic_shared_bytes", word32, {});
  if (name == "clock" || name == "clock64") return call("__sb_clock", builder_.getInt64Ty(), {});
  if (name.starts_with("globaltimer")) {
    llvm::Value* time = call("__sb_global_timer", builder_.getInt64Ty(), {});
    return name == "globaltimer_hi" ? builder_.CreateLShr(time, 32) : time;
  }
  if (name.starts_with("lanemask_")) {
    llvm::Value* self = builder_.CreateShl(word(1), lane());
    llvm::Value* below = builder_.CreateSub(self, word(1));
    const std::string which = name.substr(9);
    if (which == "eq") return self;
    if (which == "lt") return below;
    if (which == "le") return builder_.CreateOr(below, self);
    if (which == "ge") return builder_.CreateNot(below);
    if (which == "gt") return builder_.CreateNot(builder_.CreateOr(below, self));
  }
  return nullptr;
}

bool PtxEmitter::one(const PtxInstruction& instruction) {
  PtxHandler handler = arithmetic_handler(instruction.opcode);
  if (handler == nullptr) handler = memory_handler(instruction.opcode);
  if (handler == nullptr) handler = warp_handler(instruction.opcode);
  if (handler == nullptr) return false;
  for (const PtxOperand& operand : instruction.operands) {
    if (operand.kind == PtxOperand::Kind::kSpecial && special(operand.name) == nullptr) return false;
  }
  if (instruction.predicate.empty()) return handler(*this, instruction);
  PtxOperand deciding;
  deciding.kind = PtxOperand::Kind::kRegister;
  deciding.name = instruction.predicate;
  deciding.is_negated = instruction.is_predicate_negated;
  if (registers_.find(deciding.name) == registers_.end()) return false;
  llvm::Value* condition = flag(deciding);
  llvm::Instruction* after = &*builder_.GetInsertPoint();
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(condition, after, false);
  builder_.SetInsertPoint(then);
  const bool is_done = handler(*this, instruction);
  builder_.SetInsertPoint(after);
  return is_done;
}

std::string PtxEmitter::emit() {
  builder_.SetCurrentDebugLocation(call_.getDebugLoc());
  for (const PtxInstruction& instruction : text_.instructions) {
    if (!one(instruction)) {
      std::string name = instruction.opcode;
      for (const std::string& word : instruction.words) name += "." + word;
      return name;
    }
  }
  return "";
}

llvm::Value* PtxEmitter::results() {
  if (outputs_ == 0) return nullptr;
  auto load = [&](unsigned i) { return builder_.CreateLoad(arguments_[i]->getAllocatedType(), arguments_[i]); };
  if (!call_.getType()->isStructTy()) return load(0);
  llvm::Value* all = llvm::PoisonValue::get(call_.getType());
  for (unsigned i = 0; i < outputs_; ++i) all = builder_.CreateInsertValue(all, load(i), i);
  return all;
}

void lower_ptx(llvm::Module& module) {
  llvm::SmallVector<llvm::CallInst*, 16> calls;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call != nullptr && call->isInlineAsm()) calls.push_back(call);
      }
    }
  }
  for (llvm::CallInst* call : calls) {
    const auto* assembly = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
    const PtxText text = read_ptx(assembly->getAsmString());
    std::string refused = text.error;
    if (refused.empty()) {
      PtxEmitter emitter(*call, text);
      refused = emitter.emit();
      if (refused.empty()) {
        if (llvm::Value* results = emitter.results()) call->replaceAllUsesWith(results);
        call->eraseFromParent();
        continue;
      }
    }
    module.getContext().emitError(call, "inline PTX is not emulated here: " + refused);
    if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(llvm::PoisonValue::get(call->getType()));
    call->eraseFromParent();
  }
}

}  // namespace starbridge::emulate
