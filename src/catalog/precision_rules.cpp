#include "catalog/precision_rules.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/files.h"
#include "catalog/tsv.h"

namespace starbridge::catalog {
namespace {

using base::Result;
using base::Status;
using base::text;

constexpr std::array<std::string_view, 3> kRisks = {"high", "medium", "low"};
constexpr std::array<std::string_view, 6> kComparisons = {"dump", "verify", "values", "finite", "deterministic", "random"};

template <class Value, std::size_t kCount>
std::optional<Value> value_of(const std::array<std::string_view, kCount>& words, std::string_view word) {
  auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Value>(found - words.begin());
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    std::size_t end = list.find(separator);
    parts.emplace_back(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return parts;
}

std::optional<double> number_of(std::string_view word) {
  double value = 0;
  auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  bool is_number = parsed.ec == std::errc() && parsed.ptr == word.data() + word.size() && value >= 0;
  return is_number ? std::optional<double>(value) : std::nullopt;
}

// "float16=5e-3:1e-3,int64=0", as `--tolerance` of the weights commands takes it.
std::optional<std::vector<DtypeTolerance>> tolerances_of(std::string_view list) {
  std::vector<DtypeTolerance> found;
  for (const std::string& part : split(list, ',')) {
    std::size_t equals = part.find('=');
    if (equals == std::string::npos) return std::nullopt;
    std::string_view numbers = std::string_view(part).substr(equals + 1);
    std::size_t colon = numbers.find(':');
    std::optional<double> relative = number_of(numbers.substr(0, colon));
    std::optional<double> absolute = colon == std::string_view::npos ? 0.0 : number_of(numbers.substr(colon + 1));
    if (!relative || !absolute) return std::nullopt;
    found.push_back({part.substr(0, equals), *relative, *absolute});
  }
  return found;
}

bool is_condition(std::string_view when) {
  if (when == "any" || when == "half" || when == "low") return true;
  return (when.substr(0, 12) == "unsupported:" && when.size() > 12) || (when.substr(0, 8) == "limited:" && when.size() > 8);
}

}  // namespace

std::string_view to_string(Risk risk) { return kRisks[static_cast<std::size_t>(risk)]; }
std::string_view to_string(Comparison comparison) { return kComparisons[static_cast<std::size_t>(comparison)]; }

base::Text describe(Comparison comparison) {
  switch (comparison) {
    case Comparison::kDump:
      return text("compare dumps of both runs", "比较两次运行的张量转储");
    case Comparison::kVerify:
      return text("compare losses of both runs", "比较两次运行的损失");
    case Comparison::kValues:
      return text("compare values or products, not indices or signs", "比较数值或乘积，不比较下标或符号");
    case Comparison::kFinite:
      return text("look where infinity and NaN first appear", "查看无穷与 NaN 首次出现的位置");
    case Comparison::kDeterministic:
      return text("compare after torch.use_deterministic_algorithms(True)",
                  "先调用 torch.use_deterministic_algorithms(True) 再比较");
    case Comparison::kRandom:
      return text("make random numbers on the CPU for the comparison, and leave dropout out",
                  "比较时在 CPU 上生成随机数，并关闭 dropout");
  }
  return {};
}

Status PrecisionRules::read_rules(const std::string& path) {
  SB_TRY(std::string content, base::read_file(path));
  return read_tsv(content, path,
                  {"id", "backend", "hardware", "when", "risk", "compare", "tolerance", "names", "title_en", "title_zh", "why_en",
                   "why_zh", "source"},
                  [&](const TsvRow& row) -> Status {
                    const auto& cells = row.cells;
                    auto refuse = [&](const char* field, base::Text message) {
                      return bad_data(path, row.line, field, std::move(message));
                    };
                    for (std::size_t index : {0U, 1U, 3U, 7U, 8U, 9U, 10U, 11U, 12U}) {
                      if (cells[index].empty()) return refuse("id", text("a cell of this row is empty", "该行有空单元格"));
                    }
                    PrecisionRule rule;
                    rule.id = cells[0];
                    rule.backend = cells[1];
                    rule.hardware = split(cells[2], ',');
                    rule.when = cells[3];
                    if (!is_condition(rule.when)) return refuse("when", text("unknown condition", "未知条件"));
                    std::optional<Risk> risk = value_of<Risk>(kRisks, cells[4]);
                    if (!risk) return refuse("risk", text("high, medium or low was expected", "此处应为 high、medium 或 low"));
                    rule.risk = *risk;
                    std::optional<Comparison> comparison = value_of<Comparison>(kComparisons, cells[5]);
                    if (!comparison) return refuse("compare", text("unknown comparison", "未知的比较方式"));
                    rule.comparison = *comparison;
                    if (rule.comparison == Comparison::kVerify) {
                      std::optional<double> tolerance = number_of(cells[6]);
                      if (!tolerance) return refuse("tolerance", text("a number was expected", "此处应为数值"));
                      rule.loss_tolerance = *tolerance;
                    } else {
                      std::optional<std::vector<DtypeTolerance>> tolerances = tolerances_of(cells[6]);
                      bool is_missing = rule.comparison == Comparison::kDump && cells[6].empty();
                      if (!tolerances || is_missing)
                        return refuse("tolerance", text("DTYPE=RELATIVE:ABSOLUTE was expected", "此处应为 类型=相对:绝对"));
                      rule.tolerances = std::move(*tolerances);
                    }
                    rule.names = split(cells[7], '|');
                    rule.title = {std::string(cells[8]), std::string(cells[9])};
                    rule.why = {std::string(cells[10]), std::string(cells[11])};
                    rule.source = cells[12];
                    rows_.push_back(std::move(rule));
                    return {};
                  });
}

Status PrecisionRules::read_tolerances(const std::string& path) {
  SB_TRY(std::string content, base::read_file(path));
  return read_tsv(content, path, {"name", "backend", "relative", "absolute", "relative_half", "absolute_half", "source"},
                  [&](const TsvRow& row) -> Status {
                    TestTolerance entry{std::string(row.cells[0]), std::string(row.cells[1]), {}, {}, {}, {},
                                        std::string(row.cells[6])};
                    std::array<std::optional<double>*, 4> places = {&entry.relative, &entry.absolute, &entry.relative_half,
                                                                    &entry.absolute_half};
                    for (std::size_t index = 0; index < places.size(); ++index) {
                      std::string_view cell = row.cells[index + 2];
                      *places[index] = number_of(cell);
                      if (!cell.empty() && !places[index]->has_value())
                        return bad_data(path, row.line, "relative", text("a number was expected", "此处应为数值"));
                    }
                    tolerances_.push_back(std::move(entry));
                    return {};
                  });
}

Result<PrecisionRules> PrecisionRules::load(const std::string& data_dir) {
  PrecisionRules rules;
  SB_TRY_VOID(rules.read_rules(data_dir + "/compat/precision.tsv"));
  SB_TRY_VOID(rules.read_tolerances(data_dir + "/compat/test_tolerances.tsv"));
  return rules;
}

std::vector<const PrecisionRule*> PrecisionRules::for_chip(std::string_view backend, std::string_view hardware) const {
  std::vector<const PrecisionRule*> found;
  for (const PrecisionRule& rule : rows_) {
    bool is_elsewhere = rule.backend != "*" && rule.backend != backend;
    bool is_other_hardware =
        !rule.hardware.empty() && std::find(rule.hardware.begin(), rule.hardware.end(), hardware) == rule.hardware.end();
    if (is_elsewhere || is_other_hardware) continue;
    auto same = std::find_if(found.begin(), found.end(), [&](const PrecisionRule* other) { return other->id == rule.id; });
    if (same == found.end()) {
      found.push_back(&rule);
    } else if ((*same)->backend == "*") {
      *same = &rule;
    }
  }
  return found;
}

const TestTolerance* PrecisionRules::test_tolerance(std::string_view name, std::string_view backend) const {
  auto found = std::find_if(tolerances_.begin(), tolerances_.end(),
                            [&](const TestTolerance& row) { return row.name == name && row.backend == backend; });
  return found == tolerances_.end() ? nullptr : &*found;
}

}  // namespace starbridge::catalog
