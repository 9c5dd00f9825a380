// How scans and ports are shown: tables for people, JSON for programs. One thread.
#pragma once

#include "cli/frame.h"
#include "report/report.h"

namespace starbridge::cli {

void print_verdicts(const Context& context, const report::Report& report);
// Findings of one chip that are not known, grouped by severity; at most `limit` of each (0: all).
void print_findings(const Context& context, const report::ChipSection& section, std::size_t limit);
// What is likely to give other numbers on the chip; at most `limit` items (0: all).
void print_precision(const Context& context, const report::ChipSection& section, std::size_t limit);
void print_cuda(const Context& context, const port::CudaInventory& cuda);
// The schema is docs/schemas/scan.json.
base::Json chip_to_json(const Context& context, const report::ChipSection& section);
base::Json project_to_json(const Context& context, const report::Report& report);

}  // namespace starbridge::cli
