// Calls: cooperative groups, atomics, warp operations and the program's own functions, which are inlined.
#include <llvm/ADT/StringSwitch.h>

#include "front/clang/lower.h"

namespace starbridge::front {

using clang::QualType;

namespace {

// The kind of group a cooperative-groups object stands for.
std::string group_of(QualType type, int& width) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (record == nullptr) return "";
  const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(record->getDeclContext());
  if (space == nullptr || space->getName() != "cooperative_groups") return "";
  if (const auto* tile = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record)) {
    if (tile->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Integral)
      width = static_cast<int>(tile->getTemplateArgs()[0].getAsIntegral().getSExtValue());
  }
  return record->getNameAsString();
}

}  // namespace

bool Lowering::atomic(const clang::CallExpr* expr, const std::string& name, Value& result) {
  const std::string operation = llvm::StringSwitch<std::string>(name)
                                    .Cases("atomicAdd", "atomicAdd_block", "atomicAdd_system", "add")
                                    .Case("atomicSub", "sub")
                                    .Case("atomicMax", "max")
                                    .Case("atomicMin", "min")
                                    .Case("atomicAnd", "and")
                                    .Case("atomicOr", "or")
                                    .Case("atomicXor", "xor")
                                    .Case("atomicExch", "exch")
                                    .Case("atomicInc", "inc")
                                    .Case("atomicDec", "dec")
                                    .Case("atomicCAS", "cas")
                                    .Default("");
  if (operation.empty()) return false;
  Value address = value(expr->getArg(0));
  if (!address.is_pointer || fails_) {
    if (!fails_) fail(expr->getExprLoc(), "atomic_address:");
    return true;
  }
  const std::string type = type_of(expr->getArg(0)->getType()->getPointeeType());
  if (type_bytes(type) == 8) {
    fail(expr->getExprLoc(), "atomic_64:" + name);
    return true;
  }
  Tree node = make("atomic", type, address.pointer.array, {index_of(address.pointer, type_bytes(type))});
  for (unsigned i = 1; i < expr->getNumArgs(); ++i) node->args.push_back(convert(number(expr->getArg(i)), type));
  if (operation == "sub") node->args[1] = make("neg", type, "", {node->args[1]});
  const std::string old = fresh("old");
  node->extra = (operation == "sub" ? "add" : operation) + " " + old;
  emit(node);
  result.tree = make("var", type, old);
  return true;
}

// Lanes with the same value: word by word. Pointers into one array are the same where their offsets are.
void Lowering::match(const clang::CallExpr* expr, Value& result) {
  const clang::Expr* given = expr->getArg(1)->IgnoreParenImpCasts();
  Tree whole;
  if (const auto* as_number = llvm::dyn_cast<clang::CastExpr>(given);
      as_number != nullptr && as_number->getCastKind() == clang::CK_PointerToIntegral)
    whole = value(as_number->getSubExpr()).pointer.offset;
  else
    whole = number(expr->getArg(1));
  if (fails_ || whole == nullptr) return;
  std::vector<Tree> words;
  if (type_bytes(whole->type) == 8 && !is_float(whole->type)) {
    words = {convert(whole, "u32"), convert(make("shr", "u64", "", {convert(whole, "u64"), constant("i32", 32)}), "u32")};
  } else if (is_float(whole->type) && type_bytes(whole->type) != 4) {
    fail(expr->getExprLoc(), "warp_type:" + whole->type);
    return;
  } else {
    words = {as_bits(whole)};
  }
  for (const Tree& word : words) {
    Tree node = make("warp", "u32", fresh("same"), {word, constant("i32", 0), constant("i32", 32)});
    node->extra = "match";
    emit(node);
    Tree same = make("var", "u32", node->name);
    result.tree = result.tree == nullptr ? same : make("and", "u32", "", {result.tree, same});
  }
  result.tree = convert(result.tree, type_of(expr->getType()));
}

