// The text forms of protocol 0: quoted strings, raw-unicode-escape, numbers. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace starbridge::weights {

// 'it\'s' or "it's" with Python's escapes; false when it is malformed.
bool parse_quoted_text(std::string_view quoted, std::string& plain);
// Latin-1 with \uXXXX and \UXXXXXXXX escapes, as UTF-8.
bool parse_raw_unicode(std::string_view raw, std::string& plain);
bool parse_pickle_float(std::string_view digits, double& value);

}  // namespace starbridge::weights
