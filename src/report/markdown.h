// Markdown: a report for a merge request or a wiki. Pure; any thread.
#pragma once

#include "report/report.h"

namespace starbridge::report {

std::string to_markdown(const Report& report, base::Language language);

}  // namespace starbridge::report
