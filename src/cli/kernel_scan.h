// starbridge kernel scan FILE|DIR: kernels, launches, features and what each would need on another chip.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/frame.h"

namespace starbridge::cli {

void add_kernel_scan(Frame& frame, CLI::App* group);

}  // namespace starbridge::cli
