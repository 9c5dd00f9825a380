// Normalise: early exits become conditions, copies of what never changes are put in place of their names. Pure; any thread.
#pragma once

#include "front/node.h"

namespace starbridge::kernel::port {

// No block and no leave is left.
front::Tree lower_exits(const front::Tree& kernel);
// Values nobody asks for vanish.
front::Tree drop_unused(const front::Tree& kernel);
// Variables set once, from constants, parameters and places in the grid alone, vanish.
front::Tree propagate(const front::Tree& kernel);
// Barriers behind an early return are met by all threads; what stands around them asks whether the thread has returned.
front::Tree distribute_exits(const front::Tree& kernel);
// Rows of 32 lanes in place of rows along x: special "warp" counts them, "tid.x" is the lane. The kernel says "warps" or "warps
// whole" (the block's width is a multiple of 32) in its free word.
front::Tree split_warps(const front::Tree& kernel);
// An assignment that follows a rule begins a new variable where the old one follows none.
front::Tree split_lives(const front::Tree& kernel);
// Warp operations in control that lanes cannot follow: masks in its place; "any" of a mask is the same for all lanes. In rows,
// operands of warp operations become variables.
front::Tree mask_meetings(const front::Tree& kernel);
// Conditions that lanes cannot follow and whose sides only compute become choices between values, so that vectors can do them.
front::Tree convert_choices(const front::Tree& kernel);
// What is wrong with a tree, empty when nothing: unknown operations, missing operands, arrays nobody declared, loads without
// type.
std::string find_fault(const front::Tree& kernel);

}  // namespace starbridge::kernel::port
