// A command line run inside the test's process, in English, on the data of the source tree.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/frame.h"

namespace starbridge::cli {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
  base::Json json() const { return base::parse_json(out, "stdout").value(); }
};

inline Ran run(const std::vector<std::string>& arguments) {
  ::setenv("STARBRIDGE_ROOT", SB_SOURCE_DIR, 1);
  ::setenv("STARBRIDGE_CACHE", SB_BINARY_DIR "/test-cache", 1);
  ::setenv("LC_ALL", "C", 1);
  std::ostringstream out;
  std::ostringstream err;
  Ran ran;
  ran.code = run_command_line(arguments, out, err);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

}  // namespace starbridge::cli
