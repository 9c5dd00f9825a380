// What CUDA itself offers by name: mathematics, half types, loads with a hint, memcpy of values.
#include <llvm/ADT/StringSwitch.h>

#include "front/clang/lower.h"

namespace starbridge::front {

using clang::QualType;

namespace {

// Functions that keep their meaning under one name on both sides; f and the fast forms are folded into the plain name.
std::string math_name(llvm::StringRef name) {
  static const std::set<std::string> plain = {
      "sqrt",  "rsqrt", "cbrt",      "exp",   "exp2",  "exp10", "expm1",    "log",      "log2",     "log10",
      "log1p", "sin",   "cos",       "tan",   "asin",  "acos",  "atan",     "sinh",     "cosh",     "tanh",
      "asinh", "acosh", "atanh",     "pow",   "atan2", "fmod",  "hypot",    "fabs",     "floor",    "ceil",
      "round", "rint",  "nearbyint", "trunc", "fmin",  "fmax",  "fma",      "copysign", "erf",      "erfc",
      "fdim",  "min",   "max",       "abs",   "isnan", "isinf", "isfinite", "ldexp",    "remainder"};
  std::string word = name.str();
  if (word.rfind("std::", 0) == 0) word = word.substr(5);
  if (word.rfind("__builtin_", 0) == 0) word = word.substr(10);
  static const std::map<std::string, std::string> special = {{"__expf", "exp"},
                                                             {"__exp10f", "exp10"},
                                                             {"__logf", "log"},
                                                             {"__log2f", "log2"},
                                                             {"__log10f", "log10"},
                                                             {"__sinf", "sin"},
                                                             {"__cosf", "cos"},
                                                             {"__tanf", "tan"},
                                                             {"__powf", "pow"},
                                                             {"__fdividef", "fdiv"},
                                                             {"fdividef", "fdiv"},
                                                             {"__fsqrt_rn", "sqrt"},
                                                             {"__frsqrt_rn", "rsqrt"},
                                                             {"__frcp_rn", "recip"},
                                                             {"__fmaf_rn", "fma"},
                                                             {"__fadd_rn", "fadd"},
                                                             {"__fsub_rn", "fsub"},
                                                             {"__fmul_rn", "fmul"},
                                                             {"__fdiv_rn", "fdiv"},
                                                             {"umin", "min"},
                                                             {"umax", "max"},
                                                             {"llmin", "min"},
                                                             {"llmax", "max"},
                                                             {"labs", "abs"},
                                                             {"llabs", "abs"},
                                                             {"isnanf", "isnan"},
                                                             {"isinff", "isinf"},
                                                             {"__isnan", "isnan"},
                                                             {"__popc", "popc"},
                                                             {"__popcll", "popcll"},
                                                             {"__clz", "clz"},
                                                             {"__clzll", "clzll"},
                                                             {"__ffs", "ffs"},
                                                             {"__float_as_int", "float_as_int"},
                                                             {"__float_as_uint", "float_as_uint"},
                                                             {"__int_as_float", "int_as_float"},
                                                             {"__uint_as_float", "uint_as_float"},
                                                             {"__mul24", "mul24"},
                                                             {"__umul24", "mul24"},
                                                             {"__mulhi", "mulhi"},
                                                             {"__umulhi", "umulhi"},
                                                             {"__brev", "brev"},
                                                             {"__float2int_rn", "float2int_rn"},
                                                             {"__float2int_rz", "float2int_rz"},
                                                             {"__float2int_rd", "float2int_rd"},
                                                             {"__float2int_ru", "float2int_ru"},
                                                             {"__int2float_rn", "int2float"},
                                                             {"__saturatef", "saturate"}};
  if (auto found = special.find(word); found != special.end()) return found->second;
  if (plain.count(word) > 0) return word;
  if (word.size() > 1 && word.back() == 'f' && plain.count(word.substr(0, word.size() - 1)) > 0)
    return word.substr(0, word.size() - 1);
  return "";
}

bool is_ours(const clang::FunctionDecl* function, const clang::ASTContext& context) {
  return context.getSourceManager().isInSystemHeader(function->getLocation());
}

}  // namespace

bool Lowering::half_call(const clang::CallExpr* expr, const std::string& name, Value& result) {
  const std::string to = llvm::StringSwitch<std::string>(name)
                             .Cases("__half2float", "__bfloat162float", "f32")
                             .Cases("__float2half", "__float2half_rn", "__double2half", "f16")
                             .Cases("__float2bfloat16", "__float2bfloat16_rn", "bf16")
                             .Default("");
  if (!to.empty() && expr->getNumArgs() == 1) {
    result.tree = convert(number(expr->getArg(0)), to);
    return true;
  }
  if (const auto* member_call = llvm::dyn_cast<clang::CXXMemberCallExpr>(expr)) {
    std::string half;
    const auto* conversion = llvm::dyn_cast_or_null<clang::CXXConversionDecl>(member_call->getMethodDecl());
    if (conversion != nullptr && is_half(member_call->getRecordDecl(), half)) {
      result.tree = convert(number(member_call->getImplicitObjectArgument()), type_of(expr->getType()));
      return true;
    }
    return false;
  }
  const std::string word = llvm::StringSwitch<std::string>(name)
                               .Case("__hadd", "add")
                               .Case("__hsub", "sub")
                               .Case("__hmul", "mul")
                               .Case("__hdiv", "div")
                               .Default("");
  std::string operation = word;
  if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expr)) {
    if (op->getOperator() == clang::OO_Equal && expr->getNumArgs() == 2) {
      const std::string half = type_of(expr->getArg(0)->getType());
      if (half != "f16" && half != "bf16") return false;
      Value right;
      right.tree = convert(number(expr->getArg(1)), half);
      write(place(expr->getArg(0)), right);
      result = right;
      return true;
    }
    switch (op->getOperator()) {
      case clang::OO_Plus:
        operation = "add";
        break;
      case clang::OO_Minus:
        operation = "sub";
        break;
      case clang::OO_Star:
        operation = "mul";
        break;
      case clang::OO_Slash:
        operation = "div";
        break;
      case clang::OO_Less:
        operation = "lt";
        break;
      case clang::OO_Greater:
        operation = "gt";
        break;
      default:
        break;
    }
  }
  if (operation.empty() || expr->getNumArgs() != 2) return false;
  const std::string type = type_of(expr->getArg(0)->getType());
  if (type != "f16" && type != "bf16") return false;
  const bool is_comparison = operation == "lt" || operation == "gt";
  // One rounding from float gives what the card's half instructions give.
  Tree wide = make(operation, is_comparison ? "b" : "f32", "",
                   {convert(number(expr->getArg(0)), "f32"), convert(number(expr->getArg(1)), "f32")});
  result.tree = is_comparison ? wide : convert(wide, type);
  return true;
}

