// The log of findings: one JSON object per line, for the command that started the program. Places are given as addresses; the
// command turns them into file and line. Without a command the essence goes to standard error. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace starbridge::emulate {

// One end of a finding.
struct LogSide {
  const void* place = nullptr;  // return address of the access
  std::string fields;           // further members of the JSON object, each followed by a comma
  std::string unit;             // who it was, for standard error
  bool is_write = false;
};

struct LogFinding {
  std::string_view rule;
  std::string en;
  std::string zh;
  std::string kernel;  // may be empty
  LogSide side;
  LogSide other;
  bool has_other = false;
};

// Kept once per rule and pair of places; further ones are counted.
void log_finding(const LogFinding& finding);
// What is left to say when the program ends; also counts.
void finish_log();
// A JSON string, quotes included.
std::string quoted(std::string_view text);

}  // namespace starbridge::emulate
