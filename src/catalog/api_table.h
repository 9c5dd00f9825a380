// ApiTable: what public sources say about one PyTorch name (API or operator) on one backend. Every row is evidence with its
// source; contradictions are kept and shown. Immutable after load; any thread.
//
// What other rooms use: port asks find() for each resolved torch.* name and judge() for one answer with its confidence;
// verify reads op_rows() through device_profile.h.
// Cost: load reads the tables in one pass and sorts them by name; find is a binary search. See the test for the bound.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/fact.h"

namespace starbridge::catalog {

enum class Support {
  kNative,       // runs on the device
  kLimited,      // runs with limits on dtypes, shapes or options
  kComposite,    // decomposes into operators that run on the device
  kCpuFallback,  // the plug-in runs it on the CPU, with copies and a warning
  kUnsupported,  // refused or wrong
  kUnknown,
};
std::string_view to_string(Support support);
std::optional<Support> support_from_name(std::string_view name);

struct Evidence {
  std::string_view name;     // "torch.nn.GRU", "aten::add.Tensor"
  std::string_view backend;  // npu, mlu, musa
  Support status = Support::kUnknown;
  std::string_view torch_min;    // inclusive; empty: no bound
  std::string_view torch_max;    // inclusive; empty: no bound
  std::string_view hardware;     // "a2", "a3", "950", "mlu370"; empty: any
  std::string_view dtypes;       // comma separated dtypes the source allows; empty: nothing said
  std::string_view note;         // coded limits and remarks
  std::string_view vendor_name;  // the name the vendor's documentation gives, if it differs
  std::string_view source;       // id of a row of data/compat/sources.tsv
  int rank = 0;                  // of the source: lower is stronger
  Confidence confidence = Confidence::kAssumed;
  bool covers_version = true;  // false: a neighbouring torch version, shown but weaker
};

struct Judgement {
  Support status = Support::kUnknown;
  double confidence = 0;  // 0..1, assumed scale: rank of the deciding source, less when contested
  bool is_contested = false;
  std::optional<Evidence> decided_by;
  std::vector<Evidence> against;  // the first row of each source that contradicts; empty unless contested
};

class ApiTable {
 public:
  // Reads data_dir/compat. Errors: catalog.bad_data with file and line.
  static base::Result<ApiTable> load(const std::string& data_dir);
  ApiTable(ApiTable&&) noexcept;
  ApiTable& operator=(ApiTable&&) noexcept;
  ~ApiTable();

  // Rows about `name` on `backend`, strongest first. `torch_version` "2.7" or "2.7.1" puts rows that cover it before
  // those of other versions; empty means the newest each source has. `hardware` empty means any. Operators: "aten::gru.input" or
  // "aten::gru" for all overloads. For an API the rows of the operator of the same name (torch.isin -> aten::isin) are added.
  std::vector<Evidence> find(std::string_view name, std::string_view backend, std::string_view torch_version = {},
                             std::string_view hardware = {}) const;
  // The answer the evidence gives: the strongest row that covers the version decides; disagreement of weaker rows is told.
  static Judgement judge(const std::vector<Evidence>& evidence);

  // True when any source has a row for this exact name on any backend.
  bool knows(std::string_view name) const;
  // At most `count` known names nearest to `name`, for suggestions: first those with the same last part in whatever case, then by
  // edit distance. Cost: a pass over all names.
  std::vector<std::string> nearest_names(std::string_view name, std::size_t count) const;
  // All operator rows ("aten::...") of a backend that cover `torch_version`, sorted by name.
  std::vector<Evidence> op_rows(std::string_view backend, std::string_view torch_version) const;

  // Likewise the rows that are no operators, for one hardware class.
  std::vector<Evidence> api_rows(std::string_view backend, std::string_view torch_version, std::string_view hardware) const;

  const Source* find_source(std::string_view id) const;
  std::size_t row_count() const;

 private:
  struct Impl;
  explicit ApiTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace starbridge::catalog
