// PTX instructions that compute: integers, floats, bits, comparisons, conversions.
#include <map>

#include "emulate/pass/ptx.h"

namespace starbridge::emulate {

namespace {

using llvm::Value;
using llvm::Intrinsic::ID;

// The last word that is a type, and the one before it (of cvt, set).
bool types_of(const PtxInstruction& at, PtxType& last, PtxType* before = nullptr) {
  PtxType found[2];
  int count = 0;
  for (auto word = at.words.rbegin(); word != at.words.rend() && count < 2; ++word) {
    PtxType type;
    if (read_type(*word, type)) found[count++] = type;
  }
  if (count > 0) last = found[0];
  if (before != nullptr) *before = count > 1 ? found[1] : last;
  return count > 0;
}

Value* saturated(PtxEmitter& e, const PtxInstruction& at, Value* value) {
  if (at.has("relu"))
    return e.intrinsic(ID(llvm::Intrinsic::maxnum), {value->getType()}, {value, llvm::ConstantFP::get(value->getType(), 0)});
  if (!at.has("sat")) return value;
  value = e.intrinsic(llvm::Intrinsic::maxnum, {value->getType()}, {value, llvm::ConstantFP::get(value->getType(), 0)});
  return e.intrinsic(llvm::Intrinsic::minnum, {value->getType()}, {value, llvm::ConstantFP::get(value->getType(), 1)});
}

bool move(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 2) return false;
  const PtxOperand &to = at.operands[0], &from = at.operands[1];
  if (from.kind == PtxOperand::Kind::kVector) {  // parts become a whole
    const unsigned part = type.bits / static_cast<unsigned>(from.members.size());
    Value* whole = e.ir().getIntN(type.bits, 0);
    for (unsigned i = 0; i < from.members.size(); ++i)
      whole = e.ir().CreateOr(
          whole, e.ir().CreateShl(e.ir().CreateZExt(e.bits(from.members[i], part), e.ir().getIntNTy(type.bits)), part * i));
    e.assign(to, whole);
    return true;
  }
  Value* value = e.bits(from, type.bits);
  if (to.kind != PtxOperand::Kind::kVector) return e.assign(to, value), true;
  const unsigned part = type.bits / static_cast<unsigned>(to.members.size());
  for (unsigned i = 0; i < to.members.size(); ++i)
    e.assign(to.members[i], e.ir().CreateTrunc(e.ir().CreateLShr(value, part * i), e.ir().getIntNTy(part)));
  return true;
}

Value* with_carry(PtxEmitter& e, const PtxInstruction& at, Value* a, Value* b, bool is_minus, bool takes) {
  auto overflow = is_minus ? llvm::Intrinsic::usub_with_overflow : llvm::Intrinsic::uadd_with_overflow;
  Value* both = e.intrinsic(overflow, {a->getType()}, {a, b});
  Value *sum = e.ir().CreateExtractValue(both, 0), *carry = e.ir().CreateExtractValue(both, 1);
  if (takes) {
    Value* in = e.carry() == nullptr ? e.ir().getFalse() : e.carry();
    both = e.intrinsic(overflow, {a->getType()}, {sum, e.ir().CreateZExt(in, a->getType())});
    sum = e.ir().CreateExtractValue(both, 0);
    carry = e.ir().CreateOr(carry, e.ir().CreateExtractValue(both, 1));
  }
  if (at.has("cc")) e.carry() = carry;
  return sum;
}

bool add_like(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 3) return false;
  Value *a = e.value(at.operands[1], type), *b = e.value(at.operands[2], type);
  const bool is_minus = at.opcode.starts_with("sub"), takes = at.opcode == "addc" || at.opcode == "subc";
  if (type.is_float()) {
    e.assign(at.operands[0], saturated(e, at, is_minus ? e.ir().CreateFSub(a, b) : e.ir().CreateFAdd(a, b)));
    return true;
  }
  if (at.has("sat"))
    e.assign(at.operands[0],
             e.intrinsic(is_minus ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::sadd_sat, {a->getType()}, {a, b}));
  else
    e.assign(at.operands[0], with_carry(e, at, a, b, is_minus, takes), type.is_signed());
  return true;
}

