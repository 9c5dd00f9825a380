// PTX instructions that reach memory: loads, stores, atomics, asynchronous copies (done when asked), address spaces, fences.
#include <map>

#include "emulate/pass/ptx.h"

namespace starbridge::emulate {

namespace {

using llvm::Value;

bool last_type(const PtxInstruction& at, PtxType& type) {
  for (auto word = at.words.rbegin(); word != at.words.rend(); ++word)
    if (read_type(*word, type)) return true;
  return false;
}

bool is_shared(const PtxInstruction& at) { return at.has("shared") || at.has("shared::cta"); }
bool is_foreign(const PtxInstruction& at) {
  return at.has("shared::cluster") || at.has("param") || at.has("multimem") || at.has("cluster");
}

// Loads and stores of one or several elements. The first carries the alignment of all.
bool load_store(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  const bool is_load = at.opcode != "st";
  if (!last_type(at, type) || at.operands.size() < 2 || is_foreign(at) || type.bits > 64) return false;
  const PtxOperand& place = at.operands[is_load ? 1 : 0];
  const PtxOperand& data = at.operands[is_load ? 0 : 1];
  if (place.kind != PtxOperand::Kind::kAddress) return false;
  Value* start = e.pointer(place, is_shared(at));
  const std::vector<PtxOperand> alone = {data};
  const std::vector<PtxOperand>& parts = data.kind == PtxOperand::Kind::kVector ? data.members : alone;
  const bool is_strong = at.has("volatile") || at.has("relaxed") || at.has("acquire") || at.has("release") || at.has("mmio");
  if (at.has("release")) e.call("__sb_fence", e.ir().getVoidTy(), {e.word(1)});
  const unsigned bytes = type.bits / 8;
  llvm::Type* element = e.ir().getIntNTy(type.bits);
  for (unsigned i = 0; i < parts.size(); ++i) {
    Value* address = e.ir().CreateConstInBoundsGEP1_64(e.ir().getInt8Ty(), start, std::uint64_t{bytes} * i);
    const llvm::Align align(i == 0 ? bytes * llvm::bit_ceil(static_cast<unsigned>(parts.size())) : bytes);
    if (is_load)
      e.assign(parts[i], e.ir().CreateAlignedLoad(element, address, align, is_strong), type.is_signed());
    else
      e.ir().CreateAlignedStore(e.bits(parts[i], type.bits), address, align, is_strong);
  }
  if (at.has("acquire")) e.call("__sb_fence", e.ir().getVoidTy(), {e.word(1)});
  return true;
}

bool atomic(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  const bool is_red = at.opcode == "red";
  if (!last_type(at, type) || is_foreign(at) || type.is_packed || type.bits < 32 || at.operands.size() < (is_red ? 2U : 3U))
    return false;
  if (at.operands[is_red ? 0 : 1].kind != PtxOperand::Kind::kAddress || at.operands.back().kind == PtxOperand::Kind::kVector)
    return false;
  Value* address = e.pointer(at.operands[is_red ? 0 : 1], is_shared(at));
  const llvm::Align align(type.bits / 8);
  const auto order = llvm::AtomicOrdering::SequentiallyConsistent;
  if (at.has("cas")) {
    if (is_red || at.operands.size() != 4) return false;
    Value* both = e.ir().CreateAtomicCmpXchg(address, e.bits(at.operands[2], type.bits), e.bits(at.operands[3], type.bits), align,
                                             order, order);
    e.assign(at.operands[0], e.ir().CreateExtractValue(both, 0));
    e.call("__sb_poll", e.ir().getVoidTy(), {address});
    return true;
  }
  using Op = llvm::AtomicRMWInst::BinOp;
  static const std::map<std::string, Op> table = {{"add", Op::Add},  {"and", Op::And},      {"or", Op::Or},
                                                  {"xor", Op::Xor},  {"exch", Op::Xchg},    {"min", Op::UMin},
                                                  {"max", Op::UMax}, {"inc", Op::UIncWrap}, {"dec", Op::UDecWrap}};
  for (const std::string& word : at.words) {
    auto found = table.find(word);
    if (found == table.end()) continue;
    Op op = found->second;
    if (type.is_float()) {
      if (op == Op::Add)
        op = Op::FAdd;
      else if (op != Op::Xchg)
        return false;
    } else if (type.is_signed()) {
      op = op == Op::UMin ? Op::Min : op == Op::UMax ? Op::Max : op;
    }
    Value* old = e.ir().CreateAtomicRMW(op, address, e.value(at.operands[is_red ? 1 : 2], type), align, order);
    if (!is_red) e.assign(at.operands[0], old, type.is_signed());
    return true;
  }
  return false;
}

// cp.async...: what is copied is there at once; bytes beyond the source's size become zero.
bool copy_async(PtxEmitter& e, const PtxInstruction& at) {
  if (at.has("commit_group") || at.has("wait_group") || at.has("wait_all")) return true;
  if (at.has("bulk") || at.has("mbarrier") || at.operands.size() < 3) return false;
  if (at.operands[0].kind != PtxOperand::Kind::kAddress || at.operands[1].kind != PtxOperand::Kind::kAddress ||
      at.operands[2].kind == PtxOperand::Kind::kSink)
    return false;
  Value *to = e.pointer(at.operands[0], true), *from = e.pointer(at.operands[1], false);
  Value* size = e.bits(at.operands[2], 32);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(size);
  const llvm::Align align(constant != nullptr && llvm::isPowerOf2_64(constant->getZExtValue()) ? constant->getZExtValue() : 4);
  // A fourth operand is the source's size, or a cache policy when the instruction says so.
  if (at.operands.size() > 3 && !at.has("L2::cache_hint")) {
    Value* valid = e.intrinsic(llvm::Intrinsic::umin, {size->getType()}, {e.bits(at.operands[3], 32), size});
    e.ir().CreateMemSet(to, e.ir().getInt8(0), size, align);
    e.ir().CreateMemCpy(to, align, from, align, valid);
    return true;
  }
  e.ir().CreateMemCpy(to, align, from, align, size);
  return true;
}

bool fence(PtxEmitter& e, const PtxInstruction& at) {
  if (at.has("proxy") || at.has("mbarrier_init")) return false;
  e.call("__sb_fence", e.ir().getVoidTy(), {e.word(at.has("cta") ? 0 : at.has("sys") ? 2 : 1)});
  return true;
}

bool convert_address(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!last_type(at, type) || at.operands.size() != 2) return false;
  Value* value = e.bits(at.operands[1], 64);
  if (!at.has("to") && is_shared(at)) {
    value = e.ir().CreatePtrToInt(
        e.call("__sb_shared_pointer", e.ir().getPtrTy(), {e.ir().CreateTrunc(value, e.ir().getInt32Ty())}), e.ir().getInt64Ty());
  }
  return e.assign(at.operands[0], value), true;
}

bool is_in_space(PtxEmitter& e, const PtxInstruction& at) {
  if (at.operands.size() != 2 || at.words.empty()) return false;
  static const std::map<std::string, std::uint32_t> spaces = {
      {"global", 1}, {"shared", 2}, {"shared::cta", 2}, {"const", 3}, {"local", 4}};
  auto found = spaces.find(at.words[0]);
  if (found == spaces.end()) return false;
  Value* space =
      e.call("__sb_space", e.ir().getInt32Ty(), {e.ir().CreateIntToPtr(e.bits(at.operands[1], 64), e.ir().getPtrTy())});
  return e.assign(at.operands[0], e.ir().CreateICmpEQ(space, e.word(found->second))), true;
}

bool nothing(PtxEmitter&, const PtxInstruction&) { return true; }

// Four rows of eight 16-bit elements per register and lane; `trans`: columns. The lanes' addresses are met at a gather.
bool load_matrix(PtxEmitter& e, const PtxInstruction& at) {
  if (!at.has("m8n8") || at.operands.size() != 2 || at.operands[1].kind != PtxOperand::Kind::kAddress) return false;
  const std::vector<PtxOperand> alone = {at.operands[0]};
  const std::vector<PtxOperand>& to = at.operands[0].kind == PtxOperand::Kind::kVector ? at.operands[0].members : alone;
  llvm::IRBuilder<>& ir = e.ir();
  Value* rows = e.scratch(64);
  Value* own = ir.CreatePtrToInt(e.pointer(at.operands[1], is_shared(at)), ir.getInt64Ty());
  e.call("__sb_gather", ir.getVoidTy(), {e.word(~0U), own, rows});
  Value* lane = e.call("__sb_lane", ir.getInt32Ty(), {});
  Value *quarter = ir.CreateLShr(lane, 2), *rest = ir.CreateAnd(lane, e.word(3));
  auto element = [&](Value* row, unsigned matrix, Value* byte, llvm::Type* type) {
    Value* index = ir.CreateAdd(row, e.word(8 * matrix));
    Value* start = ir.CreateIntToPtr(ir.CreateLoad(ir.getInt64Ty(), ir.CreateGEP(ir.getInt64Ty(), rows, index)), ir.getPtrTy());
    return ir.CreateAlignedLoad(type, ir.CreateGEP(ir.getInt8Ty(), start, byte), llvm::Align(type->getPrimitiveSizeInBits() / 8));
  };
  for (unsigned matrix = 0; matrix < to.size(); ++matrix) {
    if (!at.has("trans")) {
      e.assign(to[matrix], element(quarter, matrix, ir.CreateShl(rest, 2), ir.getInt32Ty()));
      continue;
    }
    Value* row = ir.CreateShl(rest, 1);
    Value* byte = ir.CreateShl(quarter, 1);
    Value* low = ir.CreateZExt(element(row, matrix, byte, ir.getInt16Ty()), ir.getInt32Ty());
    Value* high = ir.CreateZExt(element(ir.CreateAdd(row, e.word(1)), matrix, byte, ir.getInt16Ty()), ir.getInt32Ty());
    e.assign(to[matrix], ir.CreateOr(low, ir.CreateShl(high, 16)));
  }
  return true;
}

}  // namespace

PtxHandler memory_handler(const std::string& opcode) {
  static const std::map<std::string, PtxHandler> table = {{"ld", load_store},
                                                          {"ldu", load_store},
                                                          {"st", load_store},
                                                          {"atom", atomic},
                                                          {"red", atomic},
                                                          {"cp", copy_async},
                                                          {"membar", fence},
                                                          {"fence", fence},
                                                          {"cvta", convert_address},
                                                          {"isspacep", is_in_space},
                                                          {"prefetch", nothing},
                                                          {"prefetchu", nothing},
                                                          {"griddepcontrol", nothing},
                                                          {"ldmatrix", load_matrix}};
  auto found = table.find(opcode);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace starbridge::emulate
