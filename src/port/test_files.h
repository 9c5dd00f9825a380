// One file of any kind as the port sees it, for the tests of this room.
#pragma once

#include <string>
#include <vector>

#include "port/analyze.h"
#include "port/test_tables.h"

namespace starbridge::port {

inline FileReport analyze(const std::string& path, const std::string& bytes, const std::string& chip = "ascend-910b3") {
  Context context = make_context(tables(), {make_target(*catalogue().find_chip(chip).value())});
  return analyze_file({path, bytes}, classify(path, bytes), context);
}

inline std::string ported(const std::string& path, const std::string& bytes, const std::string& chip = "ascend-910b3") {
  return apply_edits(bytes, analyze(path, bytes, chip).results[0].edits);
}

inline std::vector<std::string> rules(const std::string& path, const std::string& bytes) {
  std::vector<std::string> names;
  FileReport report = analyze(path, bytes);
  for (const Finding& finding : report.results[0].findings) names.push_back(finding.rule);
  return names;
}

}  // namespace starbridge::port
