// FlowRecord: what a project's files asked each other, kept so that a later scan can ask a changed file the same and see whether
// it asks the same back: then the other files stand. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "port/python/flow.h"

namespace starbridge::port::python {

struct FlowRecord {
  // Values are followed in two phases; the second begins with what comparisons ask.
  static constexpr int kPhases = 2;
  struct Question {
    std::uint32_t file = 0;  // who asked
    Demand demand;
  };
  struct File {
    enum class Parse : std::uint8_t { kNever, kOwn, kAsked };  // for its own words; because another file asked, or was followed
    Parse parse = Parse::kNever;
    std::uint8_t parse_phase = 0;
    std::uint64_t demands_hash = 0;      // of all it asked, and when
    std::uint64_t imports_hash = 0;      // of what its names stand for through imports, and whether it is damaged
    std::vector<Demand> asked[kPhases];  // by path; what was asked by name is in `questions`
  };
  std::vector<Question> questions[kPhases];  // by name or about arguments: every file with the word was asked
  std::vector<File> files;
  std::map<std::string, TextRole> settings;
};

}  // namespace starbridge::port::python
