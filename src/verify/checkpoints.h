// What both runs saved, compared tensor by tensor. Blocking.
#pragma once

#include <string>
#include <vector>

#include "verify/verification.h"

namespace starbridge::verify {

// Compares the checkpoints at two paths and adds a row for every tensor of either. `file` is the name shown. A checkpoint that
// cannot be read is a row with a problem: the run went on, so the comparison does.
void compare_checkpoint(const std::string& original, const std::string& port, const std::string& file, const Tolerance& tolerance,
                        std::vector<TensorComparison>& rows);

}  // namespace starbridge::verify
