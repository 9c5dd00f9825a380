// Statements, declarations and a kernel as a whole.
#include <clang/AST/Attr.h>

#include "front/clang/lower.h"

namespace starbridge::front {

using clang::QualType;

namespace {
constexpr std::uint64_t kArgumentArrayMax = 16;  // elements: an accessor has as many as dimensions
}  // namespace

Tree Lowering::run(const clang::FunctionDecl* kernel) {
  kernel_ = make("kernel", "", kernel_name_);
  const clang::SourceManager& sources = context_.getSourceManager();
  line_ = kernel_->line = static_cast<int>(sources.getPresumedLoc(kernel->getLocation()).getLine());
  Tree body = make("seq", "", "");
  here_ = body;
  stack_.push_back(kernel);
  frames_.push_back({"end", {}, nullptr, false});
  bind_parameters(kernel, kernel_);
  if (!fails_) statement(kernel->getBody());
  if (fails_) {
    clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(refusal_.where));
    Tree refuse = make("refuse", "", kernel_name_);
    refuse->extra = refusal_.reason;
    refuse->line = at.isValid() ? static_cast<int>(at.getLine()) : line_;
    refuse->args.push_back(make("file", "", at.isValid() ? at.getFilename() : ""));
    return refuse;
  }
  kernel_->args.push_back(make("block", "", "end", {body}));
  kernel_->args.back()->line = kernel_->line;
  return kernel_;
}

Place Lowering::make_parameter(QualType type, const std::string& name, const std::string& path, unsigned index, Tree& result) {
  Place place;
  place.type = type = type.getCanonicalType().getUnqualifiedType();
  if (type->isPointerType()) {
    const QualType pointee = type->getPointeeType();
    std::string scalar = type_of(pointee);
    int unit = pointee->isVoidType() || pointee->isIncompleteType() ? 1 : bytes_of(pointee);
    if (scalar.empty()) scalar = unit % 4 == 0 ? "f32" : "u8";
    if (const auto* record = pointee->getAsCXXRecordDecl(); record != nullptr && record->hasDefinition()) {
      for (const auto* field : record->fields()) {
        if (std::string inner = type_of(field->getType()); !inner.empty() && type_bytes(inner) == 4) scalar = inner;
      }
    }
    const std::string array = fresh(name);
    result->args.push_back(array_node(array, pointee.isConstQualified() ? "global const" : "global", scalar, 0));
    result->args.back()->args.push_back(make("argument", "", path, {constant("i32", index)}));
    place.kind = Place::kPointer;
    place.aim = std::make_shared<Aim>(Aim{{array, constant("i64", 0), unit}, fresh(array + "_at"), here_.get()});
    emit(make("set", "i64", place.aim->name, {constant("i64", 0)}));
    return place;
  }
  if (std::string scalar = type_of(type); !scalar.empty()) {
    const std::string parameter = fresh(name);
    result->args.push_back(make("parameter", scalar, parameter, {make("argument", "", path, {constant("i32", index)})}));
    place.kind = Place::kVariable;
    place.name = fresh(parameter + "_v");
    emit(make("set", scalar, place.name, {make("param", scalar, parameter)}));
    return place;
  }
  // A short array inside an argument: one parameter per element, read by constant indices only.
  if (const auto* array = context_.getAsConstantArrayType(type); array != nullptr && array->getSize().getZExtValue() <= kArgumentArrayMax) {
    std::vector<Place> elements;
    for (std::uint64_t i = 0; i < array->getSize().getZExtValue(); ++i) {
      const std::string at = std::to_string(i);
      elements.push_back(make_parameter(array->getElementType(), name + "_" + at, path + "[" + at + "]", index, result));
    }
    place.kind = Place::kMemory;
    place.memory = {"argument " + std::to_string(argument_arrays_.size()) + " " + name, constant("i64", 0), bytes_of(array->getElementType())};
    argument_arrays_[place.memory.array] = std::move(elements);
    return place;
  }
  if (const auto* record = type->getAsCXXRecordDecl(); record != nullptr && record->hasDefinition() && !record->isPolymorphic()) {
    place.kind = Place::kRecord;
    for (const auto& base : record->bases()) place.members.push_back(make_parameter(base.getType(), name, path, index, result));
    for (const auto* field : record->fields()) {
      if (field->getType()->isReferenceType()) fail(field->getLocation(), "parameter:" + name);
    }
    for (const auto* field : record->fields())
      place.members.push_back(make_parameter(field->getType(), name + "_" + field->getNameAsString(),
                                             path + "." + field->getNameAsString(), index, result));
    return place;
  }
  fail({}, "parameter:" + name);
  return place;
}

