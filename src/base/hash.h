// Content hashes. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace starbridge::base {

// SHA-256 in lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);

}  // namespace starbridge::base
