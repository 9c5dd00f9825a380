// The text of inline PTX, taken apart: instructions with their dotted words and operands, and declared registers.
// Pure; knows nothing of what an instruction does (ptx.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starbridge::emulate {

struct PtxOperand {
  enum class Kind { kRegister, kArgument, kNumber, kSpecial, kAddress, kVector, kSink };
  Kind kind = Kind::kSink;
  std::string name;                 // of a register or special register, without %
  unsigned argument = 0;            // $N of the statement
  std::uint64_t number = 0;         // bits of a literal; of an address: what is added
  char number_type = 'i';           // i integer, f float, d double
  std::vector<PtxOperand> members;  // of a vector; of an address: its base
  std::vector<PtxOperand> second;   // d|p: the predicate written beside d
  bool is_negated = false;          // !p
};

struct PtxInstruction {
  std::string text;                // as written, for messages
  std::string opcode;              // "shfl"
  std::vector<std::string> words;  // "sync", "idx", "b32"
  std::string predicate;           // register that decides; empty: always
  bool is_predicate_negated = false;
  std::vector<PtxOperand> operands;
  bool has(std::string_view word) const;
};

struct PtxRegister {
  std::string name;
  std::string type;  // "pred", "b32", ...
};

struct PtxText {
  std::vector<PtxRegister> registers;
  std::vector<PtxInstruction> instructions;
  std::string error;  // what could not be read; empty: all could
};

// `assembly` as LLVM keeps it: $0 for %0, $( $| $) for braces and bars.
PtxText read_ptx(std::string_view assembly);

}  // namespace starbridge::emulate
