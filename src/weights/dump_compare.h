// Comparison of two folders of tensor dumps, operator by operator in recorded order. Blocking.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "weights/compare.h"
#include "weights/dump_folder.h"

namespace starbridge::weights {

struct DumpResult {
  DumpEntry entry;  // of the side that has it, the first before the second
  TensorResult result;
  std::shared_ptr<Tensor> left, right;  // what `result` points to
};

// What the recorded inputs say about where a difference comes from.
enum class Cause : std::uint8_t {
  kOperator,  // all recorded inputs agree: the operator itself computes something else
  kInput,     // an input differs already
  kUnknown,   // no input was recorded
};
std::string_view to_string(Cause cause);

struct OperatorResult {
  std::string name;
  std::vector<std::size_t> tensors;  // indices of DumpComparison::tensors
  bool agrees = true;
  Cause cause = Cause::kUnknown;
};

struct DumpComparison {
  bool agrees = true;
  DumpOrder order = DumpOrder::kNames;
  std::vector<DumpResult> tensors;  // in recorded order
  std::vector<OperatorResult> operators;
  std::optional<std::size_t> first_diverging;  // operator
  std::optional<std::size_t> first_made_here;  // first operator whose inputs agree and whose outputs do not
  std::optional<std::size_t> first_nan;        // tensor that has NaN or infinity on the second side only
};

// Limits for the values of a run, which drift with every operator, unlike weights: 5 per mille and 1e-3, cosine 0.99, as the
// vendors' own comparers call a tensor acceptable.
Rule dump_rule();

// Errors: those of read_dump_folder and of reading; weights.nothing_to_compare when no name is on both sides.
base::Result<DumpComparison> compare_dumps(const DumpFolder& left, const DumpFolder& right, const CompareOptions& options);

base::Json to_json(const DumpComparison& comparison);

}  // namespace starbridge::weights
