// VersionPairs: releases of packages with what each needs of others, as the packages' own pages list them. The pairs of PyTorch
// and a vendor's plug-in stand in data/stacks instead. Immutable after load; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::catalog {

struct VersionPair {
  std::string package;  // folded as requirements are: lower case, '-'
  std::string version;  // "0.22": of every release of that minor version; "0.23.0rc1": of that release
  std::string needs;    // "torch", "torch-npu", "python", "cann"
  std::string range;    // "2.7", "2.10.0.post4", ">=3.10,<3.13"
  std::string backend;  // npu, mlu, musa; "*": wherever
  std::string source;
};

class VersionPairs {
 public:
  // Errors: catalog.bad_data with file and line.
  static base::Result<VersionPairs> load(const std::string& data_dir);
  // Every row about `package` that holds on `backend`.
  std::vector<const VersionPair*> of(std::string_view package, std::string_view backend) const;
  const std::vector<VersionPair>& rows() const { return rows_; }

 private:
  std::vector<VersionPair> rows_;
};

}  // namespace starbridge::catalog
