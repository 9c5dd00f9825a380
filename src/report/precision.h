// Precision plan: which operators of a project are likely to give other numbers on a chip, why, and how to compare the two runs.
// From the names the scan saw and the rules of the catalogue; a dtype is followed from file to file and not from value to value:
// 16-bit rules hold in files that ask for 16 bit, import one that does, or are imported by either. Plain values; pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "catalog/precision_rules.h"
#include "port/project.h"

namespace starbridge::report {

struct PrecisionPlace {
  base::Place place;  // the first use of the name in its file
  std::string name;
};

struct PrecisionItem {
  std::string id;
  catalog::Risk risk = catalog::Risk::kLow;
  catalog::Comparison comparison = catalog::Comparison::kDump;
  base::Text title;
  base::Text why;
  std::string source;
  std::vector<catalog::DtypeTolerance> tolerances;
  double loss_tolerance = 0;
  std::size_t count = 0;               // uses in the project
  std::vector<PrecisionPlace> places;  // by file and line, one a file and name
};

struct PrecisionPlan {
  std::vector<PrecisionItem> items;           // highest risk first, then most used
  std::vector<PrecisionPlace> low_precision;  // where 16 bit is asked for
  std::vector<std::string> commands;          // to be filled in: PORT, COMMAND, DUMPS
};

base::Text describe(catalog::Risk risk);
// What to compare where the item applies, with its tolerance.
base::Text describe_comparison(const PrecisionItem& item);
// "float16=0.005:0.001", as --tolerance takes it.
std::string tolerance_argument(const catalog::DtypeTolerance& tolerance);

PrecisionPlan plan_precision(const port::ProjectReport& project, const port::ChipReport& chip,
                             const catalog::PrecisionRules& rules);

}  // namespace starbridge::report
