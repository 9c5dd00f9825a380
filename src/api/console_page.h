// The console: one HTML page, embedded at build time from console/.
#pragma once

#include <string>

namespace starbridge::api {
const std::string& console_page();
}