// memcpy(&one, &other, sizeof one): the words of one value as another.
void Lowering::copy_value(const clang::CallExpr* expr) {
  auto target = [&](const clang::Expr* given) {
    given = given->IgnoreParenCasts();
    const auto* address = llvm::dyn_cast<clang::UnaryOperator>(given);
    if (address != nullptr && address->getOpcode() == clang::UO_AddrOf) return place(address->getSubExpr());
    if (given->getType()->isArrayType()) return place(given);
    if (!given->getType()->isPointerType()) return Place{};
    return element(value(given).pointer, given->getType()->getPointeeType());
  };
  const Place to = target(expr->getArg(0)), from = target(expr->getArg(1));
  clang::Expr::EvalResult bytes;
  if (fails_) return;
  if (!expr->getArg(2)->EvaluateAsInt(bytes, context_) || to.kind == Place::kNone || from.kind == Place::kNone) {
    fail(expr->getExprLoc(), "call:memcpy");
    return;
  }
  const long long count = bytes.Val.getInt().getExtValue();
  std::vector<Leaf> source, sink;
  if (!leaves(from, count, source) || !leaves(to, count, sink) || count % 4 != 0) {
    fail(expr->getExprLoc(), "call:memcpy");
    return;
  }
  std::vector<Tree> words;  // of 32 bits
  for (std::size_t i = 0; i < source.size();) {
    const std::string name = fresh("bits");
    Tree word;
    if (type_bytes(source[i].type) == 4) {
      word = as_bits(read(source[i].place).tree);
      ++i;
    } else {
      Tree low = bits_of_brain(read(source[i].place).tree), high = bits_of_brain(read(source[i + 1].place).tree);
      word = make("or", "u32", "", {make("shr", "u32", "", {low, constant("u32", 16)}), high});
      i += 2;
    }
    emit(make("set", "u32", name, {word}));
    words.push_back(make("var", "u32", name));
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < sink.size() && at < words.size(); ++at) {
    Value given;
    if (type_bytes(sink[i].type) == 4) {
      given.tree = is_float(sink[i].type) ? make("call", "f32", "uint_as_float", {words[at]}) : convert(words[at], sink[i].type);
      write(sink[i++].place, given);
      continue;
    }
    Tree low = make("shl", "u32", "", {words[at], constant("u32", 16)}),
         high = make("and", "u32", "", {words[at], constant("u32", 0xffff0000LL)});
    for (const Tree& half : {low, high}) {
      given.tree = make("cast", sink[i].type, "", {make("call", "f32", "uint_as_float", {half})});
      write(sink[i++].place, given);
    }
  }
}

