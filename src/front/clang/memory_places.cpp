// Variables whose address is taken live in memory; references and values are kept from what happens after them.
#include <algorithm>

#include "front/clang/lower.h"

namespace starbridge::front {

using clang::QualType;

namespace {

void changed_by(const Tree& statement, std::set<std::string>& variables, bool& memory) {
  each(statement, [&](const Tree& part) {
    if (part->op == "set" || part->op == "warp") variables.insert(part->name);
    if (part->op == "atomic") variables.insert(part->extra.substr(part->extra.find(' ') + 1));
    memory |= part->op == "store" || part->op == "atomic" || part->op == "barrier" || part->op == "warp";
  });
}

bool asks_for(const Tree& tree, const std::set<std::string>& variables, bool memory) {
  bool asks = false;
  each(tree, [&](const Tree& part) {
    asks |= (part->op == "var" && variables.count(part->name) > 0) || (part->op == "load" && memory);
  });
  return asks;
}

}  // namespace

// The one type of number a structure is made of; 32-bit words of several kinds count as float. Empty: neither.
std::string Lowering::word_of_record(QualType type) {
  type = type.getCanonicalType();
  if (std::string word = type_of(type); !word.empty()) return word;
  if (const auto* array = context_.getAsConstantArrayType(type)) return word_of_record(array->getElementType());
  const auto* record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition() || record->isPolymorphic()) return "";
  std::string word;
  auto join = [&](const std::string& next) {
    if (word.empty() || word == next) return word = next, !next.empty();
    if (next.empty() || type_bytes(word) != 4 || type_bytes(next) != 4) return false;
    word = "f32";
    return true;
  };
  for (const auto& base : record->bases()) {
    if (!join(word_of_record(base.getType()))) return "";
  }
  for (const auto* field : record->fields()) {
    if (!join(word_of_record(field->getType()))) return "";
  }
  return word;
}

bool Lowering::make_in_memory(Place& place, const std::string& name) {
  const std::string word = word_of_record(place.type);
  if (word.empty()) return false;
  const int unit = type_bytes(word), bytes = bytes_of(place.type);
  const std::string array = fresh(name);
  kernel_->args.push_back(array_node(array, "local", word, bytes / unit));
  place.kind = Place::kMemory;
  place.memory = {array, constant("i64", 0), unit};
  return true;
}

// A reference stays where it was bound, whatever becomes of the index it was bound with.
void Lowering::pin(Place& place) {
  if (place.kind != Place::kMemory || place.memory.offset == nullptr) return;
  bool may_move = false;
  each(place.memory.offset, [&](const Tree& part) { may_move |= part->op == "var" || part->op == "load"; });
  if (!may_move) return;
  const std::string name = fresh(place.memory.array + "_at");
  emit(make("set", "i64", name, {place.memory.offset}));
  place.memory.offset = make("var", "i64", name);
}

// One entry of a constructor's list.
void Lowering::initialise(const Place& object, const clang::CXXConstructorDecl* constructor,
                          const clang::CXXCtorInitializer* init) {
  const clang::Expr* given = init->getInit();
  const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(given->IgnoreImplicit());
  if (made != nullptr && made->getNumArgs() == 0 && made->getConstructor()->isTrivial()) return;  // left as it is
  if (init->isMemberInitializer() && init->getMember()->getType()->isReferenceType()) {
    const Place to = bound_to(given);
    if (fails_) return;
    if (to.kind != Place::kMemory || object.kind != Place::kRecord) {
      fail_address(given, to);
      return;
    }
    const auto index = constructor->getParent()->getNumBases() + init->getMember()->getFieldIndex();
    if (index < object.members.size()) write_pointer(object.members[index], to.memory, given->getExprLoc());
    return;
  }
  if (init->isMemberInitializer()) {
    if (given->getType()->isArrayType() && !llvm::isa<clang::InitListExpr>(given->IgnoreImplicit()) &&
        !llvm::isa<clang::ImplicitValueInitExpr>(given->IgnoreImplicit())) {
      fail(given->getExprLoc(), "construct:an array of objects");
      return;
    }
    return write_whole(member(object, init->getMember()), value(given));
  }
  std::size_t index = 0;
  for (const auto& base : constructor->getParent()->bases()) {
    if (context_.hasSameUnqualifiedType(base.getType(), given->getType()) && object.kind == Place::kRecord &&
        index < object.members.size())
      return write(object.members[index], value(given));
    ++index;
  }
  fail(given->getExprLoc(), "construct:a base or a delegated constructor");
}

