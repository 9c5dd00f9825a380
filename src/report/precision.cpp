#include "report/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace starbridge::report {
namespace {

using base::text;
using catalog::Comparison;
using catalog::DtypeTolerance;
using catalog::PrecisionRule;
using catalog::Risk;
using catalog::TestTolerance;

constexpr std::string_view kTestLimits = "public-test-limits";
constexpr double kHighFrom = 0.1;
constexpr double kMediumFrom = 0.01;

class Planner {
 public:
  Planner(const port::ProjectReport& project, const port::ChipReport& chip, const catalog::PrecisionRules& rules)
      : uses_(project.uses), root_(project.root), chip_(*chip.target.chip), hardware_(chip.target.support_class), rules_(rules) {}

  PrecisionPlan plan() {
    has_half_ = note_low(port::kHalfNames);
    has_bfloat16_ = note_low(port::kBfloat16Names);
    sort_places(plan_.low_precision);
    for (const PrecisionRule* rule : rules_.for_chip(chip_.stack->backend, hardware_)) {
      if (holds(*rule)) apply(*rule);
    }
    add_test_limits();
    std::stable_sort(plan_.items.begin(), plan_.items.end(), [](const PrecisionItem& left, const PrecisionItem& right) {
      return left.risk != right.risk ? left.risk < right.risk : left.count > right.count;
    });
    if (!plan_.items.empty()) add_commands();
    return std::move(plan_);
  }

 private:
  template <std::size_t kCount>
  bool note_low(const std::array<std::string_view, kCount>& names) {
    bool is_found = false;
    for (std::string_view name : names) {
      auto use = uses_.find(name);
      if (use == uses_.end()) continue;
      is_found = true;
      for (const base::Place& place : use->second.places) plan_.low_precision.push_back({place, use->first});
    }
    return is_found;
  }

  static void sort_places(std::vector<PrecisionPlace>& places) {
    std::sort(places.begin(), places.end(), [](const PrecisionPlace& left, const PrecisionPlace& right) {
      return std::tie(left.place.file, left.place.line, left.name) < std::tie(right.place.file, right.place.line, right.name);
    });
  }

  bool holds(const PrecisionRule& rule) const {
    if (rule.when == "any") return true;
    if (rule.when == "half") return has_half_;
    if (rule.when == "low") return has_half_ || has_bfloat16_;
    std::size_t colon = rule.when.find(':');
    return chip_.dtype_status(std::string_view(rule.when).substr(colon + 1)) == rule.when.substr(0, colon);
  }

  // Every use whose name the pattern means: "torch.fft.*" all below torch.fft.
  template <class Take>
  void each_use(const std::string& pattern, Take take) const {
    bool is_prefix = pattern.size() > 2 && pattern.compare(pattern.size() - 2, 2, ".*") == 0;
    if (!is_prefix) {
      auto use = uses_.find(pattern);
      if (use != uses_.end()) take(*use);
      return;
    }
    std::string prefix = pattern.substr(0, pattern.size() - 1);
    for (auto use = uses_.lower_bound(prefix); use != uses_.end() && use->first.compare(0, prefix.size(), prefix) == 0; ++use)
      take(*use);
  }

  void apply(const PrecisionRule& rule) {
    PrecisionItem item;
    bool is_16_bit = rule.when == "half" || rule.when == "low";
    for (const std::string& name : rule.names) {
      each_use(name, [&](const auto& use) {
        const port::ProjectUse& of = use.second;
        item.count += is_16_bit ? of.count_16_bit : of.count;
        for (const base::Place& place : is_16_bit ? of.places_16_bit : of.places) item.places.push_back({place, use.first});
      });
    }
    if (item.count == 0) return;
    sort_places(item.places);
    item.id = rule.id;
    item.risk = rule.risk;
    item.comparison = rule.comparison;
    item.title = rule.title;
    item.why = rule.why;
    item.source = rule.source;
    if (rule.source == "chip") {
      const catalog::Fact* fact = chip_.dtype_fact(std::string_view(rule.when).substr(rule.when.find(':') + 1));
      item.source = fact != nullptr ? fact->chosen().source : std::string();
    }
    item.tolerances = rule.tolerances;
    item.loss_tolerance = rule.loss_tolerance;
    plan_.items.push_back(std::move(item));
  }

