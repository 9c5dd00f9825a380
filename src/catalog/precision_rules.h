// PrecisionRules: which operators are likely to give other numbers on a chip, why, and how far apart is still fine. Reviewed rows
// of data/compat/precision.tsv; and the wider limits that public tests need on a card, data/compat/test_tolerances.tsv. Immutable
// after load; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace starbridge::catalog {

enum class Risk { kHigh, kMedium, kLow };
std::string_view to_string(Risk risk);

// How two runs are compared where the rule applies.
enum class Comparison {
  kDump,           // tensors of both runs within the tolerance
  kVerify,         // losses within the tolerance
  kValues,         // values or products only: order and signs are open
  kFinite,         // where infinity and NaN first appear
  kDeterministic,  // after switching to deterministic algorithms
  kRandom,         // with random numbers made on the CPU, or none
};
std::string_view to_string(Comparison comparison);
base::Text describe(Comparison comparison);

struct DtypeTolerance {
  std::string dtype;  // "float16"
  double relative = 0;
  double absolute = 0;
};

struct PrecisionRule {
  std::string id;                     // equal for rows that say the same of different chips
  std::string backend;                // "*": every chip but NVIDIA's
  std::vector<std::string> hardware;  // support classes; empty: any
  std::string when;                   // any | half | low | unsupported:DTYPE | limited:DTYPE
  Risk risk = Risk::kLow;
  Comparison comparison = Comparison::kDump;
  std::vector<DtypeTolerance> tolerances;  // of kDump and kValues
  double loss_tolerance = 0;               // of kVerify
  std::vector<std::string> names;          // "torch.softmax", "Tensor.softmax", "torch.fft.*", "Tensor.@"
  base::Text title;
  base::Text why;
  std::string source;  // "chip": what is known of the chip itself
};

struct TestTolerance {
  std::string name;
  std::string backend;
  std::optional<double> relative;
  std::optional<double> absolute;
  std::optional<double> relative_half;
  std::optional<double> absolute_half;
  std::string source;
};

class PrecisionRules {
 public:
  // Errors: catalog.bad_data with file and line.
  static base::Result<PrecisionRules> load(const std::string& data_dir);
  // One row of each id: a row of the backend wins over one of "*".
  std::vector<const PrecisionRule*> for_chip(std::string_view backend, std::string_view hardware) const;
  const TestTolerance* test_tolerance(std::string_view name, std::string_view backend) const;
  const std::vector<PrecisionRule>& rows() const { return rows_; }
  const std::vector<TestTolerance>& test_tolerances() const { return tolerances_; }

 private:
  base::Status read_rules(const std::string& path);
  base::Status read_tolerances(const std::string& path);
  std::vector<PrecisionRule> rows_;
  std::vector<TestTolerance> tolerances_;
};

}  // namespace starbridge::catalog