Tree Lowering::as_bits(const Tree& tree) {
  if (!is_float(tree->type)) return convert(tree, "u32");
  return make("call", "u32", "float_as_uint", {tree});
}
Tree Lowering::bits_of_brain(const Tree& tree) { return make("call", "u32", "float_as_uint", {convert(tree, "f32")}); }

// The numbers a place is made of, as long as they are words or brain floats in pairs.
bool Lowering::leaves(const Place& of, long long bytes, std::vector<Leaf>& all) {
  const std::string type = type_of(of.type);
  if (!type.empty()) {
    // A pointer to a number stands for as many as are copied.
    const int one = type_bytes(type);
    if ((one != 4 && type != "bf16") || of.kind == Place::kNone) return false;
    if (one == bytes || of.kind == Place::kVariable) {
      all.push_back({type, of});
      return one == bytes;
    }
    for (long long at = 0; at < bytes; at += one)
      all.push_back({type, element(add_to_pointer(of.memory, constant("i64", at / one), of.type, false).pointer, of.type)});
    return true;
  }
  const auto total = context_.getTypeSizeInChars(of.type).getQuantity();
  if (total != bytes) return false;
  if (const auto* array = context_.getAsConstantArrayType(of.type)) {
    const QualType inner = array->getElementType();
    for (long long i = 0; i < array->getSize().getSExtValue(); ++i) {
      if (!leaves(element(add_to_pointer(of.memory, constant("i64", i), inner, false).pointer, inner), bytes_of(inner), all))
        return false;
    }
    return true;
  }
  const auto* record = of.type->getAsCXXRecordDecl();
  if (record == nullptr) return false;
  for (const auto* field : record->fields()) {
    if (!leaves(member(of, field), bytes_of(field->getType()), all)) return false;
  }
  return true;
}