void Lowering::bind_parameters(const clang::FunctionDecl* kernel, Tree& result) {
  unsigned index = 0;
  for (const clang::ParmVarDecl* parameter : kernel->parameters()) {
    std::string name = parameter->getNameAsString();
    if (name.empty()) name = "argument" + std::to_string(index);
    places_[parameter] = make_parameter(parameter->getType(), name, "", index, result);
    if (fails_ && refusal_.where.isInvalid()) refusal_.where = parameter->getLocation();
    ++index;
  }
}

void Lowering::body_of(const clang::Stmt* stmt, Tree& into) {
  Tree saved = here_;
  here_ = into;
  if (stmt != nullptr) statement(stmt);
  here_ = saved;
}

void Lowering::declare(const clang::VarDecl* var) {
  if (var->hasAttr<clang::CUDASharedAttr>()) {
    const bool is_dynamic = var->getType()->isIncompleteArrayType();
    Place place;
    place.kind = Place::kMemory;
    place.type = var->getType();
    QualType element = var->getType();
    long long count = is_dynamic ? 0 : 1;
    while (const auto* array = context_.getAsArrayType(element)) {
      if (const auto* fixed = llvm::dyn_cast<clang::ConstantArrayType>(array)) count *= fixed->getSize().getSExtValue();
      element = array->getElementType();
    }
    std::string scalar = type_of(element);
    int unit = bytes_of(element);
    if (scalar.empty()) {
      scalar = unit % 4 == 0 ? "f32" : "u8";
      count = count * unit / type_bytes(scalar);
    }
    if (arrays_.count(var->getCanonicalDecl()) == 0) {
      arrays_[var->getCanonicalDecl()] = is_dynamic ? "dynamic_shared" : fresh(var->getNameAsString());
      bool is_there = false;
      for (const Tree& each : kernel_->args) is_there |= each->name == "dynamic_shared";
      if (!is_dynamic || !is_there)
        kernel_->args.push_back(array_node(arrays_[var->getCanonicalDecl()], is_dynamic ? "dynamic" : "shared", scalar, count));
    }
    place.memory = {arrays_[var->getCanonicalDecl()], constant("i64", 0), unit};
    places_[var] = place;
    return;
  }
  QualType type = var->getType();
  if (type->isVariableArrayType()) {
    fail(var->getLocation(), "variable_array:" + var->getNameAsString());
    return;
  }
  if (type->isReferenceType()) {
    places_[var] = bound_to(var->getInit());
    return;
  }
  const std::string name = var->getNameAsString();
  const clang::Expr* init = var->getInit();
  if (type->isPointerType()) {
    Place made = make_place(type, name);
    if (init != nullptr) {
      Value start = value(init);
      if (fails_) return;
      write_pointer(made, start.pointer, init->getExprLoc());
    }
    places_[var] = made;
    return;
  }
  Value start;
  const bool has_start =
      init != nullptr && !type->isArrayType() &&
      !(llvm::isa<clang::CXXConstructExpr>(init) && llvm::cast<clang::CXXConstructExpr>(init)->getNumArgs() == 0 &&
        llvm::cast<clang::CXXConstructExpr>(init)->getConstructor()->isTrivial());
  if (has_start) start = value(init);
  Place made = make_place(type, name, var);
  if (fails_ && refusal_.where.isInvalid()) refusal_.where = var->getLocation();
  places_[var] = made;
  if (has_start) write(made, start);
  if (init != nullptr && type->isArrayType()) {
    const auto* list = llvm::dyn_cast<clang::InitListExpr>(init->IgnoreParenImpCasts());
    const auto* array = context_.getAsConstantArrayType(type);
    const auto* made_so = llvm::dyn_cast<clang::CXXConstructExpr>(init->IgnoreParenImpCasts());
    if (made_so != nullptr && made_so->getConstructor()->isTrivial()) return;
    const auto* literal = llvm::dyn_cast<clang::StringLiteral>(init->IgnoreParenImpCasts());
    if (literal != nullptr && literal->getCharByteWidth() == 1 && array != nullptr) {
      for (uint64_t i = 0; i < array->getSize().getZExtValue(); ++i) {
        const int c = i < literal->getByteLength() ? static_cast<signed char>(literal->getBytes()[i]) : 0;
        Value letter;
        letter.tree = constant(type_of(array->getElementType()), c);
        write(element(add_to_pointer(made.memory, constant("i64", static_cast<long long>(i)), array->getElementType(), false).pointer,
                      array->getElementType()),
              letter);
      }
      return;
    }
    if (list == nullptr || array == nullptr) {
      fail(var->getLocation(), "construct:an array of objects");
      return;
    }
    const QualType element_type = array->getElementType();
    for (uint64_t i = 0; i < array->getSize().getZExtValue(); ++i) {
      const Value moved = add_to_pointer(made.memory, constant("i64", static_cast<long long>(i)), element_type, false);
      write(element(moved.pointer, element_type),
            i < list->getNumInits() ? value(list->getInit(static_cast<unsigned>(i))) : zero(element_type));
    }
  }
}