bool Lowering::warp(const clang::CallExpr* expr, const std::string& name, Value& result) {
  const std::string kind = llvm::StringSwitch<std::string>(name)
                               .Cases("__shfl_sync", "__shfl", "index")
                               .Cases("__shfl_up_sync", "__shfl_up", "up")
                               .Cases("__shfl_down_sync", "__shfl_down", "down")
                               .Cases("__shfl_xor_sync", "__shfl_xor", "xor")
                               .Case("__ballot_sync", "ballot")
                               .Case("__any_sync", "any")
                               .Case("__all_sync", "all")
                               .Case("__reduce_add_sync", "sum")
                               .Case("__reduce_max_sync", "max")
                               .Case("__reduce_min_sync", "min")
                               .Default("");
  if (kind.empty()) return false;
  const unsigned first = llvm::StringRef(name).ends_with("_sync") ? 1 : 0;
  if (first == 1) effect(expr->getArg(0));
  const bool is_vote = kind == "ballot" || kind == "any" || kind == "all";
  Tree given = is_vote ? condition(expr->getArg(first)) : number(expr->getArg(first));
  const std::string type = kind == "ballot" ? "u32" : is_vote ? "i32" : type_of(expr->getType());
  const bool has_lane = !is_vote && first + 1 < expr->getNumArgs();
  Tree lane = has_lane ? convert(number(expr->getArg(first + 1)), "i32") : constant("i32", 0);
  Tree width = has_lane && first + 2 < expr->getNumArgs() ? convert(number(expr->getArg(first + 2)), "i32") : constant("i32", 32);
  const std::string to = fresh(kind == "index" ? "from_lane" : kind);
  Tree node = make("warp", type, to, {is_vote ? given : convert(given, type), lane, width});
  node->extra = kind;
  emit(node);
  result.tree = make("var", type, to);
  return true;
}

Value Lowering::assign(const clang::CallExpr* expr) {
  Value right = value(expr->getArg(1));
  const std::size_t mark = here_->args.size();
  const Place target = place(expr->getArg(0));
  if (fails_) return right;
  keep_before(right, mark);
  write(target, right);
  returned_ = target;
  return read(target);
}

// cg::reduce by a function of the program: value and partner are joined in log2(width) steps, the partner half of the distance away.
Value Lowering::reduce_by(const clang::CallExpr* expr, int width) {
  const clang::Expr* given = expr->getArg(2)->IgnoreParenImpCasts();
  while (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(given))
    given = temporary->getSubExpr()->IgnoreParenImpCasts();
  const clang::FunctionDecl* by = nullptr;
  Place object;
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(given))
    by = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
  if (const auto* record = given->getType()->getAsCXXRecordDecl(); by == nullptr && record != nullptr) {
    for (const auto* method : record->methods()) {
      if (method->getOverloadedOperator() == clang::OO_Call) by = method;
    }
    object = place(given);
  }
  const clang::FunctionDecl* definition = nullptr;
  if (by == nullptr || !by->hasBody(definition) || definition->getNumParams() != 2) return fail_value(expr, "group:reduce");
  Place whole = make_place(expr->getType(), "whole");
  write(whole, value(expr->getArg(1)));
  for (int distance = width / 2; distance > 0 && !fails_; distance /= 2) {
    Value partner = read(whole);
    exchange(partner, distance, width, expr);
    const Value both[2] = {read(whole), partner};
    for (unsigned i = 0; i < 2; ++i) {
      const clang::ParmVarDecl* parameter = definition->getParamDecl(i);
      Place made = make_place(parameter->getType(), parameter->getNameAsString(), parameter);
      write(made, both[i]);
      places_[parameter] = made;
    }
    write(whole, inlined(definition, {}, object.kind == Place::kNone ? nullptr : &object, expr));
  }
  return read(whole);
}

void Lowering::exchange(Value& value, int distance, int width, const clang::Expr* site) {
  if (fails_) return;
  if (value.is_pointer) {
    fail(site->getExprLoc(), "group:reduce");
    return;
  }
  if (value.tree != nullptr) {
    Tree node = make("warp", value.tree->type, fresh("xor"), {value.tree, constant("i32", distance), constant("i32", width)});
    node->extra = "xor";
    emit(node);
    value.tree = make("var", node->type, node->name);
  }
  for (Value& each : value.members) exchange(each, distance, width, site);
}

