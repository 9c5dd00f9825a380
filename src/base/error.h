// Error: what went wrong, where, and what to do next. Plain values; any thread.
// Codes are strings of the form "room.what"; every code used stands in error_codes.def, from which the exit code of the command
// line, the HTTP status and docs/errors.md come.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/text.h"

namespace starbridge::base {

// Exit codes of every command; stable.
enum class ExitCode {
  kDone = 0,
  kAnswerIsNo = 1,    // the command ran, and the answer is no (losses differ, job failed, findings left)
  kUsage = 2,         // wrong command line
  kInputRefused = 3,  // a file, field or name in the input is not acceptable
  kNotAllowed = 4,    // permission or policy
  kUnavailable = 5,   // a server, tool or device is missing now; trying again may help
  kBug = 70,          // a fault of StarBridge itself
  kInterrupted = 130,
};

struct ErrorCode {
  std::string_view code;
  ExitCode exit_code;
  int http_status;
  std::string_view en;  // one-line meaning for docs/errors.md
  std::string_view zh;
};

const std::vector<ErrorCode>& error_codes();
// The row for `code`, or nullptr.
const ErrorCode* find_error_code(std::string_view code);

// A position in the user's input. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string field;  // path inside a document, e.g. "resources.cards"

  bool empty() const { return file.empty() && field.empty(); }
  // "train.py:12:4", "job.yaml:3 (resources.cards)", "resources.cards"
  std::string to_string() const;
  bool operator==(const Place&) const = default;
};

class [[nodiscard]] Error {
 public:
  // `code` must be listed in error_codes.def (checked: an unknown code is a bug).
  Error(std::string_view code, Text message);

  // Builders; each returns the error so that calls can be chained.
  Error&& at(std::string file, int line = 0, int column = 0) &&;
  Error&& at(Place place) &&;
  Error&& in_field(std::string field) &&;
  Error&& next(Text next_step) &&;
  // Adds what was being done, outermost last.
  Error&& while_doing(Text context) &&;

  const std::string& code() const { return code_; }
  const Text& message() const { return message_; }
  const Place& place() const { return place_; }
  const Text& next_step() const { return next_step_; }
  const std::vector<Text>& contexts() const { return contexts_; }
  ExitCode exit_code() const;
  int http_status() const;

  // "job.yaml:3 (resources.cards): message [code]" and, on lines of their own, contexts and the next step.
  std::string render(Language language) const;
  // Schema starbridge.error/1: {schema, code, message, place{file,line,column,field}, context[], next_step, exit_code}
  Json to_json(Language language) const;

 private:
  std::string code_;
  Text message_;
  Place place_;
  Text next_step_;
  std::vector<Text> contexts_;
};

// "what: strerror(errno_value)" as an io error on `path`: full disk, permission, missing file and the rest each with its own
// code.
Error io_error(int errno_value, Text what, const std::string& path);

}  // namespace starbridge::base