// lo, hi or wide of a product, as integers; 24-bit forms use the low 24 bits.
Value* product(PtxEmitter& e, const PtxInstruction& at, const PtxType& type, bool is_24) {
  const bool is_signed = type.is_signed();
  llvm::Type* wide = e.ir().getIntNTy(type.bits * 2);
  auto widened = [&](const PtxOperand& operand) {
    Value* value = e.value(operand, type);
    if (is_24) value = is_signed ? e.ir().CreateAShr(e.ir().CreateShl(value, 8), 8) : e.ir().CreateAnd(value, e.word(0xffffff));
    return is_signed ? e.ir().CreateSExt(value, wide) : e.ir().CreateZExt(value, wide);
  };
  Value* whole = e.ir().CreateMul(widened(at.operands[1]), widened(at.operands[2]));
  if (at.has("wide")) return whole;
  if (at.has("hi")) whole = e.ir().CreateLShr(whole, is_24 ? 16 : type.bits);
  return e.ir().CreateTrunc(whole, e.ir().getIntNTy(type.bits));
}

bool multiply(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 3) return false;
  if (type.is_float())
    e.assign(at.operands[0], saturated(e, at, e.ir().CreateFMul(e.value(at.operands[1], type), e.value(at.operands[2], type))));
  else
    e.assign(at.operands[0], product(e, at, type, at.opcode.ends_with("24")), type.is_signed());
  return true;
}

bool multiply_add(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 4) return false;
  if (type.is_float()) {
    Value* value = e.intrinsic(llvm::Intrinsic::fma, {e.llvm_type(type)},
                               {e.value(at.operands[1], type), e.value(at.operands[2], type), e.value(at.operands[3], type)});
    e.assign(at.operands[0], saturated(e, at, value));
    return true;
  }
  Value* value = product(e, at, type, at.opcode.ends_with("24"));
  PtxType sum = type;
  if (at.has("wide")) sum.bits *= 2;
  e.assign(at.operands[0], with_carry(e, at, value, e.value(at.operands[3], sum), false, at.opcode == "madc"), type.is_signed());
  return true;
}

bool divide(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 3) return false;
  Value *a = e.value(at.operands[1], type), *b = e.value(at.operands[2], type), *value = nullptr;
  if (type.is_float())
    value = e.ir().CreateFDiv(a, b);
  else if (at.opcode == "rem")
    value = type.is_signed() ? e.ir().CreateSRem(a, b) : e.ir().CreateURem(a, b);
  else
    value = type.is_signed() ? e.ir().CreateSDiv(a, b) : e.ir().CreateUDiv(a, b);
  return e.assign(at.operands[0], value, type.is_signed()), true;
}

