// Scalar expressions of BANG C.
#include "kernel/port/bang_emitter.h"

namespace starbridge::kernel::port {

namespace {

// Threads along x count as thread 0 outside a loop over them: what grows with them alone is 0 there.
bool is_zero_for_first(const Tree& tree) {
  if (tree->op == "special") return tree->name == "tid.x" || tree->name == "tid.linear";
  if (tree->op == "cast" && !front::is_float(tree->type)) return is_zero_for_first(tree->args[0]);
  return tree->op == "mul" && !front::is_float(tree->type) &&
         (is_zero_for_first(tree->args[0]) || is_zero_for_first(tree->args[1]));
}

}  // namespace

std::string bang_type(const std::string& type) {
  static const std::map<std::string, std::string> names = {
      {"i8", "signed char"},   {"u8", "unsigned char"}, {"i16", "short"},    {"u16", "unsigned short"}, {"i32", "int"},
      {"u32", "unsigned int"}, {"i64", "int64_t"},      {"u64", "uint64_t"}, {"f16", "half"},           {"bf16", "bfloat16_t"},
      {"f32", "float"},        {"f64", "float"},        {"b", "bool"}};
  auto found = names.find(type);
  return found == names.end() ? "int" : found->second;
}

std::string BangEmitter::constant(const Tree& tree) {
  std::string text = tree->name;
  if (front::is_float(tree->type)) {
    if (text == "+Inf" || text == "Inf") return "INFINITY";
    if (text == "-Inf") return "(-INFINITY)";
    if (text == "NaN" || text == "-NaN") return "NAN";
    if (text.find_first_of(".eE") == std::string::npos) text += ".0";
    text += "f";
    if (tree->type == "f16" || tree->type == "bf16") text = "(" + bang_type(tree->type) + ")" + text;
    return text[0] == '-' ? "(" + text + ")" : text;
  }
  if (tree->type == "u32") text += "u";
  if (tree->type == "i64" && (text.size() > 9)) text += "LL";
  if (tree->type == "u64") text += "ULL";
  if (text == "-2147483648") return "(-2147483647 - 1)";
  if (text == "-9223372036854775808LL") return "(-9223372036854775807LL - 1)";
  return text[0] == '-' ? "(" + text + ")" : text;
}

bool BangEmitter::is_tile(const std::string& name) const { return inner_.count(name) == 0 && shapes_.variable(name).is_varying; }

bool BangEmitter::is_near(const std::string& array) const {
  const std::string& space = arrays_.at(array)->extra;
  return space == "shared" || space == "dynamic" || space == "local";
}

std::string BangEmitter::variable(const std::string& name) {
  if (inner_.count(name) > 0) return name;
  const Shape shape = shapes_.variable(name);
  (shape.is_varying ? used_tiles_ : used_scalars_).insert(name);
  if (shape.is_varying) return name + "[" + (is_in_row_ ? "row_at + " : "") + (lane_.empty() ? "0" : lane_) + "]";
  if (shape.step == nullptr || lane_.empty()) return name;
  const std::string saved = lane_;
  lane_.clear();
  std::string step = scalar(shape.step);
  lane_ = saved;
  return "(" + bang_type(shapes_.type_of(name)) + ")(" + name + " + " + (step == "1" ? "" : step + " * ") + lane_ + ")";
}

std::string BangEmitter::element(const std::string& array, const std::string& type, const std::string& index) {
  const Tree& node = arrays_.at(array);
  std::string base = array, at = index;
  if (node->extra == "local")
    at = "(" + index + ") * kThreads + " + (is_in_row_ ? "row_at + " : "") + (lane_.empty() ? "0" : lane_);
  if (node->extra == "dynamic" || node->type != type)
    base = "((" + std::string(node->extra.find("const") != std::string::npos || node->extra == "constant" ? "const " : "") +
           bang_type(type) + "*)" + array + ")";
  return base + "[" + at + "]";
}

std::string BangEmitter::scalar_call(const Tree& tree) {
  if (front::is_float(tree->type) && tree->name != "fabs" && tree->name != "floor" && tree->name != "ceil" &&
      tree->name != "sqrt")
    result_.approximates = true;
  std::vector<std::string> given;
  for (const Tree& each : tree->args) given.push_back(scalar(each));
  std::string list;
  for (const std::string& each : given) list += (list.empty() ? "" : ", ") + each;
  const std::string& name = tree->name;
  static const std::map<std::string, std::string> operators = {{"fadd", "+"}, {"fsub", "-"}, {"fmul", "*"}, {"fdiv", "/"}};
  if (auto found = operators.find(name); found != operators.end())
    return "(" + given[0] + " " + found->second + " " + given[1] + ")";
  if (name == "recip") return "(1.0f / " + given[0] + ")";
  const bool is_number = front::is_float(tree->type);
  if (name == "min" || name == "max")
    return is_number ? "f" + name + "f(" + list + ")" : "port::" + name + "_of<" + bang_type(tree->type) + ">(" + list + ")";
  if (name == "abs" && !is_number) return "port::abs_of<" + bang_type(tree->type) + ">(" + list + ")";
  if (name == "isnan" || name == "isinf" || name == "isfinite") return "__builtin_" + name + "(" + list + ")";
  static const std::set<std::string> ours = {"rsqrt",        "popc",         "popcll",        "clz",          "clzll",
                                             "ffs",          "float_as_int", "float_as_uint", "int_as_float", "uint_as_float",
                                             "mul24",        "mulhi",        "umulhi",        "brev",         "float2int_rn",
                                             "float2int_rz", "float2int_rd", "float2int_ru",  "int2float",    "saturate"};
  if (ours.count(name) > 0) return "port::" + name + "(" + list + ")";
  if (name == "abs") return "fabsf(" + list + ")";
  return name + "f(" + list + ")";
}

std::string BangEmitter::scalar(const Tree& tree) {
  static const std::map<std::string, std::string> operators = {
      {"add", "+"}, {"sub", "-"}, {"mul", "*"},  {"div", "/"},  {"rem", "%"},   {"and", "&"},
      {"or", "|"},  {"xor", "^"}, {"shl", "<<"}, {"shr", ">>"}, {"lt", "<"},    {"le", "<="},
      {"gt", ">"},  {"ge", ">="}, {"eq", "=="},  {"ne", "!="},  {"land", "&&"}, {"lor", "||"}};
  if (tree->type == "f64") result_.narrows_double = true;
  if (lane_.empty() && is_zero_for_first(tree)) return "0";
  if (lane_.empty() && tree->op == "add" && tree->args[0]->type == tree->args[1]->type) {
    if (is_zero_for_first(tree->args[0])) return scalar(tree->args[1]);
    if (is_zero_for_first(tree->args[1])) return scalar(tree->args[0]);
  }
  if (tree->op == "const") return constant(tree);
  if (tree->op == "param") return tree->name;
  if (tree->op == "notnull") return "(" + tree->name + " != nullptr)";
  if (tree->op == "var") return variable(tree->name);
  if (tree->op == "special") {
    static const std::map<std::string, std::string> names = {
        {"tid.y", "thread_y"},   {"tid.z", "thread_z"}, {"bid.x", "block_id_x"}, {"bid.y", "block_id_y"},
        {"bid.z", "block_id_z"}, {"bdim.x", "block_x"}, {"bdim.y", "block_y"},   {"bdim.z", "block_z"},
        {"gdim.x", "grid_x"},    {"gdim.y", "grid_y"},  {"gdim.z", "grid_z"},    {"warp", "warp_at"}};
    if (tree->name == "tid.linear") needs_line_of_threads_ = true;
    if (tree->name == "tid.x" || tree->name == "tid.linear") return lane_.empty() ? "0u" : "(unsigned int)" + lane_;
    return names.at(tree->name);
  }
  if ((tree->op == "add" || tree->op == "sub") && front::is_float(tree->type))
    result_.reorders = true;  // CUDA may contract a * b + c
  if (tree->op == "load") return element(tree->name, tree->type, scalar(tree->args[0]));
  if (tree->op == "call") return scalar_call(tree);
  if (tree->op == "cast") {
    const std::string inner = scalar(tree->args[0]);
    const std::string& from = tree->args[0]->type;
    if ((from == "f32" || from == "f64") && (tree->type == "f32" || tree->type == "f64")) return inner;
    return "(" + bang_type(tree->type) + ")" +
           (inner[0] == '(' || inner.find(' ') == std::string::npos ? inner : "(" + inner + ")");
  }
  if (tree->op == "any") {
    used_tiles_.insert(tree->args[0]->name);
    const std::string& mask = tree->args[0]->name;
    if (is_in_row_) return "port::any_lane(" + mask + " + row_at, threads)";
    return "port::any_lane(" + mask + ", " + (has_rows_ ? "block_threads" : "threads") + ")";
  }
  if (tree->op == "neg") return "(-" + scalar(tree->args[0]) + ")";
  if (tree->op == "bnot") return "(~" + scalar(tree->args[0]) + ")";
  if (tree->op == "lnot") return "(!" + scalar(tree->args[0]) + ")";
  if (tree->op == "select")
    return "(" + scalar(tree->args[0]) + " ? " + scalar(tree->args[1]) + " : " + scalar(tree->args[2]) + ")";
  auto found = operators.find(tree->op);
  if (found == operators.end()) {
    refuse(tree->line, "construct:" + tree->op);
    return "0";
  }
  return "(" + scalar(tree->args[0]) + " " + found->second + " " + scalar(tree->args[1]) + ")";
}

}  // namespace starbridge::kernel::port
