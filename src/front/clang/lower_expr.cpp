// Expressions. What they do besides giving a value becomes statements before them.
#include "front/clang/lower.h"

namespace starbridge::front {

using clang::QualType;

namespace {

std::string float_text(const llvm::APFloat& value) {
  llvm::SmallString<32> text;
  value.toString(text, 17);
  return std::string(text.str());
}

const char* word_of(clang::BinaryOperatorKind kind) {
  switch (kind) {
    case clang::BO_Add:
    case clang::BO_AddAssign:
      return "add";
    case clang::BO_Sub:
    case clang::BO_SubAssign:
      return "sub";
    case clang::BO_Mul:
    case clang::BO_MulAssign:
      return "mul";
    case clang::BO_Div:
    case clang::BO_DivAssign:
      return "div";
    case clang::BO_Rem:
    case clang::BO_RemAssign:
      return "rem";
    case clang::BO_And:
    case clang::BO_AndAssign:
      return "and";
    case clang::BO_Or:
    case clang::BO_OrAssign:
      return "or";
    case clang::BO_Xor:
    case clang::BO_XorAssign:
      return "xor";
    case clang::BO_Shl:
    case clang::BO_ShlAssign:
      return "shl";
    case clang::BO_Shr:
    case clang::BO_ShrAssign:
      return "shr";
    case clang::BO_LT:
      return "lt";
    case clang::BO_LE:
      return "le";
    case clang::BO_GT:
      return "gt";
    case clang::BO_GE:
      return "ge";
    case clang::BO_EQ:
      return "eq";
    case clang::BO_NE:
      return "ne";
    default:
      return nullptr;
  }
}

}  // namespace

Tree Lowering::number(const clang::Expr* expr) {
  Value result = value(expr);
  if (result.tree == nullptr)
    return fails_ ? constant("i32", 0) : fail(expr->getExprLoc(), "not_a_number:" + expr->getType().getAsString());
  return result.tree;
}

Tree Lowering::condition(const clang::Expr* expr) {
  Value result = value(expr);
  if (result.is_pointer) {
    Tree node = make("notnull", "b", result.pointer.array);
    return result.pointer.array.empty() ? constant("b", 0) : node;
  }
  if (result.tree == nullptr) return fail(expr->getExprLoc(), "condition:");
  return convert(result.tree, "b");
}

void Lowering::effect(const clang::Expr* expr) {
  expr = expr->IgnoreParens();
  if (const auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(expr)) return effect(cleanups->getSubExpr());
  if (const auto* unary_expr = llvm::dyn_cast<clang::UnaryOperator>(expr);
      unary_expr != nullptr && unary_expr->isIncrementDecrementOp()) {
    Place target = place(unary_expr->getSubExpr());
    if (target.kind == Place::kPointer) {
      Value moved =
          add_to_pointer(read(target).pointer, constant("i64", 1), target.type->getPointeeType(), unary_expr->isDecrementOp());
      emit(make("set", "i64", target.aim->name, {offset_in(moved.pointer, target.aim->memory.unit, expr->getExprLoc())}));
      return;
    }
    Tree old = read(target).tree;
    if (old == nullptr) return;
    Tree one = is_float(old->type) ? make("const", old->type, "1") : constant(old->type, 1);
    Value next;
    next.tree = make(unary_expr->isIncrementOp() ? "add" : "sub", old->type, "", {old, one});
    write(target, next);
    return;
  }
  (void)value(expr);
}

Value Lowering::binary(const clang::BinaryOperator* expr) {
  if (expr->isLogicalOp()) return short_circuit(expr);
  Value result;
  if (expr->getOpcode() == clang::BO_Comma) {
    effect(expr->getLHS());
    return value(expr->getRHS());
  }
  if (expr->getOpcode() == clang::BO_Assign) {
    Value right = value(expr->getRHS());
    const std::size_t mark = here_->args.size();
    Place target = place(expr->getLHS());
    if (fails_) return result;
    keep_before(right, mark);
    if (target.kind == Place::kPointer) {
      if (!right.is_pointer) return fail_value(expr, "pointer_assignment:");
      write_pointer(target, right.pointer, expr->getExprLoc());
      return right;
    }
    write(target, right);
    return expr->getType()->isRecordType() ? right : read(target);
  }
  if (expr->isCompoundAssignmentOp()) {
    Tree right = number(expr->getRHS());
    const std::size_t mark = here_->args.size();
    Place target = place(expr->getLHS());
    if (fails_) return result;
    keep_before(right, mark);
    if (target.kind == Place::kPointer) {
      Value moved =
          add_to_pointer(read(target).pointer, right, target.type->getPointeeType(), expr->getOpcode() == clang::BO_SubAssign);
      emit(make("set", "i64", target.aim->name, {offset_in(moved.pointer, target.aim->memory.unit, expr->getExprLoc())}));
      return read(target);
    }
    const auto* compound = llvm::cast<clang::CompoundAssignOperator>(expr);
    const std::string type = type_of(compound->getComputationResultType());
    const bool is_shift = expr->getOpcode() == clang::BO_ShlAssign || expr->getOpcode() == clang::BO_ShrAssign;
    Value next;
    next.tree =
        make(word_of(expr->getOpcode()), type, "", {convert(read(target).tree, type), is_shift ? right : convert(right, type)});
    write(target, next);
    return read(target);
  }
  const char* word = word_of(expr->getOpcode());
  if (word == nullptr) return fail_value(expr, std::string("operator:") + expr->getOpcodeStr().str());
  Value left = value(expr->getLHS());
  const std::size_t mark = here_->args.size();
  Value right = value(expr->getRHS());
  if (fails_) return result;
  keep_before(left, mark);
  if (left.is_pointer && right.is_pointer) {
    if (left.pointer.array != right.pointer.array || left.pointer.array.empty()) {
      // Compared with nullptr.
      const Value& known = left.pointer.array.empty() ? right : left;
      if (!left.pointer.array.empty() && !right.pointer.array.empty()) return fail_value(expr, "pointer_comparison:");
      Tree there = known.pointer.array.empty() ? constant("b", 0) : make("notnull", "b", known.pointer.array);
      result.tree = expr->getOpcode() == clang::BO_NE ? there : make("lnot", "b", "", {there});
      return result;
    }
    const int unit = std::min(left.pointer.unit, right.pointer.unit);
    Tree a = index_of(left.pointer, unit), b = index_of(right.pointer, unit);
    if (expr->getOpcode() != clang::BO_Sub) {
      result.tree = make(word, "b", "", {a, b});
      return result;
    }
    Value difference;
    difference.pointer = {left.pointer.array, make("sub", "i64", "", {a, b}), unit};
    result.tree = index_of(difference.pointer, bytes_of(expr->getLHS()->getType()->getPointeeType()));
    return result;
  }
  if (left.is_pointer)
    return add_to_pointer(left.pointer, right.tree, expr->getType()->getPointeeType(), expr->getOpcode() == clang::BO_Sub);
  if (right.is_pointer) return add_to_pointer(right.pointer, left.tree, expr->getType()->getPointeeType(), false);
  if (left.tree == nullptr || right.tree == nullptr) return fail_value(expr, "operands:");
  const std::string type = expr->isComparisonOp() ? "b" : type_of(expr->getType());
  result.tree = make(word, type, "", {left.tree, right.tree});
  return result;
}

Value Lowering::unary(const clang::UnaryOperator* expr) {
  Value result;
  switch (expr->getOpcode()) {
    case clang::UO_Plus:
    case clang::UO_Extension:
      return value(expr->getSubExpr());
    case clang::UO_Minus: {
      Tree inner = number(expr->getSubExpr());
      result.tree = make("neg", type_of(expr->getType()), "", {inner});
      return result;
    }
    case clang::UO_Not:
      result.tree = make("bnot", type_of(expr->getType()), "", {number(expr->getSubExpr())});
      return result;
    case clang::UO_LNot:
      result.tree = make("lnot", "b", "", {condition(expr->getSubExpr())});
      return result;
    case clang::UO_AddrOf: {
      Place target = place(expr->getSubExpr());
      if (target.kind == Place::kMemory) {
        result.is_pointer = true;
        result.pointer = target.memory;
        return result;
      }
      return fails_ ? result : fail_address(expr, target);
    }
    case clang::UO_PreInc:
    case clang::UO_PreDec:
      effect(expr);
      return read(place(expr->getSubExpr()));
    case clang::UO_PostInc:
    case clang::UO_PostDec: {
      Place target = place(expr->getSubExpr());
      Value old = read(target);
      const std::string kept = fresh("before");
      if (old.is_pointer) {
        emit(make("set", "i64", kept, {old.pointer.offset}));
        old.pointer.offset = make("var", "i64", kept);
      } else if (old.tree != nullptr) {
        emit(make("set", old.tree->type, kept, {old.tree}));
        old.tree = make("var", old.tree->type, kept);
      }
      effect(expr);
      return old;
    }
    default:
      return read(place(expr));
  }
}

Value Lowering::cast(const clang::CastExpr* expr) {
  switch (expr->getCastKind()) {
    case clang::CK_LValueToRValue: {
      clang::Expr::EvalResult constant_value;
      const clang::Expr* inner = expr->getSubExpr()->IgnoreParens();
      if (const auto* chosen = llvm::dyn_cast<clang::AbstractConditionalOperator>(inner)) return conditional(chosen);
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(inner);
      if (reference != nullptr && places_.count(reference->getDecl()) == 0 && expr->EvaluateAsRValue(constant_value, context_)) {
        Value result;
        if (constant_value.Val.isFloat()) {
          result.tree = make("const", type_of(expr->getType()), float_text(constant_value.Val.getFloat()));
          return result;
        }
      }
      return read(place(expr->getSubExpr()));
    }
    case clang::CK_ArrayToPointerDecay: {
      Place array = place(expr->getSubExpr());
      Value result;
      result.is_pointer = true;
      result.pointer = array.memory;
      return result;
    }
    case clang::CK_NullToPointer: {
      Value result;
      result.is_pointer = true;
      result.pointer.offset = constant("i64", 0);
      return result;
    }
    case clang::CK_ToVoid:
      effect(expr->getSubExpr());
      return {};
    case clang::CK_FunctionToPointerDecay:
      return fail_value(expr, "function_pointer:");
    case clang::CK_IntegralToPointer:
    case clang::CK_PointerToIntegral:
      return fail_value(expr, "pointer_as_number:");
    case clang::CK_PointerToBoolean: {
      Value result;
      result.tree = condition(expr->getSubExpr());
      return result;
    }
    case clang::CK_ConstructorConversion:
    case clang::CK_UserDefinedConversion:
    case clang::CK_NoOp:
    case clang::CK_BitCast:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_AddressSpaceConversion:
      return value(expr->getSubExpr());
    default: {
      Value inner = value(expr->getSubExpr());
      if (inner.tree != nullptr) inner.tree = convert(inner.tree, type_of(expr->getType()));
      return inner;
    }
  }
}

Value Lowering::construct(const clang::CXXConstructExpr* expr) {
  std::string half;
  if (is_half(expr->getConstructor()->getParent(), half)) {
    Value result;
    if (expr->getNumArgs() == 0)
      result.tree = make("const", half, "0");
    else
      result.tree = convert(number(expr->getArg(0)), half);
    return result;
  }
  const auto* made = expr->getConstructor();
  if (expr->getNumArgs() == 1 && (made->isCopyOrMoveConstructor())) return value(expr->getArg(0));
  if (made->isDefaultConstructor() && made->isTrivial()) return zero(expr->getType());
  const auto* record = made->getParent();
  Place object = make_place(expr->getType(), record->getNameAsString(), expr);
  const clang::FunctionDecl* definition = nullptr;
  if (!made->hasBody(definition)) return fail_value(expr, "call:" + record->getNameAsString());
  std::vector<const clang::Expr*> arguments(expr->arg_begin(), expr->arg_end());
  (void)inlined(definition, arguments, &object, expr);
  return read(object);
}

Value Lowering::value(const clang::Expr* expr) {
  Value result;
  if (fails_) return {constant("i32", 0), false, {}, {}};
  expr = expr->IgnoreParens();
  if (expr->getType()->isIntegralOrEnumerationType() && !expr->isValueDependent()) {
    clang::Expr::EvalResult known;
    if (expr->EvaluateAsInt(known, context_, clang::Expr::SE_NoSideEffects)) {
      llvm::SmallString<24> digits;
      known.Val.getInt().toString(digits, 10);
      result.tree = make("const", type_of(expr->getType()), std::string(digits.str()));
      return result;
    }
  }
  if (const auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(expr)) {
    result.tree = make("const", type_of(expr->getType()), float_text(literal->getValue()));
    return result;
  }
  if (const auto* inner = llvm::dyn_cast<clang::ExprWithCleanups>(expr)) return value(inner->getSubExpr());
  if (const auto* inner = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expr)) return value(inner->getSubExpr());
  if (const auto* inner = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(expr)) return value(inner->getSubExpr());
  if (const auto* inner = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expr)) return value(inner->getReplacement());
  if (const auto* inner = llvm::dyn_cast<clang::CXXDefaultArgExpr>(expr)) return value(inner->getExpr());
  if (const auto* inner = llvm::dyn_cast<clang::CXXDefaultInitExpr>(expr)) return value(inner->getExpr());
  if (const auto* inner = llvm::dyn_cast<clang::ConstantExpr>(expr)) return value(inner->getSubExpr());
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(expr)) return construct(made);
  if (const auto* called = llvm::dyn_cast<clang::CallExpr>(expr)) return call(called);
  if (const auto* given = llvm::dyn_cast<clang::CastExpr>(expr)) return cast(given);
  if (const auto* two = llvm::dyn_cast<clang::BinaryOperator>(expr)) return binary(two);
  if (const auto* one = llvm::dyn_cast<clang::UnaryOperator>(expr)) return unary(one);
  if (const auto* chosen = llvm::dyn_cast<clang::AbstractConditionalOperator>(expr)) return conditional(chosen);
  if (llvm::isa<clang::CXXScalarValueInitExpr>(expr) || llvm::isa<clang::ImplicitValueInitExpr>(expr) ||
      llvm::isa<clang::GNUNullExpr>(expr) || llvm::isa<clang::CXXNullPtrLiteralExpr>(expr))
    return zero(expr->getType());
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(expr)) {
    if (!type_of(expr->getType()).empty()) return list->getNumInits() == 0 ? zero(expr->getType()) : value(list->getInit(0));
    for (const clang::Expr* each : list->inits()) result.members.push_back(value(each));
    return result;
  }
  if (llvm::isa<clang::CXXThisExpr>(expr)) {
    const Place* object = frames_.back().object;
    if (object == nullptr) return fail_value(expr, "this:");
    if (object->kind != Place::kMemory) return fail_address(expr, *object);
    result.is_pointer = true;
    result.pointer = object->memory;
    return result;
  }
  if (expr->isGLValue() || llvm::isa<clang::MemberExpr>(expr)) return read(place(expr));
  return fail_value(expr, std::string("construct:") + expr->getStmtClassName());
}

}  // namespace starbridge::front