Value Lowering::call(const clang::CallExpr* expr) {
  Value result;
  returned_ = {};
  const clang::FunctionDecl* callee = expr->getDirectCallee();
  if (callee == nullptr) return fail_value(expr, "function_pointer:");
  const std::string name = callee->getNameAsString();
  int width = 0;
  const auto* member_call = llvm::dyn_cast<clang::CXXMemberCallExpr>(expr);
  std::string group = member_call == nullptr ? "" : group_of(member_call->getImplicitObjectArgument()->getType(), width);
  if (!group.empty()) {
    if (group == "grid_group" && name == "sync") return fail_value(expr, "grid_sync:");
    Tree linear = make("special", "u32", "tid.linear");
    const bool is_tile = width > 0 && width <= 32;
    if (is_tile || group == "thread_block") {
      Tree size = constant("u32", width);
      Tree all = make("mul", "u32", "",
                      {make("special", "u32", "bdim.x"),
                       make("mul", "u32", "", {make("special", "u32", "bdim.y"), make("special", "u32", "bdim.z")})});
      if (name == "sync") {
        emit(make("barrier", "", ""))->extra = is_tile ? "warp" : "";
        return result;
      }
      if (name.rfind("operator", 0) == 0) return result;  // one kind of group as another
      if (name == "thread_rank") result.tree = is_tile ? make("rem", "u32", "", {linear, size}) : linear;
      if (name == "size" || name == "num_threads") result.tree = is_tile ? size : all;
      if (name == "meta_group_rank" && is_tile) result.tree = make("div", "u32", "", {linear, size});
      if (name == "meta_group_size" && is_tile) result.tree = make("div", "u32", "", {all, size});
      if (result.tree != nullptr) {
        result.tree = convert(result.tree, type_of(expr->getType()));
        return result;
      }
      const std::string kind = llvm::StringSwitch<std::string>(name)
                                   .Case("shfl", "index")
                                   .Case("shfl_down", "down")
                                   .Case("shfl_up", "up")
                                   .Case("shfl_xor", "xor")
                                   .Case("any", "any")
                                   .Case("all", "all")
                                   .Case("ballot", "ballot")
                                   .Default("");
      if (is_tile && !kind.empty()) {
        const bool is_vote = expr->getNumArgs() == 1;
        Tree node = make("warp",
                         kind == "ballot" ? "u32"
                         : is_vote        ? "i32"
                                          : type_of(expr->getType()),
                         fresh(kind),
                         {is_vote ? condition(expr->getArg(0)) : number(expr->getArg(0)),
                          is_vote ? constant("i32", 0) : convert(number(expr->getArg(1)), "i32"), constant("i32", width)});
        node->extra = kind;
        emit(node);
        result.tree = make("var", node->type, node->name);
        return result;
      }
    }
    return fail_value(expr, "group:" + group + "::" + name);
  }
  if (callee->getDeclContext()->isNamespace() &&
      llvm::cast<clang::NamespaceDecl>(callee->getDeclContext())->getName() == "cooperative_groups") {
    if (name == "sync") return emit(make("barrier", "", "")), result;
    if (name == "reduce" && expr->getNumArgs() == 3) {
      group = group_of(expr->getArg(0)->getType(), width);
      const auto* functor = expr->getArg(2)->getType().getNonReferenceType()->getAsCXXRecordDecl();
      const std::string kind = llvm::StringSwitch<std::string>(functor == nullptr ? "" : functor->getName())
                                   .Case("plus", "sum")
                                   .Case("greater", "max")
                                   .Case("less", "min")
                                   .Default("");
      if (width > 0 && width <= 32 && !kind.empty() && !type_of(expr->getType()).empty()) {
        Tree node = make("warp", type_of(expr->getType()), fresh(kind),
                         {number(expr->getArg(1)), constant("i32", 0), constant("i32", width)});
        node->extra = kind;
        emit(node);
        result.tree = make("var", node->type, node->name);
        return result;
      }
      if (width > 0 && width <= 32 && !fails_) return reduce_by(expr, width);
    }
    if (!group_of(expr->getType(), width).empty()) return result;  // making a group does nothing
    return fail_value(expr, "group:" + name);
  }
  if (intrinsic(expr, name, result)) {
    if (result.tree == nullptr && !result.is_pointer && result.members.empty() && !expr->getType()->isVoidType())
      result.tree = constant("i32", 0);
    return result;
  }
  const clang::FunctionDecl* definition = nullptr;
  if (!callee->hasBody(definition)) {
    if (callee->isDefaulted() && expr->getNumArgs() == 2) return assign(expr);  // a structure's own assignment
    return fail_value(expr, "call:" + callee->getQualifiedNameAsString());
  }
  std::vector<const clang::Expr*> arguments(expr->arg_begin(), expr->arg_end());
  if (member_call != nullptr) {
    if (const auto* method = member_call->getMethodDecl(); method != nullptr && method->isVirtual())
      return fail_value(expr, "virtual:" + name);
    const clang::Expr* on = member_call->getImplicitObjectArgument();
    Place object;
    if (on->getType()->isPointerType()) {
      if (llvm::isa<clang::CXXThisExpr>(on->IgnoreParenImpCasts()) && frames_.back().object != nullptr)
        object = *frames_.back().object;
      else
        object = element(value(on).pointer, on->getType()->getPointeeType());
    } else {
      object = place(on);
    }
    pin(object);
    return inlined(definition, arguments, &object, expr);
  }
  if (llvm::isa<clang::CXXOperatorCallExpr>(expr) && llvm::isa<clang::CXXMethodDecl>(callee)) {
    const auto* assigned = llvm::cast<clang::CXXMethodDecl>(callee);
    if ((assigned->isCopyAssignmentOperator() || assigned->isMoveAssignmentOperator()) && assigned->isTrivial())
      return assign(expr);
    Place object = place(arguments[0]);
    pin(object);
    arguments.erase(arguments.begin());
    return inlined(definition, arguments, &object, expr);
  }
  return inlined(definition, arguments, nullptr, expr);
}

