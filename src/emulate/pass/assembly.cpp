// Inline assembly of the chip. The host's assembler does not know it: each piece becomes a call of the runtime, which gets the
// text and the operands as 64-bit words, and what kind each of them is (p pointer, i integer, h half, f float, o the result: an
// instruction on general registers may have one).
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

#include <string>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

namespace {

char kind_of(const llvm::Type* type) {
  if (type->isPointerTy()) return 'p';
  if (type->isHalfTy() || type->isBFloatTy()) return 'h';
  return type->isFloatTy() ? 'f' : 'i';
}

llvm::Value* word_of(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* word = builder.getInt64Ty();
  if (value->getType()->isPointerTy()) return builder.CreatePtrToInt(value, word);
  if (!value->getType()->isIntegerTy())
    value = builder.CreateBitCast(value, builder.getIntNTy(static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits())));
  return builder.CreateSExtOrTrunc(value, word);
}

// Without a result, or one integer made by an instruction on general registers; all else is left to the host's assembler.
bool is_of_chip(const llvm::CallInst& call) {
  if (!call.isInlineAsm()) return false;
  if (call.getType()->isVoidTy()) return true;
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  return call.getType()->isIntegerTy() && assembly->getAsmString().find(".gpr.") != std::string::npos;
}

}  // namespace

void lower_assembly(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::FunctionCallee run =
      module.getOrInsertFunction("__sb_bang_assembly", llvm::Type::getVoidTy(context), pointer, pointer, pointer);
  llvm::SmallVector<llvm::CallInst*, 16> calls;
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call != nullptr && is_of_chip(*call)) calls.push_back(call);
      }
    }
  }
  for (llvm::CallInst* call : calls) {
    const auto* assembly = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
    if (assembly->getAsmString().empty()) continue;  // a barrier for the compiler alone
    llvm::IRBuilder<> entry(&call->getFunction()->getEntryBlock(), call->getFunction()->getEntryBlock().begin());
    const unsigned results = call->getType()->isVoidTy() ? 0 : 1;
    llvm::Value* words = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt64Ty(), std::max(1U, results + call->arg_size())));
    llvm::IRBuilder<> builder(call);
    std::string kinds(results, 'o');
    bool is_simple = true;
    for (unsigned i = 0; i < call->arg_size(); ++i) {
      llvm::Value* value = call->getArgOperand(i);
      if (value->getType()->isAggregateType() || value->getType()->isVectorTy()) {
        is_simple = false;
        break;
      }
      kinds += kind_of(value->getType());
      builder.CreateStore(word_of(builder, value), builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), words, results + i));
    }
    if (!is_simple) continue;
    llvm::CallInst* made =
        builder.CreateCall(run, {builder.CreateGlobalString(assembly->getAsmString()), builder.CreateGlobalString(kinds), words});
    made->setDebugLoc(call->getDebugLoc());
    if (results > 0)
      call->replaceAllUsesWith(builder.CreateTrunc(builder.CreateLoad(builder.getInt64Ty(), words), call->getType()));
    call->eraseFromParent();
  }
}

}  // namespace starbridge::emulate