void Lowering::for_loop(const clang::Stmt* init, const clang::Expr* condition_expr, const clang::Expr* step,
                        const clang::Stmt* body) {
  if (init != nullptr) statement(init);
  Tree before = make("seq", "", ""), inside = make("seq", "", ""), after = make("seq", "", "");
  Tree saved = here_;
  here_ = before;
  Tree test = condition_expr == nullptr ? constant("b", 1) : condition(condition_expr);
  here_ = inside;
  if (!before->args.empty()) {  // the condition does something: it moves into the body
    inside->args = before->args;
    Tree leave = make("seq", "", "", {make("break", "", "")});
    emit(make("if", "", "", {make("lnot", "b", "", {test}), leave}));
    test = constant("b", 1);
  }
  switches_.emplace_back();
  statement(body);
  switches_.pop_back();
  here_ = after;
  if (step != nullptr) effect(step);
  here_ = saved;
  emit(make("loop", "", "", {test, inside, after}));
}

void Lowering::do_loop(const clang::DoStmt* loop) {
  Tree inside = make("seq", "", ""), after = make("seq", "", "");
  Tree saved = here_;
  here_ = inside;
  switches_.emplace_back();
  statement(loop->getBody());
  switches_.pop_back();
  here_ = after;
  Tree test = condition(loop->getCond());
  emit(make("if", "", "", {make("lnot", "b", "", {test}), make("seq", "", "", {make("break", "", "")})}));
  here_ = saved;
  clang::Expr::EvalResult once;
  if (test->op == "const" && test->name == "0") {  // do { } while (0)
    emit(make("loop", "", "", {constant("b", 1), inside, make("seq", "", "", {make("break", "", "")})}));
    return;
  }
  emit(make("loop", "", "", {constant("b", 1), inside, after}));
}

// Cases without falling through become a chain of ifs.
void Lowering::switch_statement(const clang::SwitchStmt* stmt) {
  const std::string chosen = fresh("choice");
  Tree on = number(stmt->getCond());
  emit(make("set", on->type, chosen, {on}));
  const std::string label = fresh("switch");
  Tree saved = here_;
  Tree whole = make("seq", "", "");
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(stmt->getBody());
  if (body == nullptr) {
    fail(stmt->getBeginLoc(), "switch:");
    return;
  }
  switches_.push_back(label);
  Tree arm = nullptr, test = nullptr;
  bool had_default = false;
  const std::string reached = fresh("falls");
  here_ = whole;
  emit(make("set", "b", reached, {constant("b", 0)}));
  for (const clang::Stmt* each : body->body()) {
    Tree any = nullptr;
    bool is_default = false;
    while (const auto* label_stmt = llvm::dyn_cast<clang::SwitchCase>(each)) {
      if (const auto* one = llvm::dyn_cast<clang::CaseStmt>(label_stmt)) {
        Tree same = make("eq", "b", "", {make("var", on->type, chosen), convert(number(one->getLHS()), on->type)});
        any = any == nullptr ? same : make("lor", "b", "", {any, same});
      } else {
        is_default = true;
      }
      each = label_stmt->getSubStmt();
    }
    if (any != nullptr || is_default) {
      here_ = whole;
      if (had_default) fail(each->getBeginLoc(), "switch:default before the last case");
      had_default |= is_default;
      if (is_default) any = constant("b", 1);
      arm = make("seq", "", "");
      test = make("lor", "b", "", {make("var", "b", reached), any});
      emit(make("if", "", "", {test, arm}));
      here_ = arm;
      emit(make("set", "b", reached, {constant("b", 1)}));
    }
    if (arm == nullptr) continue;
    here_ = arm;
    statement(each);
  }
  switches_.pop_back();
  here_ = saved;
  emit(make("block", "", label, {whole}));
}

