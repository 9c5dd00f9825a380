// Normalise: early exits become conditions, copies of what never changes are put in place of their names. Pure; any thread.
#pragma once

#include "front/node.h"

namespace starbridge::kernel::port {

// No block and no leave is left.
front::Tree lower_exits(const front::Tree& kernel);
// Variables set once, from constants, parameters and places in the grid alone, vanish.
front::Tree propagate(const front::Tree& kernel);
// Conditions that lanes cannot follow and whose sides only compute become choices between values, so that vectors can do them.
front::Tree convert_choices(const front::Tree& kernel);
// What is wrong with a tree, empty when nothing: unknown operations, missing operands, arrays nobody declared, loads without
// type.
std::string find_fault(const front::Tree& kernel);

}  // namespace starbridge::kernel::port
