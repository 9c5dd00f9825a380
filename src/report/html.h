// Html: a report as one page that needs nothing else: charts, filters, each file before and after, Chinese and English.
// Pure; any thread.
#pragma once

#include <string_view>

#include "report/report.h"

namespace starbridge::report {

std::string to_html(const Report& report, base::Language language);

// The page with the mark @@REPORT@@ where its data goes; generated from page.html.
std::string_view page_text();

}  // namespace starbridge::report