bool Lowering::intrinsic(const clang::CallExpr* expr, const std::string& name, Value& result) {
  if (name == "__syncthreads") return emit(make("barrier", "", "")), true;
  if (name == "__syncwarp") {
    emit(make("barrier", "", ""))->extra = "warp";
    return true;
  }
  if (name == "__threadfence_block" || name == "__nanosleep" || name == "__builtin_assume") return true;
  if (name == "__threadfence" || name == "__threadfence_system") return fail(expr->getExprLoc(), "fence:" + name), true;
  if (name == "__activemask") {  // those that come by together
    Tree node = make("warp", "u32", fresh("active"), {constant("b", 1), constant("i32", 0), constant("i32", 32)});
    node->extra = "ballot";
    emit(node);
    result.tree = make("var", "u32", node->name);
    return true;
  }
  if (name == "__match_any_sync") return match(expr, result), true;
  if (name == "__sb_thread_rank") {
    result.tree = make("special", "u32", "tid.linear");
    return true;
  }
  if (name == "__builtin_inff" || name == "__builtin_inf" || name == "__builtin_huge_val" || name == "__builtin_huge_valf" ||
      name.rfind("__builtin_nan", 0) == 0) {
    result.tree = make("const", type_of(expr->getType()), name.rfind("__builtin_nan", 0) == 0 ? "NaN" : "+Inf");
    return true;
  }
  if (name == "__sb_lane") {
    result.tree = make("and", "u32", "", {make("special", "u32", "tid.linear"), constant("u32", 31)});
    return true;
  }
  if (name == "__assert_fail" || name == "__sb_assert_fail") return true;  // what an assertion promises is not carried over
  if (llvm::StringSwitch<bool>(name).Cases("__ldg", "__ldca", "__ldcs", "__ldlu", "__ldcg", true).Default(false)) {
    Value address = value(expr->getArg(0));
    if (address.is_pointer && !fails_) result = read(element(address.pointer, expr->getArg(0)->getType()->getPointeeType()));
    return true;
  }
  if (llvm::StringSwitch<bool>(name).Cases("__stwb", "__stcg", "__stcs", "__stwt", true).Default(false)) {
    Value address = value(expr->getArg(0));
    if (address.is_pointer && !fails_)
      write(element(address.pointer, expr->getArg(0)->getType()->getPointeeType()), value(expr->getArg(1)));
    return true;
  }
  if (name == "printf" || name == "__sb_printf") return fail(expr->getExprLoc(), "printf:"), true;
  if (warp(expr, name, result) || atomic(expr, name, result) || half_call(expr, name, result)) return true;
  if (name == "sincosf" || name == "__sincosf" || name == "sincos") {
    for (unsigned i = 0; i < 2; ++i) {
      const auto* address = llvm::dyn_cast<clang::UnaryOperator>(expr->getArg(i + 1)->IgnoreParenImpCasts());
      if (address == nullptr) return fail(expr->getExprLoc(), "address_of_variable:"), true;
      Value one;
      one.tree = make("call", "f32", i == 0 ? "sin" : "cos", {convert(number(expr->getArg(0)), "f32")});
      write(place(address->getSubExpr()), one);
    }
    return true;
  }
  if ((name == "memcpy" || name == "__builtin_memcpy") && expr->getNumArgs() == 3) return copy_value(expr), true;
  const std::string math = math_name(name);
  const auto* callee = expr->getDirectCallee();
  // std::numeric_limits<float>::max() is another max.
  if (math.empty() || expr->getNumArgs() == 0 || (callee != nullptr && callee->getBuiltinID() == 0 && !is_ours(callee, context_)))
    return false;
  const std::string type = math == "isnan" || math == "isinf" || math == "isfinite" ? "b" : type_of(expr->getType());
  if (math == "min" || math == "max") {
    for (const clang::Expr* each : expr->arguments()) {
      if (type_of(each->getType()).empty()) return false;
    }
  }
  Tree node = make("call", type, math);
  for (const clang::Expr* each : expr->arguments())
    node->args.push_back(
        type == "b"
            ? number(each)
            : convert(number(each), math == "float_as_int" || math == "float_as_uint" || math.rfind("float2int", 0) == 0 ? "f32"
                                    : math == "int_as_float" || math == "int2float"                                      ? "i32"
                                    : math == "uint_as_float"                                                            ? "u32"
                                    : math == "ldexp" && node->args.size() == 1                                          ? "i32"
                                    : math == "popc" || math == "clz" || math == "ffs"                                   ? "u32"
                                    : math == "popcll" || math == "clzll"                                                ? "u64"
                                                                                                                         : type));
  result.tree = node;
  // std::min and std::max are comparisons: what they make of NaN depends on its side.
  if ((math == "min" || math == "max") && is_float(type) && node->args.size() == 2 && callee != nullptr && callee->isInStdNamespace()) {
    std::vector<Tree> sides;
    for (const Tree& each : node->args) {
      const std::string side = fresh("side");
      emit(make("set", type, side, {each}));
      sides.push_back(make("var", type, side));
    }
    const bool is_min = math == "min";
    const Tree test = make("lt", "b", "", {sides[is_min ? 1 : 0], sides[is_min ? 0 : 1]});
    result.tree = make("select", type, "", {test, sides[1], sides[0]});
  }
  return true;
}

}  // namespace starbridge::front