bool min_max(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() < 3) return false;
  const bool is_max = at.opcode == "max";
  ID id = type.is_float()    ? (at.has("NaN") ? (is_max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum)
                                              : (is_max ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum))
          : type.is_signed() ? (is_max ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                             : (is_max ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
  Value* value = e.value(at.operands[1], type);
  for (std::size_t i = 2; i < at.operands.size(); ++i)
    value = e.intrinsic(id, {value->getType()}, {value, e.value(at.operands[i], type)});
  return e.assign(at.operands[0], value, type.is_signed()), true;
}

// One operand in, one out.
bool unary(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 2) return false;
  Value* a = e.value(at.operands[1], type);
  llvm::Type* t = a->getType();
  auto call = [&](ID id) { return e.intrinsic(id, {t}, {a}); };
  const std::string& op = at.opcode;
  Value* value = nullptr;
  if (op == "neg")
    value = type.is_float() ? e.ir().CreateFNeg(a) : e.ir().CreateNeg(a);
  else if (op == "abs")
    value = type.is_float() ? call(llvm::Intrinsic::fabs) : e.intrinsic(llvm::Intrinsic::abs, {t}, {a, e.ir().getFalse()});
  else if (op == "not")
    value = e.ir().CreateNot(a);
  else if (op == "cnot")
    value = e.ir().CreateZExt(e.ir().CreateICmpEQ(a, llvm::Constant::getNullValue(t)), t);
  else if (op == "popc")
    value = call(llvm::Intrinsic::ctpop);
  else if (op == "clz")
    value = e.intrinsic(llvm::Intrinsic::ctlz, {t}, {a, e.ir().getFalse()});
  else if (op == "brev")
    value = call(llvm::Intrinsic::bitreverse);
  else if (op == "sqrt")
    value = call(llvm::Intrinsic::sqrt);
  else if (op == "rcp")
    value = e.ir().CreateFDiv(llvm::ConstantFP::get(t, 1), a);
  else if (op == "rsqrt")
    value = e.ir().CreateFDiv(llvm::ConstantFP::get(t, 1), call(llvm::Intrinsic::sqrt));
  else if (op == "ex2")
    value = call(llvm::Intrinsic::exp2);
  else if (op == "lg2")
    value = call(llvm::Intrinsic::log2);
  else if (op == "sin")
    value = call(llvm::Intrinsic::sin);
  else if (op == "cos")
    value = call(llvm::Intrinsic::cos);
  else if (op == "tanh") {
    llvm::Type* wide =
        type.is_packed ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(e.ir().getFloatTy(), 2)) : e.ir().getFloatTy();
    Value* x = t == wide ? a : e.ir().CreateFPExt(a, wide);
    auto one = [&](Value* scalar) { return e.call("tanhf", e.ir().getFloatTy(), {scalar}); };
    if (type.is_packed) {
      Value* both = llvm::PoisonValue::get(wide);
      for (std::uint64_t i = 0; i < 2; ++i) both = e.ir().CreateInsertElement(both, one(e.ir().CreateExtractElement(x, i)), i);
      value = both;
    } else {
      value = one(x);
    }
    if (value->getType() != t) value = e.ir().CreateFPTrunc(value, t);
  }
  if (value == nullptr) return false;
  return e.assign(at.operands[0], value, type.is_signed() && op != "popc" && op != "clz"), true;
}

bool logic(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 3) return false;
  Value *a = type.kind == 'p' ? e.flag(at.operands[1]) : e.value(at.operands[1], type),
        *b = type.kind == 'p' ? e.flag(at.operands[2]) : e.value(at.operands[2], type);
  return e.assign(at.operands[0], at.opcode == "and"  ? e.ir().CreateAnd(a, b)
                                  : at.opcode == "or" ? e.ir().CreateOr(a, b)
                                                      : e.ir().CreateXor(a, b)),
         true;
}

// Shifts take their amount in 32 bits and clamp it at the width.
bool shift(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 3) return false;
  Value* a = e.value(at.operands[1], type);
  Value* amount = e.bits(at.operands[2], 32);
  Value* is_far = e.ir().CreateICmpUGE(amount, e.word(type.bits));
  Value* near = e.ir().CreateZExtOrTrunc(e.ir().CreateSelect(is_far, e.word(type.bits - 1), amount), a->getType());
  Value* value = at.opcode == "shl" ? e.ir().CreateShl(a, near)
                 : type.is_signed() ? e.ir().CreateAShr(a, near)
                                    : e.ir().CreateLShr(a, near);
  if (!(at.opcode == "shr" && type.is_signed()))
    value = e.ir().CreateSelect(is_far, llvm::Constant::getNullValue(a->getType()), value);
  return e.assign(at.operands[0], value, type.is_signed()), true;
}

bool funnel(PtxEmitter& e, const PtxInstruction& at) {
  if (at.operands.size() != 4) return false;
  Value *low = e.bits(at.operands[1], 32), *high = e.bits(at.operands[2], 32), *amount = e.bits(at.operands[3], 32);
  llvm::Type* wide = e.ir().getInt64Ty();
  Value* both = e.ir().CreateOr(e.ir().CreateShl(e.ir().CreateZExt(high, wide), 32), e.ir().CreateZExt(low, wide));
  amount = at.has("clamp") ? e.intrinsic(llvm::Intrinsic::umin, {amount->getType()}, {amount, e.word(32)})
                           : e.ir().CreateAnd(amount, e.word(31));
  amount = e.ir().CreateZExt(amount, wide);
  Value* value = at.has("l") ? e.ir().CreateLShr(e.ir().CreateShl(both, amount), 32) : e.ir().CreateLShr(both, amount);
  return e.assign(at.operands[0], e.ir().CreateTrunc(value, e.ir().getInt32Ty())), true;
}

