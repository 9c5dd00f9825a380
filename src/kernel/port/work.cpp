#include "kernel/port/work.h"

#include <set>
#include <string>

namespace starbridge::kernel::port {

namespace {

void add(const front::Tree& tree, Work& work) {
  static const std::set<std::string> operators = {"add", "sub", "mul",    "div", "rem", "neg", "and", "or", "xor",
                                                  "shl", "shr", "select", "lt",  "le",  "gt",  "ge",  "eq", "ne"};
  static const std::set<std::string> functions = {"exp", "exp2", "log",  "log2",  "sqrt", "rsqrt", "sin",  "cos",  "tanh",
                                                  "pow", "erf",  "cbrt", "log10", "sinh", "cosh",  "atan", "atan2"};
  if (tree->op == "load") return;
  if (tree->op == "call") ++(functions.count(tree->name) > 0 ? work.functions : work.plain);
  const bool is_sum = (tree->op == "add" || tree->op == "sub") && front::is_float(tree->type);
  bool is_fused = is_sum && (tree->args[0]->op == "mul" || tree->args[1]->op == "mul");
  if (operators.count(tree->op) > 0 && tree->type != "i64" && tree->type != "u64" && !is_fused) ++work.plain;
  for (const front::Tree& child : tree->args) add(child, work);
}

}  // namespace

Work work_of(const front::Tree& statement) {
  Work work;
  const std::size_t first = statement->op == "set" ? 0 : 1;
  for (std::size_t i = first; i < statement->args.size(); ++i) add(statement->args[i], work);
  if (statement->op == "atomic") ++work.plain;
  return work;
}

}  // namespace starbridge::kernel::port