void Lowering::statement(const clang::Stmt* stmt) {
  if (fails_ || stmt == nullptr) return;
  const clang::SourceManager& sources = context_.getSourceManager();
  if (frames_.size() == 1)
    line_ = static_cast<int>(sources.getPresumedLoc(sources.getExpansionLoc(stmt->getBeginLoc())).getLine());
  if (const auto* compound = llvm::dyn_cast<clang::CompoundStmt>(stmt)) {
    for (const clang::Stmt* each : compound->body()) statement(each);
  } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(stmt)) {
    for (const clang::Decl* each : declaration->decls()) {
      if (const auto* var = llvm::dyn_cast<clang::VarDecl>(each)) declare(var);
    }
  } else if (const auto* choice = llvm::dyn_cast<clang::IfStmt>(stmt)) {
    if (choice->getInit() != nullptr) statement(choice->getInit());
    if (choice->isConstexpr()) {
      if (const auto taken = choice->getNondiscardedCase(context_)) statement(*taken);
      return;
    }
    Tree test = condition(choice->getCond());
    if (test->op == "const") return statement(test->name == "0" ? choice->getElse() : choice->getThen());
    Tree yes = make("seq", "", ""), no = make("seq", "", "");
    const int line = line_;
    body_of(choice->getThen(), yes);
    body_of(choice->getElse(), no);
    line_ = line;
    Tree node = emit(make("if", "", "", {test, yes}));
    if (!no->args.empty()) node->args.push_back(no);
  } else if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(stmt)) {
    for_loop(loop->getInit(), loop->getCond(), loop->getInc(), loop->getBody());
  } else if (const auto* loop_while = llvm::dyn_cast<clang::WhileStmt>(stmt)) {
    for_loop(nullptr, loop_while->getCond(), nullptr, loop_while->getBody());
  } else if (const auto* loop_do = llvm::dyn_cast<clang::DoStmt>(stmt)) {
    do_loop(loop_do);
  } else if (const auto* given = llvm::dyn_cast<clang::ReturnStmt>(stmt)) {
    if (given->getRetValue() != nullptr && frames_.size() > 1) {
      if (frames_.back().returns_place) {
        const Place where = place(given->getRetValue());
        if (!fails_) frames_.back().result = returned(frames_.back().result, where);
        if (fails_ && refusal_.where.isInvalid()) refusal_.where = given->getBeginLoc();
      } else {
        const Value result = value(given->getRetValue());
        if (result.is_pointer) return_pointer(given, result.pointer);
        write(frames_.back().result, result);
      }
    }
    frames_.back().has_left = true;
    emit(make("leave", "", frames_.back().label));
  } else if (llvm::isa<clang::BreakStmt>(stmt)) {
    emit(!switches_.empty() && !switches_.back().empty() ? make("leave", "", switches_.back()) : make("break", "", ""));
  } else if (llvm::isa<clang::ContinueStmt>(stmt)) {
    emit(make("continue", "", ""));
  } else if (const auto* chosen = llvm::dyn_cast<clang::SwitchStmt>(stmt)) {
    switch_statement(chosen);
  } else if (const auto* expr = llvm::dyn_cast<clang::Expr>(stmt)) {
    effect(expr);
  } else if (const auto* attributed = llvm::dyn_cast<clang::AttributedStmt>(stmt)) {
    statement(attributed->getSubStmt());
  } else if (llvm::isa<clang::NullStmt>(stmt)) {
    return;
  } else if (llvm::isa<clang::GCCAsmStmt>(stmt)) {
    fail(stmt->getBeginLoc(), "inline_ptx:");
  } else if (llvm::isa<clang::GotoStmt>(stmt) || llvm::isa<clang::LabelStmt>(stmt)) {
    fail(stmt->getBeginLoc(), "goto:");
  } else {
    fail(stmt->getBeginLoc(), std::string("construct:") + stmt->getStmtClassName());
  }
}

}  // namespace starbridge::front
