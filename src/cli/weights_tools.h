// The commands below `starbridge weights` that have files of their own. One thread.
#pragma once

#include "cli/frame.h"

namespace starbridge::cli {

void add_weights_convert(Frame& frame, CLI::App* parent);
void add_weights_dump_compare(Frame& frame, CLI::App* parent);

}  // namespace starbridge::cli
