#include "kernel/port/harmless.h"

namespace starbridge::kernel::port {

using front::Tree;

namespace {

bool is_never_zero(const Tree& divisor) {
  if (divisor->op == "const") return divisor->name != "0";
  return divisor->op == "special" && (divisor->name.rfind("bdim.", 0) == 0 || divisor->name.rfind("gdim.", 0) == 0);
}

}  // namespace

bool has_block_barrier(const Tree& tree) {
  bool has = false;
  front::each(tree, [&](const Tree& part) { has |= part->op == "barrier" && part->extra != "warp"; });
  return has;
}

bool is_harmless(const Tree& expression) {
  bool result = true;
  front::each(expression, [&](const Tree& part) {
    const bool divides = (part->op == "div" || part->op == "rem") && !front::is_float(part->type);
    result &= part->op != "load" && !(divides && !is_never_zero(part->args[1]));
  });
  return result;
}

}  // namespace starbridge::kernel::port
