// Vector expressions: the lanes of a range of threads through the chip's vector built-ins.
#include "kernel/port/bang_emitter.h"

namespace starbridge::kernel::port {

namespace {

bool is_word(const std::string& type) { return type == "f32" || type == "f64" || type == "i32" || type == "u32"; }
std::string lane_type(const std::string& type) { return type == "i32" || type == "u32" ? "int" : "float"; }
bool is_comparison(const std::string& op) {
  return op == "lt" || op == "le" || op == "gt" || op == "ge" || op == "eq" || op == "ne";
}

}  // namespace

std::string BangEmitter::scratch() {
  const int number = scratch_next_++;
  scratch_most_ = std::max(scratch_most_, scratch_next_);
  return "scratch_" + std::to_string(number);
}

std::string BangEmitter::count(const Range& range) const { return range.is_whole ? "threads" : range.last + " - " + range.first; }

std::string BangEmitter::tile_at(const std::string& name, const Range& range) {
  used_tiles_.insert(name);
  std::string text = name;
  if (is_in_row_ && name.rfind("scratch_", 0) != 0 && name != "lane_index") text += " + row_at";
  if (range.first != "0") text += " + " + range.first;
  return text;
}

std::string BangEmitter::as_tile(const Operand& operand, const std::string& type, const Range& range) {
  if (operand.is_tile) return operand.text;
  const std::string made = tile_at(scratch(), range), word = lane_type(type);
  line("__bang_write_value((" + word + "*)(" + made + "), " + count(range) + ", (" + word + ")" + operand.text + ");");
  return made;
}

// Casts text of a tile to the type a built-in takes.
static std::string typed(const std::string& type, const std::string& text) { return "(" + lane_type(type) + "*)(" + text + ")"; }

bool BangEmitter::vector_load(const Tree& tree, const Range& range, const std::string& to, Operand& result) {
  const Shape shape = shapes_.of(tree->args[0]);
  const bool is_local = arrays_.at(tree->name)->extra == "local";
  if (!is_word(tree->type) && tree->type != "f16") {
    why_not_ = "elements of type " + bang_type(tree->type);
    return false;
  }
  if (shape.is_varying || (is_local && !shape.is_uniform())) {
    why_not_ = "an index of " + tree->name + " that follows no rule (gather)";
    return false;
  }
  const std::string index = scalar(tree->args[0]);
  result.is_tile = true;
  if (is_local) {
    result.text = tree->name + " + (" + index + ") * kThreads" + (is_in_row_ ? " + row_at" : "") +
                  (range.first != "0" ? " + " + range.first : "");
    return true;
  }
  const std::string pointer = "(" + bang_type(tree->type) + "*)" + tree->name;
  const std::string step = scalar(shape.step);
  if (is_near(tree->name) && step == "1" && tree->type != "f16") {
    result.text = "(" + pointer + ") + " + index + (range.first != "0" ? " + " + range.first : "");
    return true;
  }
  result.text = to.empty() ? tile_at(scratch(), range) : to;
  std::string landing = result.text;
  if (tree->type == "f16") landing = tile_at(scratch(), Range{});
  const std::string from =
      "(" + pointer + ") + " + index + (range.first == "0" ? "" : " + " + range.first + (step == "1" ? "" : " * " + step));
  const std::string type = "(" + bang_type(tree->type) + "*)";
  if (step == "1")
    line("__memcpy(" + landing + ", " + from + ", (" + count(range) + ") * sizeof(" + bang_type(tree->type) + "), " +
         (is_near(tree->name) ? "NRAM2NRAM" : "GDRAM2NRAM") + ");");
  else
    line("port::load_strided(" + type + "(" + landing + "), " + from + ", " + step + ", " + count(range) + ", " +
         (is_near(tree->name) ? "NRAM2NRAM" : "GDRAM2NRAM") + ");");
  if (tree->type == "f16")
    line("__bang_half2float((float*)(" + result.text + "), (half*)(" + landing + "), " + count(range) + ");");
  return true;
}

bool BangEmitter::vector_cast(const Tree& tree, const Range& range, const std::string& to, Operand& result) {
  const Tree& inner = tree->args[0];
  const std::string &from = inner->type, &wanted = tree->type;
  auto is_integer = [](const std::string& type) { return type == "i32" || type == "u32"; };
  if (from == "b" && is_word(wanted)) {
    Operand mask;
    if (!vector_mask(inner, range, mask)) return false;
    result = mask;
    if (is_integer(wanted)) {
      result = {true, to.empty() ? tile_at(scratch(), range) : to};
      line("__bang_float2int32_tz((int*)(" + result.text + "), (float*)(" + mask.text + "), " + count(range) + ");");
    }
    return true;
  }
  const bool same = (front::is_float(from) && (wanted == "f32" || wanted == "f64") && from != "bf16") ||
                    (is_integer(from) && is_integer(wanted));
  if (same) return vector(inner, range, to, result);
  if (from == "i32" && (wanted == "f32" || wanted == "f64")) {
    Operand source;
    if (!vector(inner, range, "", source)) return false;
    const std::string source_tile = as_tile(source, from, range);
    result = {true, to.empty() ? tile_at(scratch(), range) : to};
    line("__bang_int322float_rn((float*)(" + result.text + "), (int*)(" + source_tile + "), " + count(range) + ");");
    return true;
  }
  if ((from == "f32" || from == "f64") && wanted == "i32") {
    Operand source;
    if (!vector(inner, range, "", source)) return false;
    const std::string source_tile = as_tile(source, from, range);
    result = {true, to.empty() ? tile_at(scratch(), range) : to};
    line("__bang_float2int32_tz((int*)(" + result.text + "), (float*)(" + source_tile + "), " + count(range) + ");");
    return true;
  }
  why_not_ = "a conversion from " + bang_type(from) + " to " + bang_type(wanted);
  return false;
}

bool BangEmitter::vector_binary(const Tree& tree, const Range& range, const std::string& to, Operand& result) {
  const bool is_number = tree->type == "f32" || tree->type == "f64";
  static const std::map<std::string, std::string> numbers = {{"add", "add"}, {"sub", "sub"}, {"mul", "mul"}, {"div", "div"}};
  static const std::map<std::string, std::string> integers = {{"add", "add"},  {"sub", "sub"}, {"mul", "mul"},
                                                              {"and", "band"}, {"or", "bor"},  {"xor", "bxor"}};
  const auto& table = is_number ? numbers : integers;
  auto found = table.find(tree->op);
  if (found == table.end()) {
    why_not_ = "operator " + tree->op + " on " + bang_type(tree->type);
    return false;
  }
  Operand a, b;
  if (!vector(tree->args[0], range, "", a) || !vector(tree->args[1], range, "", b)) return false;
  // CUDA contracts a * b + c to one rounding by default.
  if (is_number && (tree->op == "add" || tree->op == "sub"))
    result_.reorders |=
        tree->args[0]->op == "mul" || tree->args[1]->op == "mul" || tree->args[0]->op == "var" || tree->args[1]->op == "var";
  result = {true, to.empty() ? tile_at(scratch(), range) : to};
  const std::string word = lane_type(tree->type), to_text = typed(tree->type, result.text), n = count(range);
  const bool commutes = tree->op == "add" || tree->op == "mul";
  if (!a.is_tile && b.is_tile && commutes) std::swap(a, b);
  if (a.is_tile && !b.is_tile && (tree->op == "add" || tree->op == "sub" || tree->op == "mul")) {
    line("__bang_" + tree->op + "_scalar(" + to_text + ", " + typed(tree->type, a.text) + ", (" + word + ")" + b.text + ", " + n +
         ");");
    return true;
  }
  const std::string left = as_tile(a, tree->type, range), right = as_tile(b, tree->type, range);
  line("__bang_" + found->second + "(" + to_text + ", " + typed(tree->type, left) + ", " + typed(tree->type, right) + ", " + n +
       ");");
  return true;
}

bool BangEmitter::vector_call(const Tree& tree, const Range& range, const std::string& to, Operand& result) {
  static const std::map<std::string, std::string> unary = {
      {"sqrt", "sqrt"},   {"exp", "exp"},   {"exp2", "pow2"},   {"log", "log"},     {"log2", "log2"},
      {"tanh", "tanh"},   {"sin", "sin"},   {"cos", "cos"},     {"fabs", "abs"},    {"abs", "abs"},
      {"floor", "floor"}, {"ceil", "ceil"}, {"trunc", "trunc"}, {"rsqrt", "rsqrt"}, {"recip", "recip"}};
  static const std::map<std::string, std::string> same = {{"fadd", "add"}, {"fsub", "sub"}, {"fmul", "mul"}, {"fdiv", "div"}};
  if (auto found = same.find(tree->name); found != same.end())
    return vector_binary(front::make(found->second, tree->type, "", tree->args), range, to, result);
  const bool is_number = tree->type == "f32" || tree->type == "f64";
  if (auto found = unary.find(tree->name); found != unary.end() && is_number) {
    Operand a;
    if (!vector(tree->args[0], range, "", a)) return false;
    const std::string source = as_tile(a, tree->type, range);
    result = {true, to.empty() ? tile_at(scratch(), range) : to};
    line("__bang_" + found->second + "((float*)(" + result.text + "), (float*)(" + source + "), " + count(range) + ");");
    if (tree->name != "fabs" && tree->name != "abs" && tree->name != "floor" && tree->name != "ceil" && tree->name != "trunc")
      result_.approximates = true;
    return true;
  }
  static const std::set<std::string> bits = {"float_as_int", "float_as_uint", "int_as_float", "uint_as_float"};
  if (bits.count(tree->name) > 0) return vector(tree->args[0], range, to, result);
  if (tree->name == "fma") {
    Tree product = front::make("mul", tree->type, "", {tree->args[0], tree->args[1]});
    result_.reorders = true;
    return vector_binary(front::make("add", tree->type, "", {product, tree->args[2]}), range, to, result);
  }
  static const std::map<std::string, std::string> pairs = {
      {"fmax", "maxequal"}, {"fmin", "minequal"}, {"max", "maxequal"}, {"min", "minequal"}};
  auto pair = pairs.find(tree->name);
  // fmax and fmin leave NaN out; what the chip's built-in does with NaN no source says.
  if (pair != pairs.end() && tree->type == "i32") {
    Operand a, b;
    if (!vector(tree->args[0], range, "", a) || !vector(tree->args[1], range, "", b)) return false;
    const std::string left = as_tile(a, tree->type, range), right = as_tile(b, tree->type, range);
    result = {true, to.empty() ? tile_at(scratch(), range) : to};
    line("__bang_" + pair->second + "(" + typed(tree->type, result.text) + ", " + typed(tree->type, left) + ", " +
         typed(tree->type, right) + ", " + count(range) + ");");
    return true;
  }
  if (pair != pairs.end() && is_number) {
    Operand a, b;
    if (!vector(tree->args[0], range, "", a) || !vector(tree->args[1], range, "", b)) return false;
    const std::string left = as_tile(a, "f32", range), right = as_tile(b, "f32", range), n = count(range);
    const std::string mask = tile_at(scratch(), range), nan = tile_at(scratch(), range);
    result = {true, tile_at(scratch(), range)};
    const char* test = pair->second == "maxequal" ? "__bang_ge" : "__bang_le";
    line(std::string(test) + "((float*)(" + mask + "), (float*)(" + left + "), (float*)(" + right + "), " + n + ");");
    line("__bang_ne((float*)(" + nan + "), (float*)(" + right + "), (float*)(" + right + "), " + n + ");");
    line("__bang_or((float*)(" + mask + "), (float*)(" + mask + "), (float*)(" + nan + "), " + n + ");");
    line("__memcpy(" + result.text + ", " + right + ", (" + n + ") * sizeof(float), NRAM2NRAM);");
    line("__bang_maskmove((float*)(" + result.text + "), (float*)(" + left + "), (float*)(" + mask + "), " + n + ");");
    return true;
  }
  why_not_ = "function " + tree->name;
  return false;
}

// 1.0 or 0.0 per lane.
bool BangEmitter::vector_mask(const Tree& tree, const Range& range, Operand& result) {
  if (shapes_.of(tree).is_uniform()) {
    result = {true, as_tile({false, "(" + scalar(tree) + " ? 1.0f : 0.0f)"}, "f32", range)};
    return true;
  }
  const std::string n = count(range);
  if (tree->op == "lnot" || tree->op == "land" || tree->op == "lor") {
    bool reads = false;
    if (tree->op != "lnot")
      front::each(tree->args[1],
                  [&](const Tree& part) { reads |= part->op == "load" || part->op == "div" || part->op == "rem"; });
    if (reads) {
      why_not_ = "a condition whose second half must not always be read";
      return false;
    }
    Operand a, b;
    if (!vector_mask(tree->args[0], range, a)) return false;
    if (tree->op != "lnot" && !vector_mask(tree->args[1], range, b)) return false;
    result = {true, tile_at(scratch(), range)};
    if (tree->op == "lnot")
      line("__bang_not((float*)(" + result.text + "), (float*)(" + a.text + "), " + n + ");");
    else
      line(std::string(tree->op == "land" ? "__bang_and" : "__bang_or") + "((float*)(" + result.text + "), (float*)(" + a.text +
           "), (float*)(" + b.text + "), " + n + ");");
    return true;
  }
  if (tree->op == "var") {
    result = {true, tile_at(scratch(), range)};
    line("__bang_int322float_rn((float*)(" + result.text + "), (int*)(" + tile_at(tree->name, range) + "), " + n + ");");
    return true;
  }
  if (!is_comparison(tree->op)) {
    why_not_ = "a condition of " + tree->op;
    return false;
  }
  const std::string type = tree->args[0]->type;
  if (!is_word(type) || !is_word(tree->args[1]->type) || (type == "u32" && tree->op != "eq" && tree->op != "ne")) {
    why_not_ = "a comparison of " + bang_type(type);
    return false;
  }
  Operand a, b;
  if (!vector(tree->args[0], range, "", a) || !vector(tree->args[1], range, "", b)) return false;
  const std::string left = as_tile(a, type, range), right = as_tile(b, type, range);
  result = {true, tile_at(scratch(), range)};
  line("__bang_" + tree->op + "(" + typed(type, result.text) + ", " + typed(type, left) + ", " + typed(type, right) + ", " + n +
       ");");
  if (lane_type(type) == "int")
    line("__bang_int322float_rn((float*)(" + result.text + "), (int*)(" + result.text + "), " + n + ");");
  return true;
}

bool BangEmitter::vector_select(const Tree& tree, const Range& range, const std::string&, Operand& result) {
  bool reads = false;
  for (std::size_t i = 1; i < 3; ++i)
    front::each(tree->args[i], [&](const Tree& part) { reads |= part->op == "load" && !shapes_.of(part->args[0]).is_uniform(); });
  if (reads) {
    why_not_ = "a choice between values that must not always be read";
    return false;
  }
  Operand mask, yes, no;
  if (!vector_mask(tree->args[0], range, mask) || !vector(tree->args[1], range, "", yes) || !vector(tree->args[2], range, "", no))
    return false;
  const std::string yes_tile = as_tile(yes, tree->type, range);
  result = {true, tile_at(scratch(), range)};
  if (no.is_tile)
    line("__memcpy(" + result.text + ", " + no.text + ", (" + count(range) + ") * sizeof(float), NRAM2NRAM);");
  else
    line("__bang_write_value(" + typed(tree->type, result.text) + ", " + count(range) + ", (" + lane_type(tree->type) + ")" +
         no.text + ");");
  line("__bang_maskmove((float*)(" + result.text + "), (float*)(" + yes_tile + "), (float*)(" + mask.text + "), " + count(range) +
       ");");
  return true;
}

bool BangEmitter::vector(const Tree& tree, const Range& range, const std::string& to, Operand& result) {
  const Shape shape = shapes_.of(tree);
  if (shape.is_uniform()) {
    result = {false, scalar(tree)};
    return true;
  }
  if (tree->op == "var" && shape.is_varying) {
    if (!is_word(tree->type)) {
      why_not_ = "values of type " + bang_type(tree->type);
      return false;
    }
    result = {true, tile_at(tree->name, range)};
    return true;
  }
  if (!shape.is_varying && (tree->type == "i32" || tree->type == "u32")) {
    needs_lane_index_ = true;
    result = {true, to.empty() ? tile_at(scratch(), range) : to};
    const std::string step = scalar(shape.step), index = tile_at("lane_index", range);
    if (step != "1")
      line("__bang_mul_scalar((int*)(" + result.text + "), " + index + ", (int)(" + step + "), " + count(range) + ");");
    line("__bang_add_scalar((int*)(" + result.text + "), (int*)(" + (step == "1" ? index : result.text) + "), (int)" +
         scalar(tree) + ", " + count(range) + ");");
    return true;
  }
  if (tree->op == "load") return vector_load(tree, range, to, result);
  if (tree->op == "cast") return vector_cast(tree, range, to, result);
  if (tree->op == "call") return vector_call(tree, range, to, result);
  if (!is_word(tree->type)) {
    why_not_ = "values of type " + bang_type(tree->type);
    return false;
  }
  if (tree->op == "select") return vector_select(tree, range, to, result);
  if (tree->op == "neg") {
    Operand a;
    if (!vector(tree->args[0], range, "", a)) return false;
    result = {true, to.empty() ? tile_at(scratch(), range) : to};
    line("__bang_mul_scalar(" + typed(tree->type, result.text) + ", " + typed(tree->type, a.text) + ", (" +
         lane_type(tree->type) + ")-1, " + count(range) + ");");
    return true;
  }
  return vector_binary(tree, range, to, result);
}

}  // namespace starbridge::kernel::port
