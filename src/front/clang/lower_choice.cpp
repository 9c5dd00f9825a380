// Choices inside expressions: and, or, the conditional. Where a side does something, they become statements.
#include "front/clang/lower.h"

namespace starbridge::front {

Value Lowering::short_circuit(const clang::BinaryOperator* expr) {
  const bool is_and = expr->getOpcode() == clang::BO_LAnd;
  Tree left = condition(expr->getLHS());
  Tree saved = here_, side = make("seq", "", "");
  here_ = side;
  Tree right = condition(expr->getRHS());
  here_ = saved;
  Value result;
  if (side->args.empty()) {
    result.tree = make(is_and ? "land" : "lor", "b", "", {left, right});
    return result;
  }
  const std::string name = fresh("holds");
  emit(make("set", "b", name, {left}));
  here_ = side;
  emit(make("set", "b", name, {right}));
  here_ = saved;
  Tree test = make("var", "b", name);
  emit(make("if", "", "", {is_and ? test : make("lnot", "b", "", {test}), side}));
  result.tree = make("var", "b", name);
  return result;
}

Value Lowering::conditional(const clang::AbstractConditionalOperator* expr) {
  Tree test = condition(expr->getCond());
  if (test->op == "const") return value(test->name == "0" ? expr->getFalseExpr() : expr->getTrueExpr());
  Tree saved = here_, yes_side = make("seq", "", ""), no_side = make("seq", "", "");
  here_ = yes_side;
  Value yes = value(expr->getTrueExpr());
  here_ = no_side;
  Value no = value(expr->getFalseExpr());
  here_ = saved;
  Value result;
  if (fails_) return result;
  if (yes.is_pointer) {
    if (yes.pointer.array != no.pointer.array) return fail_value(expr, "pointer_choice:");
    result = yes;
    result.pointer.unit = std::min(yes.pointer.unit, no.pointer.unit);
    result.pointer.offset =
        make("select", "i64", "", {test, index_of(yes.pointer, result.pointer.unit), index_of(no.pointer, result.pointer.unit)});
    return result;
  }
  const std::string type = type_of(expr->getType());
  if (expr->getType()->isVoidType()) {
    if (!yes_side->args.empty() || !no_side->args.empty()) emit(make("if", "", "", {test, yes_side, no_side}));
    return result;
  }
  if (!type.empty() && yes_side->args.empty() && no_side->args.empty()) {
    result.tree = make("select", type, "", {test, convert(yes.tree, type), convert(no.tree, type)});
    return result;
  }
  Place made = make_place(expr->getType(), "chosen");
  here_ = yes_side;
  write(made, yes);
  here_ = no_side;
  write(made, no);
  here_ = saved;
  emit(make("if", "", "", {test, yes_side, no_side}));
  return read(made);
}

}  // namespace starbridge::front
