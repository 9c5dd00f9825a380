// PTX instructions that several threads carry out together: barriers, shuffles, votes, reductions, matrix products.
#include <map>

#include "emulate/pass/ptx.h"

namespace starbridge::emulate {

namespace {

using llvm::Value;

bool barrier(PtxEmitter& e, const PtxInstruction& at) {
  llvm::Type* nothing = e.ir().getVoidTy();
  if (at.has("warp")) {
    if (at.operands.size() != 1) return false;
    e.call("__sb_sync_warp", nothing, {e.bits(at.operands[0], 32)});
    return true;
  }
  if (!at.has("sync") || at.has("cluster") || at.operands.empty()) return false;
  const bool is_first = at.operands[0].kind == PtxOperand::Kind::kNumber && at.operands[0].number == 0;
  if (at.operands.size() == 1 && is_first) {
    e.call("__syncthreads", nothing, {});
    return true;
  }
  Value* count = at.operands.size() > 1 ? e.bits(at.operands[1], 32) : e.call("__sb_block_threads", e.ir().getInt32Ty(), {});
  e.call("__sb_named_barrier", nothing, {e.bits(at.operands[0], 32), count});
  return true;
}

// shfl.sync.MODE.b32 d|p, a, b, c, mask
bool shuffle(PtxEmitter& e, const PtxInstruction& at) {
  static const std::map<std::string, std::uint32_t> modes = {{"idx", 0}, {"up", 1}, {"down", 2}, {"bfly", 3}};
  if (at.words.empty()) return false;
  const bool is_sync = at.words[0] == "sync";
  if (at.operands.size() != (is_sync ? 5U : 4U) || at.words.size() < 2) return false;
  auto mode = modes.find(at.words[is_sync ? 1 : 0]);
  if (mode == modes.end()) return false;
  llvm::IRBuilder<>& ir = e.ir();
  Value* mask = is_sync ? e.bits(at.operands[4], 32) : e.call("__sb_active_mask", ir.getInt32Ty(), {});
  Value* source = e.call("__sb_shuffle_source", ir.getInt32Ty(),
                         {e.word(mode->second), e.bits(at.operands[2], 32), e.bits(at.operands[3], 32)});
  Value* lane = ir.CreateAnd(source, e.word(31));
  Value* value = e.call("__sb_shuffle", ir.getInt64Ty(), {mask, e.bits(at.operands[1], 64), lane});
  e.assign(at.operands[0], ir.CreateTrunc(value, ir.getInt32Ty()));
  if (!at.operands[0].second.empty())
    e.assign(at.operands[0].second[0], ir.CreateICmpNE(ir.CreateAnd(source, e.word(256)), e.word(0)));
  return true;
}

bool vote(PtxEmitter& e, const PtxInstruction& at) {
  const bool is_sync = at.has("sync");
  if (at.operands.size() != (is_sync ? 3U : 2U)) return false;
  llvm::IRBuilder<>& ir = e.ir();
  Value* mask = is_sync ? e.bits(at.operands[2], 32) : e.call("__sb_active_mask", ir.getInt32Ty(), {});
  Value* yes = ir.CreateZExt(e.flag(at.operands[1]), ir.getInt32Ty());
  auto ballot = [&](Value* predicate) { return e.call("__sb_ballot", ir.getInt32Ty(), {mask, predicate}); };
  if (at.has("ballot")) return e.assign(at.operands[0], ballot(yes)), true;
  if (at.has("any")) return e.assign(at.operands[0], ir.CreateICmpNE(ballot(yes), e.word(0))), true;
  Value* no = ballot(ir.CreateXor(yes, e.word(1)));
  Value* all = ir.CreateICmpEQ(no, e.word(0));
  if (at.has("uni"))
    all = ir.CreateOr(all, ir.CreateICmpEQ(no, mask));
  else if (!at.has("all"))
    return false;
  return e.assign(at.operands[0], all), true;
}

bool match(PtxEmitter& e, const PtxInstruction& at) {
  if (at.operands.size() != 3) return false;
  llvm::IRBuilder<>& ir = e.ir();
  Value* mask = e.bits(at.operands[2], 32);
  Value* same = e.call("__sb_match", ir.getInt32Ty(),
                       {mask, e.bits(at.operands[1], at.has("b64") ? 64 : 32)->getType()->isIntegerTy(64)
                                  ? e.bits(at.operands[1], 64)
                                  : ir.CreateZExt(e.bits(at.operands[1], 32), ir.getInt64Ty())});
  if (at.has("any")) return e.assign(at.operands[0], same), true;
  Value* all = ir.CreateICmpEQ(same, mask);
  e.assign(at.operands[0], ir.CreateSelect(all, mask, e.word(0)));
  if (!at.operands[0].second.empty()) e.assign(at.operands[0].second[0], all);
  return true;
}

bool active(PtxEmitter& e, const PtxInstruction& at) {
  if (at.operands.size() != 1) return false;
  return e.assign(at.operands[0], e.call("__sb_active_mask", e.ir().getInt32Ty(), {})), true;
}

bool reduce(PtxEmitter& e, const PtxInstruction& at) {
  static const std::map<std::string, std::uint32_t> kinds = {{"add", 0}, {"min", 1}, {"max", 2},
                                                             {"and", 3}, {"or", 4},  {"xor", 5}};
  if (at.operands.size() != 3 || at.words.size() < 3) return false;
  auto kind = kinds.find(at.words[1]);
  if (kind == kinds.end() || at.has("f32")) return false;
  llvm::IRBuilder<>& ir = e.ir();
  Value *mask = e.bits(at.operands[2], 32), *values = e.scratch(64);
  e.call("__sb_gather", ir.getVoidTy(), {mask, ir.CreateZExt(e.bits(at.operands[1], 32), ir.getInt64Ty()), values});
  e.assign(at.operands[0],
           e.call("__sb_fold", ir.getInt32Ty(), {mask, values, e.word(kind->second), e.word(at.has("s32") ? 1 : 0)}));
  return true;
}

// What a lane brings to a product: its registers of A from word 0, of B from word 8, of C from word 16.
bool multiply_matrices(PtxEmitter& e, const PtxInstruction& at) {
  static const std::map<std::string, std::uint32_t> kinds = {{"f16", 1}, {"bf16", 2}, {"tf32", 3}, {"s8", 4},
                                                             {"u8", 5},  {"f64", 6},  {"f32", 7},  {"s32", 8}};
  unsigned m = 0, n = 0, k = 0;
  std::vector<std::uint32_t> types;  // of D, A, B, C
  for (const std::string& word : at.words) {
    if (word[0] == 'm' && std::sscanf(word.c_str(), "m%un%uk%u", &m, &n, &k) == 3) continue;
    if (word == "sync" || word == "aligned" || word == "row" || word == "col" || word == "satfinite" || word == "rn") continue;
    auto found = kinds.find(word);
    if (found == kinds.end()) return false;
    types.push_back(found->second);
  }
  if (types.size() != 4 || at.operands.size() != 4) return false;
  const std::uint32_t a = types[1];
  const bool is_known =
      (m == 16 && n == 8 &&
       ((a <= 2 && (k == 8 || k == 16)) || (a == 3 && (k == 4 || k == 8)) || ((a == 4 || a == 5) && (k == 16 || k == 32)))) ||
      (m == 8 && n == 8 && k == 4 && a == 6);
  if (!is_known) return false;
  for (const PtxOperand& operand : at.operands)
    if (operand.kind != PtxOperand::Kind::kVector) return false;
  llvm::IRBuilder<>& ir = e.ir();
  Value* own = e.scratch(32);
  const unsigned register_bits = a == 6 ? 64 : 32, starts[] = {0, 8, 16};
  auto place = [&](Value* base, unsigned word) { return ir.CreateConstInBoundsGEP1_64(ir.getInt32Ty(), base, word); };
  for (unsigned operand = 1; operand < 4; ++operand) {
    const auto& members = at.operands[operand].members;
    if (members.size() * register_bits / 32 > 8) return false;
    for (unsigned i = 0; i < members.size(); ++i)
      ir.CreateStore(e.bits(members[i], register_bits), place(own, starts[operand - 1] + i * register_bits / 32));
  }
  Value *lanes = e.scratch(64), *result = e.scratch(8);
  e.call("__sb_gather", ir.getVoidTy(), {e.word(~0U), ir.CreatePtrToInt(own, ir.getInt64Ty()), lanes});
  e.call("__sb_mma", ir.getVoidTy(),
         {lanes, e.word(m | n << 8 | k << 16), e.word(types[0] | types[1] << 8 | types[2] << 16 | types[3] << 24), result});
  e.call("__sb_sync_warp", ir.getVoidTy(), {e.word(~0U)});
  const auto& to = at.operands[0].members;
  for (unsigned i = 0; i < to.size(); ++i)
    e.assign(to[i], ir.CreateLoad(ir.getIntNTy(register_bits), place(result, i * register_bits / 32)));
  return true;
}

bool sleep(PtxEmitter& e, const PtxInstruction&) { return e.call("__sb_yield", e.ir().getVoidTy(), {}), true; }
bool trap(PtxEmitter& e, const PtxInstruction&) { return e.call("__sb_trap", e.ir().getVoidTy(), {}), true; }

}  // namespace

PtxHandler warp_handler(const std::string& opcode) {
  static const std::map<std::string, PtxHandler> table = {
      {"bar", barrier},     {"barrier", barrier},   {"shfl", shuffle}, {"vote", vote},
      {"match", match},     {"activemask", active}, {"redux", reduce}, {"mma", multiply_matrices},
      {"nanosleep", sleep}, {"trap", trap},         {"brkpt", trap}};
  auto found = table.find(opcode);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace starbridge::emulate