// A text is an array of its characters.
Place Lowering::text(const clang::StringLiteral* literal) {
  Place place;
  place.kind = Place::kMemory;
  place.type = literal->getType();
  if (literal->getCharByteWidth() != 1) {
    fail(literal->getExprLoc(), "text:");
    return {};
  }
  const std::string name = fresh("text");
  const long long length = literal->getByteLength() + 1;
  kernel_->args.push_back(array_node(name, "local", "i8", length));
  for (long long i = 0; i < length; ++i) {
    const int c = i + 1 < length ? static_cast<signed char>(literal->getBytes()[static_cast<std::size_t>(i)]) : 0;
    emit(make("store", "i8", name, {constant("i64", i), constant("i8", c)}));
  }
  place.memory = {name, constant("i64", 0), 1};
  return place;
}

// What a reference stands for. A pointer with two names keeps its array.
Place Lowering::bound_to(const clang::Expr* expr) {
  Place bound = place(expr);
  pin(bound);
  return bound;
}

// Statements that came after `mark` may change what `tree` asks for: then it is asked for before them.
void Lowering::keep_before(Tree& tree, std::size_t mark) {
  if (tree == nullptr || tree->type.empty() || here_->args.size() <= mark) return;
  std::set<std::string> variables;
  bool memory = false;
  for (std::size_t i = mark; i < here_->args.size(); ++i) changed_by(here_->args[i], variables, memory);
  if (!asks_for(tree, variables, memory)) return;
  const std::string name = fresh("kept");
  Tree set = make("set", tree->type, name, {tree});
  set->line = line_;
  here_->args.insert(here_->args.begin() + static_cast<std::ptrdiff_t>(mark), set);
  tree = make("var", tree->type, name);
}

void Lowering::keep_before(Value& value, std::size_t mark) {
  const std::size_t before = here_->args.size();
  keep_before(value.tree, mark);
  if (value.is_pointer) keep_before(value.pointer.offset, mark);
  for (Value& each : value.members) keep_before(each, mark + (here_->args.size() - before));
}

// A structure that is made of its own members, as in v = {v.y, v.x}, is read whole before it is written.
void Lowering::stage(const Place& to, Value& value) {
  std::set<std::string> variables, arrays;
  auto collect = [&](auto&& self, const Place& place) -> void {
    if (place.kind == Place::kVariable) variables.insert(place.name);
    if (place.kind == Place::kPointer) variables.insert(place.aim->name);
    if (place.kind == Place::kMemory) arrays.insert(place.memory.array);
    for (const Place& each : place.members) self(self, each);
  };
  collect(collect, to);
  bool asks = false;
  auto look = [&](auto&& self, const Value& part) -> void {
    for (const Tree& tree : {part.tree, part.pointer.offset}) {
      if (tree == nullptr) continue;
      each(tree, [&](const Tree& one) {
        // Two global arrays may be one.
        asks |= (one->op == "var" && variables.count(one->name) > 0) || (one->op == "load" && !arrays.empty());
      });
    }
    for (const Value& each : part.members) self(self, each);
  };
  look(look, value);
  if (!asks || value.members.size() < 2) return;
  auto keep = [&](auto&& self, Value& part) -> void {
    for (Tree* tree : {&part.tree, &part.pointer.offset}) {
      if (*tree == nullptr || (*tree)->op == "const" || (*tree)->type.empty()) continue;
      const std::string name = fresh("kept");
      emit(make("set", (*tree)->type, name, {*tree}));
      *tree = make("var", (*tree)->type, name);
    }
    for (Value& each : part.members) self(self, each);
  };
  keep(keep, value);
}

