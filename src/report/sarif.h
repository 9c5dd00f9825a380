// Sarif: a report as SARIF 2.1.0 (OASIS standard), one run per chip, edits as fixes. Pure; any thread.
#pragma once

#include "base/json_fwd.h"
#include "report/report.h"

namespace starbridge::report {

base::Json to_sarif(const Report& report, base::Language language);

}  // namespace starbridge::report
