#include "kernel/cost/chip_costs.h"

#include <algorithm>
#include <charconv>

#include "base/files.h"
#include "base/text.h"
#include "catalog/tsv.h"

namespace starbridge::kernel::cost {

using base::Error;
using base::text;

namespace {

constexpr std::string_view kConfidences[] = {"published", "measured", "reported", "assumed"};

base::Result<std::vector<ChipCosts>> read_all() {
  SB_TRY(std::string root, base::installation_root());
  const std::string path = root + "/data/kernels/chip_costs.tsv";
  SB_TRY(std::string content, base::read_file(path));
  std::vector<ChipCosts> chips;
  SB_TRY_VOID(catalog::read_tsv(
      content, path, {"chip", "name", "value", "unit", "confidence", "source", "note"},
      [&](const catalog::TsvRow& row) -> base::Status {
        CostRow cost{std::string(row.cells[1]), 0,
                     std::string(row.cells[3]), std::string(row.cells[4]),
                     std::string(row.cells[5]), std::string(row.cells[6])};
        const std::string_view digits = row.cells[2];
        auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cost.value);
        if (error != std::errc() || end != digits.data() + digits.size() || cost.value <= 0)
          return catalog::bad_data(path, row.line, "value", text("a positive number is wanted", "此处应为正数"));
        const auto& names = cost_names();
        if (std::find(names.begin(), names.end(), cost.name) == names.end())
          return catalog::bad_data(path, row.line, "name",
                                   text("no cost is called \"{}\"", "没有名为 \"{}\" 的开销项", cost.name));
        if (std::find(std::begin(kConfidences), std::end(kConfidences), cost.confidence) == std::end(kConfidences))
          return catalog::bad_data(
              path, row.line, "confidence",
              text("published, measured, reported or assumed", "应为 published、measured、reported 或 assumed"));
        if (chips.empty() || chips.back().chip != row.cells[0]) chips.push_back({std::string(row.cells[0]), {}});
        chips.back().rows.push_back(std::move(cost));
        return {};
      }));
  for (const ChipCosts& chip : chips) {
    for (std::string_view name : cost_names()) {
      if (std::none_of(chip.rows.begin(), chip.rows.end(), [&](const CostRow& row) { return row.name == name; }))
        return catalog::bad_data(path, 0, "name", text("{} has no row {}", "{} 缺少 {} 一行", chip.chip, std::string(name)));
    }
  }
  return chips;
}

}  // namespace

const std::vector<std::string_view>& cost_names() {
  static const std::vector<std::string_view> names = {"clock_mhz",
                                                      "cores",
                                                      "memory_gbps",
                                                      "core_memory_bytes_per_cycle",
                                                      "memory_latency",
                                                      "memory_line_bytes",
                                                      "copy_segment",
                                                      "move_bytes_per_cycle",
                                                      "issue",
                                                      "sync",
                                                      "barrier",
                                                      "atomic",
                                                      "vector_bytes_per_cycle",
                                                      "vector_start",
                                                      "vector_division_factor",
                                                      "vector_function_factor",
                                                      "matrix_macs_per_cycle",
                                                      "scalar_operation",
                                                      "scalar_division",
                                                      "scalar_function",
                                                      "near_access",
                                                      "far_load",
                                                      "far_store",
                                                      "launch_us"};
  return names;
}

double ChipCosts::operator[](std::string_view name) const {
  auto found = std::find_if(rows.begin(), rows.end(), [&](const CostRow& row) { return row.name == name; });
  SB_CHECK(found != rows.end());
  return found->value;
}

std::string ChipCosts::environment() const {
  std::string result;
  for (const CostRow& row : rows) result += (result.empty() ? "" : ",") + row.name + "=" + std::to_string(row.value);
  return result;
}

int ChipCosts::assumed_count() const {
  return static_cast<int>(
      std::count_if(rows.begin(), rows.end(), [](const CostRow& row) { return row.confidence == "assumed"; }));
}

base::Result<ChipCosts> find_costs(const std::string& chip) {
  SB_TRY(std::vector<ChipCosts> chips, read_all());
  std::string known;
  for (ChipCosts& each : chips) {
    if (each.chip == chip) return std::move(each);
    known += (known.empty() ? "" : ", ") + each.chip;
  }
  return Error("kernel.no_costs", text("no costs are known for {}", "没有 {} 的开销数据", chip))
      .next(text("times are modelled for {}; rows for another chip go into data/kernels/chip_costs.tsv",
                 "可建模的芯片：{}；其他芯片请在 data/kernels/chip_costs.tsv 中补充", known));
}

base::Result<std::vector<std::string>> chips_with_costs() {
  SB_TRY(std::vector<ChipCosts> chips, read_all());
  std::vector<std::string> names;
  for (const ChipCosts& chip : chips) names.push_back(chip.chip);
  return names;
}

}  // namespace starbridge::kernel::cost
