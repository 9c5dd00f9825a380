// Filters: why a chip cannot take a job even on an empty pool. One question per function; pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "sched/decision.h"

namespace starbridge::sched {

struct FilterInput {
  const JobSpec& job;
  const catalog::Chip& chip;
  const pool::PoolSnapshot& snapshot;
  const Verdicts& verdicts;
};

// nullopt: passes. Otherwise the reason, with the numbers.
using Filter = std::optional<base::Text> (*)(const FilterInput&);

std::optional<base::Text> filter_chip_list(const FilterInput& in);
std::optional<base::Text> filter_policy(const FilterInput& in);
std::optional<base::Text> filter_verdict(const FilterInput& in);
std::optional<base::Text> filter_memory(const FilterInput& in);
std::optional<base::Text> filter_capacity(const FilterInput& in);

// In the order they are asked; the first reason is told.
const std::vector<Filter>& filters();

}  // namespace starbridge::sched
