// ChipCosts: what a modelled operation costs on a chip, from data/kernels/chip_costs.tsv. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace starbridge::kernel::cost {

struct CostRow {
  std::string name;
  double value = 0;
  std::string unit;
  std::string confidence;  // published, measured, reported, assumed
  std::string source;      // id in data/sources.tsv
  std::string note;
};

struct ChipCosts {
  std::string chip;
  std::vector<CostRow> rows;

  // The value of a row that every chip has.
  double operator[](std::string_view name) const;
  // What the emulated card reads from SB_EMULATE_COSTS.
  std::string environment() const;
  int assumed_count() const;
};

// The names every chip must have.
const std::vector<std::string_view>& cost_names();
// Errors: kernel.no_costs for a chip without rows; catalog.bad_data; those of reading.
base::Result<ChipCosts> find_costs(const std::string& chip);
// The chips that have rows.
base::Result<std::vector<std::string>> chips_with_costs();

}  // namespace starbridge::kernel::cost
