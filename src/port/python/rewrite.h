// Rewrite: the sites of a Python file turned into edits and findings for one target. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "port/edit.h"
#include "port/finding.h"
#include "port/portable.h"
#include "port/python/names.h"
#include "port/python/sites.h"
#include "port/source_file.h"
#include "port/tables.h"
#include "port/target.h"

namespace starbridge::port::python {

struct RewriteInput {
  const SourceFile& file;
  const LineIndex& lines;
  const Sites& sites;
  const Target& target;
  const Names& names;  // for the target
  const Tables& tables;
  std::string torch_version;             // of the project, "2.7"; empty: the newest each table has
  const HelperImport* helper = nullptr;  // for the portable style
};

struct RewriteOutput {
  std::vector<Edit> edits;
  std::vector<Finding> findings;
  std::vector<NewFile> new_files;
};

RewriteOutput rewrite(const RewriteInput& input);

}  // namespace starbridge::port::python