// The runtime's functions, on 32- or 64-bit words.
bool by_call(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  const bool is_typed = types_of(at, type);
  const std::string& op = at.opcode;
  if (op == "prmt") {
    if (at.operands.size() != 4 || at.words.size() != 1) return false;
    e.assign(at.operands[0], e.call("__sb_byte_perm", e.ir().getInt32Ty(),
                                    {e.bits(at.operands[1], 32), e.bits(at.operands[2], 32), e.bits(at.operands[3], 32)}));
    return true;
  }
  if (op == "lop3") {
    if (at.operands.size() != 5) return false;
    Value *a = e.bits(at.operands[1], 32), *b = e.bits(at.operands[2], 32), *c = e.bits(at.operands[3], 32), *result = e.word(0);
    for (unsigned i = 0; i < 8; ++i) {
      if ((at.operands[4].number >> i & 1) == 0) continue;
      Value* term = e.ir().CreateAnd(i & 4 ? a : e.ir().CreateNot(a), i & 2 ? b : e.ir().CreateNot(b));
      result = e.ir().CreateOr(result, e.ir().CreateAnd(term, i & 1 ? c : e.ir().CreateNot(c)));
    }
    e.assign(at.operands[0], result);
    return true;
  }
  if (!is_typed) return false;
  llvm::Type* wide = e.ir().getInt64Ty();
  auto number = [&](std::uint32_t n) { return e.word(n); };
  if (op == "bfe" && at.operands.size() == 4) {
    Value* value = e.call("__sb_bit_field", wide,
                          {e.value(at.operands[1], {type.kind, 64, false}), e.bits(at.operands[2], 32),
                           e.bits(at.operands[3], 32), number(type.bits), number(type.is_signed())});
    return e.assign(at.operands[0], e.ir().CreateTrunc(value, e.ir().getIntNTy(type.bits)), type.is_signed()), true;
  }
  if (op == "bfi" && at.operands.size() == 5) {
    Value* value = e.call("__sb_bit_insert", wide,
                          {e.bits(at.operands[1], 64), e.bits(at.operands[2], 64), e.bits(at.operands[3], 32),
                           e.bits(at.operands[4], 32), number(type.bits)});
    return e.assign(at.operands[0], e.ir().CreateTrunc(value, e.ir().getIntNTy(type.bits))), true;
  }
  if (op == "bfind" && at.operands.size() == 2) {
    Value* value = e.call("__sb_find_bit", e.ir().getInt32Ty(),
                          {e.value(at.operands[1], {type.kind, 64, false}), number(type.bits), number(type.is_signed()),
                           number(at.has("shiftamt"))});
    return e.assign(at.operands[0], value), true;
  }
  if (op == "sad" && at.operands.size() == 4) {
    Value *a = e.value(at.operands[1], type), *b = e.value(at.operands[2], type);
    Value* less = type.is_signed() ? e.ir().CreateICmpSLT(a, b) : e.ir().CreateICmpULT(a, b);
    Value* distance = e.ir().CreateSelect(less, e.ir().CreateSub(b, a), e.ir().CreateSub(a, b));
    return e.assign(at.operands[0], e.ir().CreateAdd(distance, e.value(at.operands[3], type))), true;
  }
  if ((op == "dp4a" || op == "dp2a") && at.operands.size() == 4) {
    PtxType other;
    types_of(at, type, &other);
    Value* value = e.call("__sb_dot_bytes", e.ir().getInt32Ty(),
                          {e.bits(at.operands[1], 32), e.bits(at.operands[2], 32), e.bits(at.operands[3], 32),
                           number(other.is_signed()), number(type.is_signed()),
                           number(op == "dp4a"   ? 4
                                  : at.has("hi") ? 3
                                                 : 2)});
    return e.assign(at.operands[0], value), true;
  }
  if (op == "copysign" && at.operands.size() == 3)  // the sign of the first on the second
    return e.assign(at.operands[0], e.intrinsic(llvm::Intrinsic::copysign, {e.llvm_type(type)},
                                                {e.value(at.operands[2], type), e.value(at.operands[1], type)})),
           true;
  return false;
}

