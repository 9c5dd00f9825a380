#include "kernel/number_comparison.h"

#include <filesystem>

#include "base/error.h"
#include "kernel/machine.h"
#include "kernel/program.h"

namespace starbridge::kernel {

using base::text;

namespace {

// A file with one tensor (.npy) is named after the file, a program's numbers are its output: what there is one of on every side
// belongs together.
void pair_lone_numbers(const NumberSet& left, NumberSet& other) {
  if (left.numbers.size() != 1 || other.numbers.size() != 1) return;
  auto only = other.numbers.extract(other.numbers.begin());
  only.key() = left.numbers.begin()->first;
  other.numbers.insert(std::move(only));
}

std::vector<NumberRow> compare_sides(const NumberSet& left, const NumberSet& right, const NumberSet& reference,
                                     AccuracyClass which, Precision precision) {
  std::vector<NumberRow> rows;
  for (const auto& [name, golden] : left.numbers) {
    NumberRow row{name, {}, ""};
    auto found = right.numbers.find(name);
    auto known = reference.numbers.find(name);
    static const std::vector<double> none;
    const std::vector<double>& exact = known == reference.numbers.end() ? none : known->second;
    if (found == right.numbers.end())
      row.refused = "only-left";
    else if (found->second.size() != golden.size() || (!exact.empty() && exact.size() != golden.size()))
      row.refused = "count";
    else
      row.verdict = judge(which, precision, golden, found->second, exact);
    rows.push_back(std::move(row));
  }
  for (const auto& [name, values] : right.numbers) {
    if (left.numbers.count(name) == 0) rows.push_back({name, {}, "only-right"});
  }
  return rows;
}

}  // namespace

bool is_kernel_program(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    base::Result<std::vector<std::string>> sources = sources_of(path);
    return sources.ok() && !sources->empty();
  }
  return machine_of_source(path) != nullptr;
}

base::Result<NumberSet> run_for_numbers(const RunRequest& request) {
  SB_TRY(RunReport report, run_program(request));
  if (!report.ran_well())
    return base::Error("kernel.compare_failed", text("the program ended with {}", "程序以 {} 结束", report.exit_code))
        .at(request.path);
  OutputNumbers found = read_numbers(report.output);
  NumberSet set;
  set.is_program = true;
  set.numbers["output"] = std::move(found.numbers);
  set.words = std::move(found.words);
  return set;
}

NumberComparison compare_numbers(const NumberSet& left, NumberSet right, NumberSet reference, AccuracyClass accuracy,
                                 Precision precision) {
  pair_lone_numbers(left, right);
  pair_lone_numbers(left, reference);
  NumberComparison result;
  result.rows = compare_sides(left, right, reference, accuracy, precision);
  result.words_differ = left.is_program && right.is_program && left.words != right.words;
  result.agrees = !result.rows.empty() && !result.words_differ;
  for (const NumberRow& row : result.rows) result.agrees &= row.agrees();
  return result;
}

}  // namespace starbridge::kernel
