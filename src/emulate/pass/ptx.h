// Inline PTX as LLVM IR: what the instructions of one asm statement share. Each instruction is a row of a table (ptx_*.cpp).
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <string>

#include "emulate/pass/ptx_text.h"

namespace starbridge::emulate {

// A type as PTX writes it. kind: u, s, b integers; f float; h half; e bfloat; p predicate. Packed: two of them in 32 bits.
struct PtxType {
  char kind = 'b';
  unsigned bits = 32;
  bool is_packed = false;
  bool is_float() const { return kind == 'f' || kind == 'h' || kind == 'e'; }
  bool is_signed() const { return kind == 's'; }
};
bool read_type(const std::string& word, PtxType& type);

class PtxEmitter {
 public:
  PtxEmitter(llvm::CallInst& call, const PtxText& text);
  // Emits all; the name of the first instruction that is not emulated, or empty.
  std::string emit();
  // After emit(): what the statement gives back.
  llvm::Value* results();

  llvm::IRBuilder<>& ir() { return builder_; }
  llvm::Module& module() { return module_; }
  llvm::Type* llvm_type(const PtxType& type);
  // The operand's bits as `type`; integers are cut or widened (with the sign of type).
  llvm::Value* value(const PtxOperand& operand, const PtxType& type);
  llvm::Value* bits(const PtxOperand& operand, unsigned width) { return value(operand, {'b', width, false}); }
  llvm::Value* flag(const PtxOperand& operand);
  // Stores into the operand's register; narrower values are widened, with their sign when `is_signed`.
  void assign(const PtxOperand& operand, llvm::Value* value, bool is_signed = false);
  // A pointer: `space` "shared" takes the low 32 bits as an offset into the block's window.
  llvm::Value* pointer(const PtxOperand& address, bool is_shared);
  llvm::Value* call(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<llvm::Value*> arguments) {
    return builder_.CreateIntrinsic(id, types, arguments);
  }
  llvm::Value*& carry() { return carry_; }
  llvm::Value* word(std::uint32_t number) { return builder_.getInt32(number); }
  llvm::Value* scratch(unsigned words);  // room on the thread's stack, of 32-bit words

 private:
  llvm::AllocaInst* slot_of(const PtxOperand& operand);
  llvm::Value* special(const std::string& name);
  bool one(const PtxInstruction& instruction);

  llvm::CallInst& call_;
  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  llvm::IRBuilder<> entry_;
  const PtxText& text_;
  std::map<std::string, llvm::AllocaInst*> registers_;
  std::vector<llvm::AllocaInst*> arguments_;  // outputs first, then inputs; nullptr for what is no first-class value
  unsigned outputs_ = 0;
  llvm::Value* carry_ = nullptr;
};

using PtxHandler = bool (*)(PtxEmitter&, const PtxInstruction&);
// The handler of an opcode, or nullptr.
PtxHandler arithmetic_handler(const std::string& opcode);
PtxHandler memory_handler(const std::string& opcode);
PtxHandler warp_handler(const std::string& opcode);

}  // namespace starbridge::emulate