Value* compare(PtxEmitter& e, const std::string& how, const PtxType& type, Value* a, Value* b) {
  using P = llvm::CmpInst::Predicate;
  static const std::map<std::string, P> floats = {
      {"eq", P::FCMP_OEQ},  {"ne", P::FCMP_ONE},  {"lt", P::FCMP_OLT},  {"le", P::FCMP_OLE},  {"gt", P::FCMP_OGT},
      {"ge", P::FCMP_OGE},  {"equ", P::FCMP_UEQ}, {"neu", P::FCMP_UNE}, {"ltu", P::FCMP_ULT}, {"leu", P::FCMP_ULE},
      {"gtu", P::FCMP_UGT}, {"geu", P::FCMP_UGE}, {"num", P::FCMP_ORD}, {"nan", P::FCMP_UNO}};
  static const std::map<std::string, P> integers = {
      {"eq", P::ICMP_EQ},  {"ne", P::ICMP_NE},  {"lt", P::ICMP_SLT}, {"le", P::ICMP_SLE}, {"gt", P::ICMP_SGT},
      {"ge", P::ICMP_SGE}, {"lo", P::ICMP_ULT}, {"ls", P::ICMP_ULE}, {"hi", P::ICMP_UGT}, {"hs", P::ICMP_UGE}};
  const auto& table = type.is_float() ? floats : integers;
  auto found = table.find(how);
  if (found == table.end()) return nullptr;
  P predicate = found->second;
  if (!type.is_float() && !type.is_signed()) predicate = llvm::ICmpInst::getUnsignedPredicate(predicate);
  return type.is_float() ? e.ir().CreateFCmp(predicate, a, b) : e.ir().CreateICmp(predicate, a, b);
}

bool set_predicate(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type, result;
  if (!types_of(at, type, &result) || at.operands.size() < 3 || at.words.empty() || type.is_packed) return false;
  Value* answer = compare(e, at.words[0], type, e.value(at.operands[1], type), e.value(at.operands[2], type));
  if (answer == nullptr) return false;
  if (at.opcode == "set") {
    llvm::Type* t = e.llvm_type(result);
    Value* yes = result.is_float() ? static_cast<Value*>(llvm::ConstantFP::get(t, 1)) : llvm::Constant::getAllOnesValue(t);
    return e.assign(at.operands[0], e.ir().CreateSelect(answer, yes, llvm::Constant::getNullValue(t))), true;
  }
  Value* opposite = e.ir().CreateNot(answer);
  if (at.operands.size() == 4) {
    Value* other = e.flag(at.operands[3]);
    auto join = [&](Value* mine) {
      return at.has("and")  ? e.ir().CreateAnd(mine, other)
             : at.has("or") ? e.ir().CreateOr(mine, other)
                            : e.ir().CreateXor(mine, other);
    };
    answer = join(answer);
    opposite = join(opposite);
  }
  e.assign(at.operands[0], answer);
  if (!at.operands[0].second.empty()) e.assign(at.operands[0].second[0], opposite);
  return true;
}

bool select(PtxEmitter& e, const PtxInstruction& at) {
  PtxType type;
  if (!types_of(at, type) || at.operands.size() != 4) return false;
  return e.assign(at.operands[0],
                  e.ir().CreateSelect(e.flag(at.operands[3]), e.value(at.operands[1], type), e.value(at.operands[2], type)),
                  type.is_signed()),
         true;
}

Value* rounded(PtxEmitter& e, const PtxInstruction& at, Value* value) {
  const ID id = at.has("rzi")   ? llvm::Intrinsic::trunc
                : at.has("rmi") ? llvm::Intrinsic::floor
                : at.has("rpi") ? llvm::Intrinsic::ceil
                : at.has("rni") ? llvm::Intrinsic::rint
                                : llvm::Intrinsic::not_intrinsic;
  return id == llvm::Intrinsic::not_intrinsic ? value : e.intrinsic(id, {value->getType()}, {value});
}

