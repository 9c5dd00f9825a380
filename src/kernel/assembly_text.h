// Inline PTX in source text. The compiler reads device code for the CPU, whose operand letters differ: the letters of PTX
// registers are exchanged before it reads, line by line the same. Pure but for write_overlay, which writes files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::kernel {

// `source` with "f" and "h" operands of asm statements as "x" and "r", and single % before names of special registers doubled.
std::string adapt_assembly(std::string_view source);

// Writes changed copies of the sources and headers in `folders` (not below them) that hold inline PTX, and a list that lays them
// over the originals. Gives the list's path, or "" when nothing had to be changed.
base::Result<std::string> write_overlay(const std::vector<std::string>& sources, const std::vector<std::string>& folders,
                                        const std::string& output_folder);

}  // namespace starbridge::kernel
