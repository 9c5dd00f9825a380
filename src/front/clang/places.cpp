// Places and values: what names stand for, members, elements, conversions.
#include <clang/AST/RecordLayout.h>

#include "front/clang/lower.h"

namespace starbridge::front {

using clang::QualType;

bool is_half(const clang::CXXRecordDecl* record, std::string& type) {
  const llvm::StringRef name = record->getName();
  if (name == "__half") type = "f16";
  if (name == "__nv_bfloat16") type = "bf16";
  // PyTorch's own: the same bits behind other names.
  if (const auto* place = llvm::dyn_cast<clang::NamespaceDecl>(record->getDeclContext()); place != nullptr && place->getName() == "c10") {
    if (name == "Half") type = "f16";
    if (name == "BFloat16") type = "bf16";
  }
  return !type.empty();
}

std::string Lowering::type_of(QualType type) {
  type = type.getNonReferenceType().getCanonicalType();
  if (const auto* enumeration = type->getAs<clang::EnumType>()) type = enumeration->getDecl()->getIntegerType();
  if (const auto* record = type->getAsCXXRecordDecl()) {
    std::string half;
    if (is_half(record, half)) return half;
    return "";
  }
  if (type->isBooleanType()) return "b";
  if (type->isRealFloatingType()) {
    const uint64_t bits = context_.getTypeSize(type);
    return bits == 64 ? "f64" : bits == 32 ? "f32" : bits == 16 ? "f16" : "";
  }
  if (type->isIntegerType()) return (type->isUnsignedIntegerType() ? "u" : "i") + std::to_string(context_.getTypeSize(type));
  return "";
}

int Lowering::bytes_of(QualType type) { return static_cast<int>(context_.getTypeSizeInChars(type).getQuantity()); }

std::string Lowering::fresh(const std::string& wanted) {
  // Words of C++, and those the emitted code uses itself.
  static const std::set<std::string> reserved = {
      "and",      "or",      "xor",     "not",     "compl",   "bitand", "bitor",    "new",        "delete",     "this",
      "class",    "int",     "half",    "index",   "threads", "block",  "lane",     "row_at",     "lane_index", "thread_y",
      "thread_z", "block_x", "block_y", "block_z", "grid_x",  "grid_y", "grid_z",   "block_id_x", "block_id_y", "block_id_z",
      "port",     "at",      "taskId",  "taskDim", "warp_at", "seen",   "kThreads", "coreId",     "clusterId",  "y0",
      "y1",       "yn",      "j0",      "j1",      "jn",      "max",    "min",      "abs",        "exp",        "log",
      "sin",      "cos",     "pow",     "sqrt",    "floor",   "ceil",   "round",    "div",        "time",       "read",
      "write",    "any",     "all",     "sum",     "signbit"};
  std::string base = wanted.empty() ? "t" : wanted;
  if (reserved.count(base) > 0 || base.rfind("scratch_", 0) == 0 || base.rfind("first_", 0) == 0 || base.rfind("last_", 0) == 0)
    base += "_v";
  std::string name = base;
  for (int i = 2; !names_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
  return name;
}

Tree Lowering::emit(Tree statement) {
  statement->line = line_;
  here_->args.push_back(statement);
  return statement;
}

Tree Lowering::fail(clang::SourceLocation where, const std::string& reason) {
  if (!fails_) refusal_ = {where, reason};
  fails_ = true;
  return constant("i32", 0);
}

Value Lowering::fail_value(const clang::Expr* expr, const std::string& reason) {
  return {fail(expr->getExprLoc(), reason), false, {}, {}};
}

Tree Lowering::convert(Tree tree, const std::string& type) {
  if (type.empty() || tree->type == type) return tree;
  if (tree->op == "const" && !is_float(tree->type) && !is_float(type) && type_bytes(type) >= 4 &&
      type_bytes(tree->type) <= type_bytes(type) && (tree->name[0] != '-' || type[0] == 'i'))
    return make("const", type, tree->name);
  if (tree->op == "const" && is_float(type) && type != "f16" && type != "bf16") return make("const", type, tree->name);
  if (type == "b")
    return make("ne", "b", "", {tree, is_float(tree->type) ? make("const", tree->type, "0") : constant(tree->type, 0)});
  return make("cast", type, "", {std::move(tree)});
}

// A member that is a reference is kept as a pointer.
QualType Lowering::as_pointer(QualType type) {
  return type->isReferenceType() ? context_.getPointerType(type.getNonReferenceType()) : type;
}

Place Lowering::make_place(QualType type, const std::string& name, const void* origin) {
  Place place;
  place.origin = origin;
  place.type = type = type.getNonReferenceType().getCanonicalType();
  if (in_memory_.count(origin) > 0 && make_in_memory(place, name)) return place;
  if (type->isPointerType()) {
    place.kind = Place::kPointer;
    place.aim = std::make_shared<Aim>(Aim{{}, fresh(name + "_at"), here_.get()});
    return place;
  }
  if (!type_of(type).empty()) {
    place.kind = Place::kVariable;
    place.name = fresh(name);
    return place;
  }
  if (const auto* record = type->getAsCXXRecordDecl(); record != nullptr && record->hasDefinition()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(record->getDeclContext());
    if (space != nullptr && space->getName() == "cooperative_groups") {
      place.kind = Place::kRecord;
      return place;
    }
    if (record->isPolymorphic()) {
      fail(record->getLocation(), "virtual:" + record->getNameAsString());
      return place;
    }
    place.kind = Place::kRecord;
    for (const auto& base : record->bases()) place.members.push_back(make_place(base.getType(), name));
    for (const auto* field : record->fields())
      place.members.push_back(make_place(as_pointer(field->getType()), name + "_" + field->getNameAsString()));
    for (Place& each : place.members) each.origin = origin;
    return place;
  }
  if (const auto* array = context_.getAsConstantArrayType(type)) {
    QualType element = array->getElementType();
    long long count = array->getSize().getSExtValue();
    while (const auto* inner = context_.getAsConstantArrayType(element)) {
      count *= inner->getSize().getSExtValue();
      element = inner->getElementType();
    }
    std::string scalar = type_of(element);
    int unit = bytes_of(element);
    if (scalar.empty()) {  // an array of structures: kept by its smallest word
      scalar = "f32";
      count = count * unit / 4;
      unit = 4;
    }
    place.kind = Place::kMemory;
    const std::string array_name = fresh(name);
    kernel_->args.push_back(array_node(array_name, "local", scalar, count));
    place.memory = {array_name, constant("i64", 0), unit};
    return place;
  }
  fail({}, "type:" + type.getAsString());
  return place;
}

Tree Lowering::array_node(const std::string& name, const std::string& space, const std::string& type, long long count) {
  Tree node = make("array", type, name, {constant("i64", count)});
  node->extra = space;
  node->line = line_;
  return node;
}

Tree Lowering::index_of(const Pointer& pointer, int bytes) {
  if (pointer.unit == bytes) return pointer.offset;
  if (pointer.unit % bytes == 0) {
    if (pointer.offset->op == "const") return constant("i64", std::stoll(pointer.offset->name) * (pointer.unit / bytes));
    return make("mul", "i64", "", {pointer.offset, constant("i64", pointer.unit / bytes)});
  }
  if (pointer.offset->op == "const") return constant("i64", std::stoll(pointer.offset->name) * pointer.unit / bytes);
  Tree scaled = pointer.unit == 1 ? pointer.offset : make("mul", "i64", "", {pointer.offset, constant("i64", pointer.unit)});
  return make("div", "i64", "", {scaled, constant("i64", bytes)});
}

Place Lowering::element(const Pointer& pointer, QualType type) {
  Place place;
  place.kind = Place::kMemory;
  place.type = type.getNonReferenceType();
  place.memory = pointer;
  return place;
}

// The parameter that stands for one element of an array inside an argument; nullptr: no such array, or refused for an index that is not
// constant.
const Place* Lowering::argument_element(const Pointer& pointer, int bytes) {
  auto found = argument_arrays_.find(pointer.array);
  if (found == argument_arrays_.end()) return nullptr;
  const Tree index = index_of(pointer, bytes);
  const std::size_t at = index->op == "const" ? static_cast<std::size_t>(std::stoull(index->name)) : found->second.size();
  if (at < found->second.size()) return &found->second[at];
  fail({}, "argument_array:" + pointer.array.substr(pointer.array.rfind(' ') + 1));
  return nullptr;
}

Place Lowering::member(const Place& base, const clang::FieldDecl* field) {
  const auto* record = llvm::cast<clang::CXXRecordDecl>(field->getParent());
  if (base.kind == Place::kRecord) {
    std::size_t index = record->getNumBases() + field->getFieldIndex();
    const auto* own = base.type->getAsCXXRecordDecl();
    if (own != nullptr && own->getCanonicalDecl() != record->getCanonicalDecl() && own->getNumBases() == 1)
      return member(base.members[0], field);
    if (index < base.members.size() && field->getType()->isReferenceType())
      return element(read(base.members[index]).pointer, field->getType().getNonReferenceType());
    if (index < base.members.size()) return base.members[index];
  }
  if (base.kind == Place::kMemory && field->getType()->isReferenceType()) {
    fail(field->getLocation(), "pointer_in_memory:" + base.memory.array);
    return {};
  }
  if (base.kind == Place::kMemory) {
    const auto offset = static_cast<long long>(context_.getASTRecordLayout(record).getFieldOffset(field->getFieldIndex()) / 8);
    Place place = element(base.memory, field->getType());
    if (offset != 0) {
      const Value moved = add_to_pointer(base.memory, constant("i64", offset), context_.CharTy, false);
      place.memory = moved.pointer;
    }
    return place;
  }
  fail(field->getLocation(), "member:" + field->getNameAsString());
  return {};
}

// Units only shrink, so that no offset has to be divided.
Value Lowering::add_to_pointer(const Pointer& pointer, Tree count, QualType pointee, bool is_minus) {
  const int bytes = pointee->isVoidType() ? 1 : bytes_of(pointee);
  Pointer result = pointer;
  count = convert(count, "i64");
  if (result.unit > bytes && result.unit % bytes == 0 && count->op == "const" &&
      std::stoll(count->name) * bytes % result.unit == 0) {
    count = constant("i64", std::stoll(count->name) * bytes / result.unit);
  } else if (result.unit > bytes) {
    int unit = bytes;
    if (bytes == 1 && count->op == "const" && std::stoll(count->name) % 4 == 0 && result.unit % 4 == 0) unit = 4;
    result.offset = index_of(result, unit);
    result.unit = unit;
    if (unit != bytes) count = constant("i64", std::stoll(count->name) / unit);
  } else if (bytes != result.unit) {
    count = count->op == "const" ? constant("i64", std::stoll(count->name) * (bytes / result.unit))
                                 : make("mul", "i64", "", {count, constant("i64", bytes / result.unit)});
  }
  if (result.offset->op == "const" && result.offset->name == "0" && !is_minus)
    result.offset = count;
  else if (!(count->op == "const" && count->name == "0"))
    result.offset = make(is_minus ? "sub" : "add", "i64", "", {result.offset, count});
  Value value;
  value.is_pointer = true;
  value.pointer = result;
  return value;
}

Value Lowering::read(const Place& place) {
  Value value;
  switch (place.kind) {
    case Place::kVariable:
      value.tree = make(place.name.find('.') == std::string::npos ? "var" : "special", type_of(place.type), place.name);
      return value;
    case Place::kPointer:
      value.is_pointer = true;
      value.pointer = place.aim->memory;
      if (!place.aim->name.empty() && !value.pointer.array.empty()) value.pointer.offset = make("var", "i64", place.aim->name);
      if (value.pointer.offset == nullptr) value.pointer.offset = constant("i64", 0);
      return value;
    case Place::kRecord:
      for (const Place& each : place.members) value.members.push_back(read_whole(each));
      return value;
    case Place::kMemory: {
      if (place.type->isArrayType()) {
        value.is_pointer = true;
        value.pointer = place.memory;
        return value;
      }
      const std::string type = type_of(place.type);
      if (argument_arrays_.count(place.memory.array) > 0 && !type.empty()) {
        const Place* one = argument_element(place.memory, type_bytes(type));
        if (one != nullptr) return read(*one);
        break;
      }
      if (!type.empty()) {
        value.tree = make("load", type, place.memory.array, {index_of(place.memory, type_bytes(type))});
        if (place.type.isVolatileQualified()) value.tree->extra = "volatile";
        return value;
      }
      if (const auto* record = place.type->getAsCXXRecordDecl()) {
        for (const auto* field : record->fields()) value.members.push_back(read_whole(member(place, field)));
        return value;
      }
      fail({}, "pointer_in_memory:" + place.memory.array);
      break;
    }
    case Place::kNone:
      break;
  }
  value.tree = constant("i32", 0);
  return value;
}

// Arrays inside structures are copied with them, element by element.
Value Lowering::read_whole(const Place& place) {
  const auto* array = context_.getAsConstantArrayType(place.type);
  if (array == nullptr || place.kind != Place::kMemory) return read(place);
  Value value;
  const QualType type = array->getElementType();
  if (array->getSize().getZExtValue() > 64) {
    fail({}, "type:" + place.type.getAsString());
    return value;
  }
  for (long long i = 0; i < array->getSize().getSExtValue(); ++i)
    value.members.push_back(read_whole(element(add_to_pointer(place.memory, constant("i64", i), type, false).pointer, type)));
  return value;
}

void Lowering::write_whole(const Place& place, const Value& value) {
  const auto* array = context_.getAsConstantArrayType(place.type);
  if (array == nullptr || place.kind != Place::kMemory) return write(place, value);
  const QualType type = array->getElementType();
  for (std::size_t i = 0; i < value.members.size(); ++i)
    write_whole(element(add_to_pointer(place.memory, constant("i64", static_cast<long long>(i)), type, false).pointer, type),
                value.members[i]);
}

void Lowering::write(const Place& place, const Value& value) {
  if (fails_) return;
  switch (place.kind) {
    case Place::kVariable:
      if (value.tree != nullptr) emit(make("set", type_of(place.type), place.name, {convert(value.tree, type_of(place.type))}));
      return;
    case Place::kPointer:
      if (value.is_pointer) write_pointer(place, value.pointer, {});
      return;
    case Place::kRecord: {
      Value staged = value;
      stage(place, staged);
      for (std::size_t i = 0; i < place.members.size() && i < staged.members.size(); ++i)
        write_whole(place.members[i], staged.members[i]);
      return;
    }
    case Place::kMemory: {
      const std::string type = type_of(place.type);
      if (!type.empty() && value.tree != nullptr) {
        Tree store =
            make("store", type, place.memory.array, {index_of(place.memory, type_bytes(type)), convert(value.tree, type)});
        if (place.type.isVolatileQualified()) store->extra = "volatile";
        emit(store);
        return;
      }
      if (const auto* record = place.type->getAsCXXRecordDecl()) {
        Value staged = value;
        stage(place, staged);
        std::size_t i = 0;
        for (const auto* field : record->fields()) {
          if (i < staged.members.size()) write_whole(member(place, field), staged.members[i]);
          ++i;
        }
        return;
      }
      fail({}, "pointer_in_memory:" + place.memory.array);
      return;
    }
    case Place::kNone:
      return;
  }
}

Value Lowering::zero(QualType type) {
  Value value;
  type = type.getNonReferenceType();
  if (std::string scalar = type_of(type); !scalar.empty()) {
    value.tree = is_float(scalar) ? make("const", scalar, "0") : constant(scalar, 0);
  } else if (type->isPointerType()) {
    value.is_pointer = true;
    value.pointer.offset = constant("i64", 0);
  } else if (const auto* record = type->getAsCXXRecordDecl()) {
    for (const auto& base : record->bases()) value.members.push_back(zero(base.getType()));
    for (const auto* field : record->fields()) value.members.push_back(zero(field->getType()));
  } else if (const auto* array = context_.getAsConstantArrayType(type)) {
    for (uint64_t i = 0; i < std::min<uint64_t>(array->getSize().getZExtValue(), 64); ++i)
      value.members.push_back(zero(array->getElementType()));
  }
  return value;
}

}  // namespace starbridge::front
