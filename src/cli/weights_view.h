// How `starbridge weights` shows what it found. One thread.
#pragma once

#include "cli/frame.h"
#include "weights/checkpoint.h"
#include "weights/compare.h"

namespace starbridge::cli {

void print_checkpoint(const Context& context, const weights::Checkpoint& checkpoint);
// At most `rows_max` tensors that are not identical; 0: all, identical ones too.
void print_comparison(const Context& context, const weights::Comparison& comparison, std::size_t rows_max);

std::string format_bytes(std::uint64_t bytes);
// "1.2e-07", "0", "inf"
std::string format_figure(double value);
const base::Text& outcome_text(weights::Outcome outcome);

}  // namespace starbridge::cli
