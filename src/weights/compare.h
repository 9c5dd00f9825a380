// Comparison of two checkpoints, tensor by tensor, streamed through small buffers on several threads. Blocking.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "weights/checkpoint.h"
#include "weights/kernels.h"

namespace starbridge::weights {

// When two tensors agree. Without more: every element within absolute + relative * |left| of its type.
struct Rule {
  std::map<DType, Limits> limits;        // instead of the type's own (dtype.cpp)
  bool is_exact = false;                 // every bit
  std::optional<std::uint64_t> ulp_max;  // instead of the limits, for floats
  std::optional<double> cosine_min;      // besides
  bool ignores_dtype = false;            // float32 against bfloat16 is no difference by itself
  bool ignores_missing = false;          // tensors that only one side has
};

struct CompareOptions {
  Rule rule;
  std::vector<std::string> ignored_prefixes;  // "module." of DataParallel, "_orig_mod." of torch.compile, "state_dict."
  std::vector<std::string> order;             // names in the order of the model; empty: from the files
  std::size_t thread_count = 0;               // 0: one for each processor
};

enum class Outcome : std::uint8_t { kIdentical, kWithin, kDiffers, kWrongShape, kWrongDtype, kOnlyLeft, kOnlyRight };
std::string_view to_string(Outcome outcome);

struct TensorResult {
  std::string name;
  Outcome outcome = Outcome::kIdentical;
  bool agrees = true;
  const Tensor* left = nullptr;  // nullptr when that side does not have it
  const Tensor* right = nullptr;
  Limits limits;             // that were applied
  bool has_figures = false;  // `tally` is filled: same shape, not identical
  bool has_ulp = false;
  Tally tally;
  double cosine = 1;                           // NaN when a side is all zeros
  std::uint64_t unequal_bits = 0;              // packed types: bytes that differ
  std::optional<std::uint64_t> first_unequal;  // index of the first element whose bits differ
  std::string left_hash;  // XXH64 of the elements in logical order, little-endian; empty for tensors without bytes
  std::string right_hash;
};

enum class OrderSource : std::uint8_t { kGiven, kLeftFile, kRightFile, kNames };
std::string_view to_string(OrderSource source);

struct Comparison {
  bool agrees = true;
  std::vector<TensorResult> tensors;  // in the order of the model
  OrderSource order_source = OrderSource::kNames;
  std::optional<std::size_t> first_diverging;  // index of the first that does not agree
  std::uint64_t compared_bytes = 0;            // of both sides
};

// Both checkpoints must outlive the result. Errors: those of reading; weights.ambiguous_names when two names become one;
// weights.nothing_to_compare when no name is on both sides.
base::Result<Comparison> compare(const Checkpoint& left, const Checkpoint& right, const CompareOptions& options);

// One pair, for callers that pair tensors themselves. Fills everything but the name.
base::Status compare_tensors(const Checkpoint& left_file, const Tensor& left, const Checkpoint& right_file, const Tensor& right,
                             const Rule& rule, TensorResult& result);

}  // namespace starbridge::weights
