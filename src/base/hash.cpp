#include "base/hash.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace starbridge::base {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  SB_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (unsigned index = 0; index < length; ++index) {
    hex += kDigits[digest[index] >> 4];
    hex += kDigits[digest[index] & 15];
  }
  return hex;
}

}  // namespace starbridge::base
