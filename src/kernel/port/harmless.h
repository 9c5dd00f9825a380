// What may be computed, or met, by lanes that CUDA would not have brought there. Pure; any thread.
#pragma once

#include "front/node.h"

namespace starbridge::kernel::port {

// A barrier of the whole block is somewhere in the tree.
bool has_block_barrier(const front::Tree& tree);
// Whoever computes it besides those who should: nobody sees it, and nothing can go wrong. No loads, no integer division by what
// may be zero; the sizes of block and grid never are.
bool is_harmless(const front::Tree& expression);

}  // namespace starbridge::kernel::port
