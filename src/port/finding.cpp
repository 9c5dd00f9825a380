#include "port/finding.h"

#include "base/json.h"

namespace starbridge::port {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kWork:
      return "work";
  }
  return "info";
}

base::Json Finding::to_json(base::Language language) const {
  base::Json json = {{"rule", rule},       {"severity", to_string(severity)}, {"file", place.file},
                     {"line", place.line}, {"column", place.column},          {"message", message.in(language)}};
  if (!advice.empty()) json["advice"] = advice.in(language);
  if (!source.empty()) json["source"] = source;
  if (!suggestion.empty()) json["suggestion"] = base::sanitize_utf8(suggestion);
  return json;
}

}  // namespace starbridge::port
