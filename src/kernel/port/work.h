// Work: how many operations of the original a statement stands for, for the bound no port can undercut. Pure; any thread.
#pragma once

#include "front/node.h"

namespace starbridge::kernel::port {

struct Work {
  int plain = 0;      // one pass of a vector unit each; a product added to something is one
  int functions = 0;  // exponentials, roots and their like
};

// Of a set, store or atomic; arithmetic of addresses and conditions is no part of it.
Work work_of(const front::Tree& statement);

}  // namespace starbridge::kernel::port