  // Operators of the project whose public tests on this card need wider limits than the common ones.
  void add_test_limits() {
    PrecisionItem item;
    double widest = 0;
    double widest_half = 0;
    std::string list;
    DtypeTolerance full{"float32", 0, 0};
    DtypeTolerance half{"float16", 0, 0};
    for (const auto& [name, use] : uses_) {
      const TestTolerance* row = rules_.test_tolerance(name, chip_.stack->backend);
      if (row == nullptr) continue;
      item.count += use.count;
      for (const base::Place& place : use.places) item.places.push_back({place, name});
      item.source = row->source;
      full.relative = std::max(full.relative, row->relative.value_or(0));
      full.absolute = std::max(full.absolute, row->absolute.value_or(0));
      half.relative = std::max(half.relative, row->relative_half.value_or(0));
      half.absolute = std::max(half.absolute, row->absolute_half.value_or(0));
      std::string limits;
      if (row->relative || row->absolute) limits = fmt::format("{}:{}", row->relative.value_or(0), row->absolute.value_or(0));
      if (row->relative_half || row->absolute_half)
        limits += fmt::format("{}float16 {}:{}", limits.empty() ? "" : ", ", row->relative_half.value_or(0),
                              row->absolute_half.value_or(0));
      list += (list.empty() ? "" : "; ") + name + " " + limits;
    }
    if (item.count == 0) return;
    widest = std::max(full.relative, full.absolute);
    widest_half = std::max(half.relative, half.absolute);
    sort_places(item.places);
    item.id = kTestLimits;
    double judged = widest > 0 ? widest : widest_half;
    item.risk = judged >= kHighFrom ? Risk::kHigh : judged >= kMediumFrom ? Risk::kMedium : Risk::kLow;
    item.title = text("operators whose public tests allow more on this card", "公开测试在该芯片上放宽容差的算子");
    item.why = text("limits of DIOPI's tests, relative:absolute: {}", "DIOPI 测试的容差（相对:绝对）：{}", list);
    if (widest > 0) item.tolerances.push_back(full);
    if (widest_half > 0) item.tolerances.push_back(half);
    plan_.items.push_back(std::move(item));
  }

  void add_commands() {
    // The strictest limits find the first operator that strays; whether it strays too far its own item tells.
    double loss_tolerance = 0;
    std::map<std::string, DtypeTolerance> strictest;
    for (const PrecisionItem& item : plan_.items) {
      loss_tolerance = std::max(loss_tolerance, item.loss_tolerance);
      if (item.id == kTestLimits) continue;
      for (const DtypeTolerance& tolerance : item.tolerances) {
        DtypeTolerance& of_dtype = strictest.emplace(tolerance.dtype, tolerance).first->second;
        of_dtype.relative = std::min(of_dtype.relative, tolerance.relative);
        of_dtype.absolute = std::min(of_dtype.absolute, tolerance.absolute);
      }
    }
    std::string quoted = root_.find_first_of(" '\"$`\\") == std::string::npos ? root_ : "PROJECT";
    std::string verify = fmt::format("starbridge verify {} PORT --to {}", quoted, chip_.id);
    if (loss_tolerance > 0) verify += fmt::format(" --tolerance {}", loss_tolerance);
    plan_.commands.push_back(verify + " -- COMMAND");
    std::string compare = fmt::format("starbridge weights dump-compare DUMPS-CUDA DUMPS-{}", chip_.id);
    for (const auto& [dtype, tolerance] : strictest) compare += " --tolerance " + tolerance_argument(tolerance);
    plan_.commands.push_back(compare + " --cosine-min 0.99");
  }

  const port::ProjectUses& uses_;
  const std::string& root_;
  const catalog::Chip& chip_;
  const std::string& hardware_;
  const catalog::PrecisionRules& rules_;
  bool has_half_ = false;
  bool has_bfloat16_ = false;
  PrecisionPlan plan_;
};

}  // namespace

base::Text describe(Risk risk) {
  switch (risk) {
    case Risk::kHigh:
      return text("high", "高");
    case Risk::kMedium:
      return text("medium", "中");
    case Risk::kLow:
      return text("low", "低");
  }
  return {};
}

base::Text describe_comparison(const PrecisionItem& item) {
  base::Text words = catalog::describe(item.comparison);
  std::string arguments;
  for (const DtypeTolerance& tolerance : item.tolerances) arguments += " --tolerance " + tolerance_argument(tolerance);
  if (item.comparison == Comparison::kVerify) arguments = fmt::format(" --tolerance {}", item.loss_tolerance);
  if (arguments.empty()) return words;
  std::string command = item.comparison == Comparison::kVerify ? "verify" : "weights dump-compare";
  return {words.en + ": " + command + arguments, words.zh + "：" + command + arguments};
}

std::string tolerance_argument(const DtypeTolerance& tolerance) {
  return fmt::format("{}={}:{}", tolerance.dtype, tolerance.relative, tolerance.absolute);
}

PrecisionPlan plan_precision(const port::ProjectReport& project, const port::ChipReport& chip,
                             const catalog::PrecisionRules& rules) {
  bool is_other_card = chip.verdict != port::Verdict::kCannot && chip.target.chip->stack->backend != "cuda";
  return is_other_card ? Planner(project, chip, rules).plan() : PrecisionPlan{};
}

}  // namespace starbridge::report
