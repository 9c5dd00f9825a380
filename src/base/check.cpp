#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace starbridge::base {

void check_failed(const char* claim, const char* file, int line, const std::string& detail) {
  std::fprintf(stderr,
               "starbridge: internal error: %s does not hold (%s:%d)%s%s\nThis is a fault of StarBridge; please report it.\n",
               claim, file, line, detail.empty() ? "" : ": ", detail.c_str());
  std::fflush(nullptr);
  std::_Exit(70);
}

}  // namespace starbridge::base
