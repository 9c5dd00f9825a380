// Finding: one thing the scan says about a project and a chip. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"
#include "base/text.h"

namespace starbridge::port {

enum class Severity {
  kInfo,     // worth knowing, nothing to do
  kWarning,  // runs, but slower, with other defaults or on the CPU
  kWork,     // someone must change something by hand
};
std::string_view to_string(Severity severity);

struct Finding {
  std::string rule;  // "cuda-kernel", "api-unsupported": an id of port/rules.h
  Severity severity = Severity::kInfo;
  base::Place place;
  base::Text message;
  base::Text advice;       // what to do; may be empty
  std::string source;      // id of a row of data/compat/sources.tsv, or empty
  std::string suggestion;  // code that would do in its place, ready to be put there; may be empty

  base::Json to_json(base::Language language) const;
};

}  // namespace starbridge::port
