// Places: where an expression leads to. What has none gets one of its own, as long as nobody could store into the copy.
#include <llvm/ADT/StringSwitch.h>

#include "front/clang/lower.h"

namespace starbridge::front {

using clang::QualType;

Place Lowering::special_member(const clang::Expr* base, const std::string& field) {
  Place none;
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(base->IgnoreParenImpCasts());
  if (reference == nullptr) return none;
  const std::string word = llvm::StringSwitch<std::string>(reference->getDecl()->getName())
                               .Case("threadIdx", "tid")
                               .Case("blockIdx", "bid")
                               .Case("blockDim", "bdim")
                               .Case("gridDim", "gdim")
                               .Default("");
  if (word.empty()) return none;
  none.kind = Place::kVariable;
  none.name = word + "." + field;
  none.type = context_.UnsignedIntTy;
  return none;
}

Place Lowering::place(const clang::Expr* expr) {
  expr = expr->IgnoreParens();
  if (fails_) return {};
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expr)) {
    const auto* decl = reference->getDecl();
    if (auto found = places_.find(decl); found != places_.end()) return found->second;
    const auto* var = llvm::dyn_cast<clang::VarDecl>(decl);
    if (var != nullptr && var->hasGlobalStorage()) {
      std::string scalar;
      QualType element_type = var->getType();
      long long count = 1;
      while (const auto* array = context_.getAsConstantArrayType(element_type)) {
        count *= array->getSize().getSExtValue();
        element_type = array->getElementType();
      }
      scalar = type_of(element_type);
      const int unit = element_type->isIncompleteType() ? 1 : bytes_of(element_type);
      if (scalar.empty()) {
        scalar = unit % 4 == 0 ? "f32" : "u8";
        count = count * unit / type_bytes(scalar);
      }
      if (element_type->isPointerType()) {
        fail(expr->getExprLoc(), "pointer_in_memory:" + var->getNameAsString());
        return {};
      }
      const std::string name = fresh(var->getNameAsString());
      Tree array = array_node(name, "symbol", scalar, count);
      array->args.push_back(make("argument", "", var->getQualifiedNameAsString()));
      kernel_->args.push_back(array);
      Place place = element({name, constant("i64", 0), unit}, var->getType());
      places_[decl] = place;
      return place;
    }
    fail(expr->getExprLoc(), "name:" + decl->getNameAsString());
    return {};
  }
  if (const auto* member_expr = llvm::dyn_cast<clang::MemberExpr>(expr)) {
    if (const auto* field = llvm::dyn_cast<clang::FieldDecl>(member_expr->getMemberDecl())) {
      Place special = special_member(member_expr->getBase(), field->getNameAsString());
      if (special.kind != Place::kNone) return special;
      if (member_expr->isArrow()) {
        if (llvm::isa<clang::CXXThisExpr>(member_expr->getBase()->IgnoreParenImpCasts()) && frames_.back().object != nullptr)
          return member(*frames_.back().object, field);
        Value base = value(member_expr->getBase());
        if (!base.is_pointer) return {};
        return member(element(base.pointer, member_expr->getBase()->getType()->getPointeeType()), field);
      }
      return member(place(member_expr->getBase()), field);
    }
  }
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expr)) {
    Value base = value(subscript->getBase());
    const std::size_t mark = here_->args.size();
    Tree index = number(subscript->getIdx());
    if (!base.is_pointer || fails_) return {};
    keep_before(base, mark);
    return element(add_to_pointer(base.pointer, index, expr->getType(), false).pointer, expr->getType());
  }
  if (const auto* unary_expr = llvm::dyn_cast<clang::UnaryOperator>(expr)) {
    if (unary_expr->getOpcode() == clang::UO_Deref) {
      const clang::Expr* inner = unary_expr->getSubExpr()->IgnoreParenImpCasts();
      if (llvm::isa<clang::CXXThisExpr>(inner)) {
        if (frames_.back().object != nullptr) return *frames_.back().object;
      }
      Value base = value(unary_expr->getSubExpr());
      if (!base.is_pointer) return {};
      if (auto found = places_.find(nullptr); base.pointer.array.rfind("&", 0) == 0) {
        (void)found;
        fail(expr->getExprLoc(), "address_of_variable:");
        return {};
      }
      return element(base.pointer, expr->getType());
    }
    if (unary_expr->isIncrementDecrementOp()) {
      effect(expr);
      return place(unary_expr->getSubExpr());
    }
  }
  if (const auto* binary_expr = llvm::dyn_cast<clang::BinaryOperator>(expr);
      binary_expr != nullptr && binary_expr->isAssignmentOp()) {
    (void)value(expr);
    return place(binary_expr->getLHS());
  }
  if (const auto* implicit = llvm::dyn_cast<clang::CastExpr>(expr)) {
    if (implicit->getCastKind() == clang::CK_NoOp) return place(implicit->getSubExpr());
    if (implicit->getCastKind() == clang::CK_LValueBitCast) {
      Place inner = place(implicit->getSubExpr());
      if (inner.kind == Place::kMemory) inner.type = expr->getType();
      return inner;
    }
    if (implicit->getCastKind() == clang::CK_DerivedToBase || implicit->getCastKind() == clang::CK_UncheckedDerivedToBase) {
      Place inner = place(implicit->getSubExpr());
      return inner.kind == Place::kRecord && inner.members.size() == 1 ? inner.members[0] : inner;
    }
  }
  if (llvm::isa<clang::CXXThisExpr>(expr) && frames_.back().object != nullptr) return *frames_.back().object;
  if (const auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(expr)) return place(cleanups->getSubExpr());
  if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(expr)) return text(literal);
  if (const auto* called = llvm::dyn_cast<clang::CallExpr>(expr); called != nullptr && called->isLValue()) {
    returned_ = {};
    Value whole = call(called);
    if (fails_) return {};
    if (returned_.kind != Place::kNone) return returned_;
    if (!called->getCallReturnType(context_).getNonReferenceType().isConstQualified()) {
      fail(expr->getExprLoc(), "reference:");
      return {};
    }
    Place copied = make_place(expr->getType(), "held", expr);  // a reference to what may only be read
    write(copied, whole);
    return copied;
  }
  // A temporary: give it a place of its own.
  const clang::Expr* inner = expr;
  if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expr)) inner = temporary->getSubExpr();
  if (inner->isLValue()) {  // a copy would take the store
    fail(expr->getExprLoc(), std::string("construct:") + expr->getStmtClassName());
    return {};
  }
  Value held = value(inner);
  if (fails_) return {};
  if (held.is_pointer) {
    Place made;
    made.kind = Place::kPointer;
    made.type = expr->getType();
    made.aim = std::make_shared<Aim>();
    made.aim->memory = held.pointer;
    return made;
  }
  Place made = make_place(expr->getType(), "held", expr);
  write(made, held);
  return made;
}

}  // namespace starbridge::front