Value Lowering::fail_address(const clang::Expr* expr, const Place& place) {
  if (!fails_ && place.origin != nullptr && in_memory_.count(place.origin) == 0 &&
      (place.kind == Place::kVariable || place.kind == Place::kRecord))
    wanted_ = place.origin;
  return fail_value(expr, "address_of_variable:" + place.name);
}

// Where a function that gives a reference leads to: one place, or one array whose offset is set on the way out.
Place Lowering::returned(const Place& result, Place place) {
  if (result.kind == Place::kNone) {
    if (place.kind != Place::kMemory) return place;
    const std::string name = fresh(place.memory.array + "_at");
    emit(make("set", "i64", name, {place.memory.offset}));
    place.memory.offset = make("var", "i64", name);
    return place;
  }
  const bool is_same_memory = place.kind == Place::kMemory && result.kind == Place::kMemory &&
                              place.memory.array == result.memory.array && place.memory.unit == result.memory.unit;
  if (is_same_memory) {
    emit(make("set", "i64", result.memory.offset->name, {place.memory.offset}));
    return result;
  }
  const bool is_same = place.kind == result.kind && place.name == result.name && place.aim == result.aim &&
                       (place.kind == Place::kVariable || place.kind == Place::kPointer);
  if (!is_same) fail({}, "pointer_choice:");
  return result;
}

// A pointer variable begins to point: counted in units that go into what it points to, so that it can move by one.
void Lowering::point(const Place& pointer, const Pointer& to) {
  const QualType pointee = pointer.type->getPointeeType();
  const int bytes = pointee->isVoidType() || pointee->isIncompleteType() ? to.unit : bytes_of(pointee);
  Pointer start = to;
  if (start.offset == nullptr) start.offset = constant("i64", 0);
  if (start.unit > bytes || bytes % start.unit != 0) {
    start.offset = index_of(to, start.unit % bytes == 0 ? bytes : 1);
    start.unit = start.unit % bytes == 0 ? bytes : 1;
  }
  emit(make("set", "i64", pointer.aim->name, {start.offset}));
  pointer.aim->memory = start;
}

// Whether a pointer is null is asked of the array it points into, so that what it points into, and whether it does, must be plain
// from the text: a pointer turns to another array, or from and to null, only where all that follows comes by.
void Lowering::write_pointer(const Place& place, const Pointer& to, clang::SourceLocation where) {
  if (fails_) return;
  Aim& aim = *place.aim;
  const bool is_first = aim.memory.array.empty() && !aim.is_null;
  const bool turns = !is_first && (aim.is_null || aim.memory.array != to.array);
  if ((turns && aim.home != here_.get()) || (is_first && to.array.empty() && aim.home != here_.get())) {
    fail(where, "pointer_choice:");
    return;
  }
  if (!turns && !is_first) {
    emit(make("set", "i64", aim.name, {offset_in(to, aim.memory.unit, where)}));
    return;
  }
  if (turns) aim.name = fresh(aim.name);
  aim.memory = {};
  aim.is_null = to.array.empty();
  if (!aim.is_null) point(place, to);
}

// What a pointer is aligned to is a power of two; offsets counted in other units cannot be divided.
Tree Lowering::offset_in(const Pointer& pointer, int unit, clang::SourceLocation where) {
  const bool is_aligned = unit <= 16 && (unit & (unit - 1)) == 0;
  if (pointer.unit % unit != 0 && !is_aligned) return fail(where, "pointer_assignment:");
  return index_of(pointer, unit);
}

void Lowering::return_pointer(const clang::ReturnStmt* given, const Pointer& pointer) {
  if (fails_) return;
  Place& result = frames_.back().result;
  if (result.kind == Place::kNone && !pointer.array.empty()) {
    result.kind = Place::kPointer;
    result.type = given->getRetValue()->getType();
    result.aim = std::make_shared<Aim>(Aim{{}, fresh("result_at"), nullptr});
    point(result, pointer);
    return;
  }
  if (result.aim == nullptr || result.aim->memory.array != pointer.array) {
    fail(given->getBeginLoc(), "pointer_choice:");
    return;
  }
  emit(make("set", "i64", result.aim->name, {offset_in(pointer, result.aim->memory.unit, given->getBeginLoc())}));
}

}  // namespace starbridge::front