Value Lowering::inlined(const clang::FunctionDecl* callee, llvm::ArrayRef<const clang::Expr*> arguments, const Place* object,
                        const clang::Expr* site) {
  Value result;
  if (fails_) return result;
  for (const clang::FunctionDecl* open : stack_) {
    if (open->getCanonicalDecl() == callee->getCanonicalDecl()) return fail_value(site, "recursion:" + callee->getNameAsString());
  }
  if (stack_.size() > 64) return fail_value(site, "recursion:" + callee->getNameAsString());
  unsigned i = 0;
  int group_width = 0;
  for (const clang::ParmVarDecl* parameter : callee->parameters()) {
    if (i >= arguments.size()) break;
    const clang::Expr* given = arguments[i++];
    const QualType type = parameter->getType();
    if (type->isReferenceType()) {
      places_[parameter] = bound_to(given);
    } else if (type->isPointerType()) {
      Value start = value(given);
      Place made = make_place(type, parameter->getNameAsString());
      if (fails_) return result;
      write_pointer(made, start.pointer, given->getExprLoc());
      places_[parameter] = made;
    } else {
      Value start = value(given);
      if (fails_) return result;
      if (!group_of(type, group_width).empty()) continue;
      Place made = make_place(type, parameter->getNameAsString(), parameter);
      write(made, start);
      places_[parameter] = made;
    }
  }
  Frame frame;
  frame.label = fresh(callee->getNameAsString().empty()
                          ? "call"
                          : "in_" + (callee->getDeclName().isIdentifier() ? callee->getNameAsString() : std::string("operator")));
  const QualType type = callee->getReturnType();
  const bool is_void = type->isVoidType() || llvm::isa<clang::CXXConstructorDecl>(callee);
  frame.returns_place = type->isLValueReferenceType() && !type.getNonReferenceType().isConstQualified();
  if (!is_void && !type->isPointerType() && !frame.returns_place)
    frame.result = make_place(type, callee->getDeclName().isIdentifier() ? callee->getNameAsString() : "result");
  frame.object = object;
  Tree saved = here_, body = make("seq", "", "");
  here_ = body;
  for (const clang::ParmVarDecl* parameter : callee->parameters()) {
    if (Place& bound = places_[parameter]; bound.aim != nullptr && parameter->getType()->isPointerType()) bound.aim->home = body.get();
  }
  stack_.push_back(callee);
  frames_.push_back(frame);
  std::vector<std::string> switches;
  std::swap(switches, switches_);
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(callee)) {
    for (const clang::CXXCtorInitializer* init : constructor->inits()) {
      if (object != nullptr) initialise(*object, constructor, init);
    }
  }
  statement(callee->getBody());
  std::swap(switches, switches_);
  frame = frames_.back();
  frames_.pop_back();
  stack_.pop_back();
  here_ = saved;
  // A body that ends with its only return needs no label.
  int leaves = 0;
  each(body, [&](const Tree& tree) { leaves += tree->op == "leave" && tree->name == frame.label ? 1 : 0; });
  const bool ends_so = !body->args.empty() && body->args.back()->op == "leave" && body->args.back()->name == frame.label;
  if (leaves == 0 || (leaves == 1 && ends_so)) {
    if (leaves == 1) body->args.pop_back();
    for (const Tree& tree : body->args) here_->args.push_back(tree);
  } else {
    emit(make("block", "", frame.label, {body}));
  }
  returned_ = frame.returns_place ? frame.result : Place{};
  return is_void ? result : read(frame.result);
}

}  // namespace starbridge::front
