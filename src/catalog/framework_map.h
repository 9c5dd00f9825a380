// FrameworkMap: what PyTorch names are called in MindSpore and Paddle, as their own mapping tables say. Data for a person who
// thinks of leaving PyTorch; nothing of the port uses it. Immutable after load; any thread.
// Cost: load reads one table of some thousand rows; find is a binary search.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/name_map.h"

namespace starbridge::catalog {

struct FrameworkRow {
  std::string name;       // "torch.nn.GRU"
  std::string framework;  // mindspore | paddle
  MapStatus status = MapStatus::kUnknown;
  std::string target;  // "mindspore.nn.GRU"; empty when there is none, or when the call is written out in other ones
  std::string note;    // codes, comma separated: "argument_names:input>x"
  std::string source;  // id of a row of data/compat/sources.tsv
};

class FrameworkMap {
 public:
  // Errors: catalog.bad_data with file and line.
  static base::Result<FrameworkMap> load(const std::string& data_dir);
  // What every source says, in the order of the table; empty: nothing, which is not a promise.
  std::span<const FrameworkRow> find(std::string_view name, std::string_view framework) const;
  bool knows_framework(std::string_view framework) const;
  std::vector<std::string> frameworks() const;
  const std::vector<FrameworkRow>& rows() const { return rows_; }

 private:
  std::vector<FrameworkRow> rows_;  // by framework, then name
};

// "argument_missing:dim,default_differs:end" in words.
base::Text describe_change(std::string_view codes);

}  // namespace starbridge::catalog
