// SB_CHECK: a broken invariant is a bug of StarBridge; it ends the process with exit code 70 and says where. Kept in every build.
#pragma once

#include <string>

namespace starbridge::base {
// Prints the failed claim and ends the process with exit code 70.
[[noreturn]] void check_failed(const char* claim, const char* file, int line, const std::string& detail);
}  // namespace starbridge::base

#define SB_CHECK(claim)                                                 \
  do {                                                                  \
    if (!(claim)) [[unlikely]]                                          \
      ::starbridge::base::check_failed(#claim, __FILE__, __LINE__, {}); \
  } while (false)
