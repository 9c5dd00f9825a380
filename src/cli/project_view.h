// How scans and ports are shown: tables for people, JSON for programs. One thread.
#pragma once

#include "cli/frame.h"
#include "port/project.h"

namespace starbridge::cli {

void print_verdicts(const Context& context, const port::ProjectReport& report);
// Findings of one chip grouped by severity; at most `limit` of each (0: all).
void print_findings(const Context& context, const port::ChipReport& chip, std::size_t limit);
void print_cuda(const Context& context, const port::CudaInventory& cuda);
base::Json chip_to_json(const Context& context, const port::ChipReport& chip);
base::Json project_to_json(const Context& context, const port::ProjectReport& report);

}  // namespace starbridge::cli
