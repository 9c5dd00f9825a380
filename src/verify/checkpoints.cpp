#include "verify/checkpoints.h"

#include <fmt/format.h>

#include <cmath>

#include "weights/checkpoint.h"
#include "weights/compare.h"

namespace starbridge::verify {
namespace {

// Weights gather the differences of all steps, so they get ten times the room of a loss.
constexpr double kRoom = 10;

std::string described(const weights::Tensor& tensor) {
  return fmt::format("{} {}", weights::shape_text(tensor.shape), weights::info(tensor.dtype).name);
}

std::string problem_of(const weights::TensorResult& result) {
  switch (result.outcome) {
    case weights::Outcome::kOnlyLeft:
      return "missing in the port";
    case weights::Outcome::kOnlyRight:
      return "only in the port";
    case weights::Outcome::kWrongShape:
    case weights::Outcome::kWrongDtype:
      return described(*result.left) + " against " + described(*result.right);
    default:
      break;
  }
  if (result.tally.nan_mismatch > 0) return "NaN at different places";
  return "";
}

TensorComparison row_of(const weights::TensorResult& result, const std::string& file, const Tolerance& tolerance) {
  TensorComparison row{file, result.name, problem_of(result), 0, 0, 1, true};
  if (result.has_figures) {
    row.absolute_max = result.tally.absolute_max;
    // Beside the tensor's own size: single elements near zero say nothing.
    constexpr double kScaleMin = 1e-30;
    row.relative_max = row.absolute_max / std::max(result.tally.left_peak, kScaleMin);
    row.cosine = std::isnan(result.cosine) ? 1 : result.cosine;
  }
  row.agrees =
      row.problem.empty() && (row.absolute_max <= tolerance.absolute * kRoom || row.relative_max <= tolerance.relative * kRoom);
  return row;
}

}  // namespace

void compare_checkpoint(const std::string& original, const std::string& port, const std::string& file, const Tolerance& tolerance,
                        std::vector<TensorComparison>& rows) {
  auto add_problem = [&](const base::Error& error) {
    rows.push_back({file, "", "the checkpoints cannot be compared: " + error.message().en, 0, 0, 1, false});
  };
  base::Result<weights::Checkpoint> left = weights::open_checkpoint(original), right = weights::open_checkpoint(port);
  if (!left.ok()) return add_problem(left.error());
  if (!right.ok()) return add_problem(right.error());
  if (left->tensors.empty() && right->tensors.empty()) return;
  base::Result<weights::Comparison> comparison = weights::compare(*left, *right, {});
  if (!comparison.ok()) return add_problem(comparison.error());
  for (const weights::TensorResult& result : comparison->tensors) rows.push_back(row_of(result, file, tolerance));
}

}  // namespace starbridge::verify