bool convert(PtxEmitter& e, const PtxInstruction& at) {
  PtxType from, to;
  if (!types_of(at, from, &to) || at.operands.size() < 2) return false;
  if (at.has("rz") || at.has("rm") || at.has("rp") || at.has("rs")) return false;  // directed roundings of floats are not here
  llvm::IRBuilder<>& ir = e.ir();
  if (to.is_packed) {  // d = {a, b}: a in the high half
    if (at.operands.size() != 3) return false;
    PtxType half = {to.kind, 16, false};
    Value* both = llvm::PoisonValue::get(e.llvm_type(to));
    for (std::uint64_t i = 0; i < 2; ++i)
      both = ir.CreateInsertElement(
          both, saturated(e, at, ir.CreateFPTrunc(e.value(at.operands[2 - i], {'f', 32, false}), e.llvm_type(half))), i);
    return e.assign(at.operands[0], both), true;
  }
  Value* a = e.value(at.operands[1], from);
  if (at.has("tf32")) {  // to 10 bits of mantissa, ties away from zero
    Value* raw = ir.CreateAnd(ir.CreateAdd(ir.CreateBitCast(a, ir.getInt32Ty()), e.word(0x1000)), e.word(0xffffe000));
    return e.assign(at.operands[0], raw), true;
  }
  llvm::Type* t = e.llvm_type(to);
  Value* value = nullptr;
  if (from.is_float() && to.is_float()) {
    a = rounded(e, at, a);
    value = from.bits < to.bits    ? ir.CreateFPExt(a, t)
            : from.bits > to.bits  ? ir.CreateFPTrunc(a, t)
            : from.kind == to.kind ? a
                                   : ir.CreateFPTrunc(ir.CreateFPExt(a, ir.getFloatTy()), t);
    value = saturated(e, at, value);
  } else if (from.is_float()) {
    a = rounded(e, at, a);
    value = e.intrinsic(to.is_signed() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat, {t, a->getType()}, {a});
  } else if (to.is_float()) {
    value = from.is_signed() ? ir.CreateSIToFP(a, t) : ir.CreateUIToFP(a, t);
  } else if (at.has("sat")) {
    llvm::Type* wide = ir.getIntNTy(128);
    Value* x = from.is_signed() ? ir.CreateSExt(a, wide) : ir.CreateZExt(a, wide);
    const llvm::APInt low = to.is_signed() ? llvm::APInt::getSignedMinValue(to.bits).sext(128) : llvm::APInt(128, 0);
    const llvm::APInt high =
        to.is_signed() ? llvm::APInt::getSignedMaxValue(to.bits).zext(128) : llvm::APInt::getMaxValue(to.bits).zext(128);
    x = e.intrinsic(llvm::Intrinsic::smax, {wide}, {x, llvm::ConstantInt::get(wide, low)});
    value = ir.CreateTrunc(e.intrinsic(llvm::Intrinsic::smin, {wide}, {x, llvm::ConstantInt::get(wide, high)}), t);
  } else {
    value = from.is_signed() ? ir.CreateSExtOrTrunc(a, t) : ir.CreateZExtOrTrunc(a, t);
  }
  return e.assign(at.operands[0], value, to.is_signed()), true;
}

}  // namespace

PtxHandler arithmetic_handler(const std::string& opcode) {
  static const std::map<std::string, PtxHandler> table = {
      {"mov", move},           {"add", add_like},      {"sub", add_like},     {"addc", add_like},      {"subc", add_like},
      {"mul", multiply},       {"mul24", multiply},    {"mad", multiply_add}, {"mad24", multiply_add}, {"madc", multiply_add},
      {"fma", multiply_add},   {"div", divide},        {"rem", divide},       {"min", min_max},        {"max", min_max},
      {"neg", unary},          {"abs", unary},         {"not", unary},        {"cnot", unary},         {"popc", unary},
      {"clz", unary},          {"brev", unary},        {"sqrt", unary},       {"rcp", unary},          {"rsqrt", unary},
      {"ex2", unary},          {"lg2", unary},         {"sin", unary},        {"cos", unary},          {"tanh", unary},
      {"and", logic},          {"or", logic},          {"xor", logic},        {"shl", shift},          {"shr", shift},
      {"shf", funnel},         {"prmt", by_call},      {"lop3", by_call},     {"bfe", by_call},        {"bfi", by_call},
      {"bfind", by_call},      {"sad", by_call},       {"dp4a", by_call},     {"dp2a", by_call},       {"copysign", by_call},
      {"setp", set_predicate}, {"set", set_predicate}, {"selp", select},      {"cvt", convert}};
  auto found = table.find(opcode);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace starbridge::emulate
