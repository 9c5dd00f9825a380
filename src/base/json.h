// JSON read with limits and located errors. Heavy: include from .cpp files only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"

namespace starbridge::base {

constexpr std::size_t kJsonBytesMax = 256UL << 20;
constexpr int kJsonDepthMax = 128;

// Parses `text`; `name` is the file named in errors. Errors: base.malformed_json with line and column,
// base.document_too_large, base.document_too_deep. Duplicate keys keep the last value, as RFC 8259 readers do.
Result<Json> parse_json(std::string_view text, const std::string& name);

// Reads and parses a file. Errors: those of read_file and parse_json.
Result<Json> read_json(const std::string& path);

// Serialises with malformed UTF-8 replaced, never throwing. `indent` < 0 gives one line.
std::string to_string(const Json& json, int indent = 2);

}  // namespace starbridge::base
