// starbridge kernel compare A B: two programs or two files of tensors, by the accuracy their kind of work allows.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/frame.h"

namespace starbridge::cli {

void add_kernel_compare(Frame& frame, CLI::App* group);

}  // namespace starbridge::cli
