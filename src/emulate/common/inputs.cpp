#include "emulate/common/inputs.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace starbridge::emulate {

namespace {

constexpr std::uint64_t kBytesMax = 1ULL << 30;  // of all copies; what lies beyond is left as it is

std::FILE* opened(const char* name, const char* mode) {
  const char* path = std::getenv(name);
  return path == nullptr || *path == '\0' ? nullptr : std::fopen(path, mode);
}

// Between 2^-40 and 2^40, or zero: whole numbers, halves and doubles hardly ever look so all along.
bool is_float_array(const std::uint32_t* words, std::size_t count) {
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t exponent = words[i] >> 23 & 0xff;
    if ((words[i] & 0x7fffffff) == 0) continue;
    if (exponent < 127 - 40 || exponent > 127 + 40) return false;
    ++numbers;
  }
  return numbers > 0;
}

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15ULL;
  return x ^ x >> 29;
}

std::uint64_t hash_of(const char* bytes, std::size_t count) {
  std::uint64_t hash = count + 1;
  for (std::size_t i = 0; i < count; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, std::min<std::size_t>(8, count - i));
    hash = mixed(hash ^ word) + i;
  }
  return hash;
}

// signs: every third value turns its sign, every 16th is zero. special: NaN, infinities, -0 and the smallest value at one place
// in 32 each; large values would overflow in one order of a sum and not in another. What is drawn depends on the content alone,
// so that the order of copies does not matter.
void change(std::uint32_t* words, std::size_t count, const std::string& kind, std::uint64_t hash) {
  if (!is_float_array(words, count)) return;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t draw = mixed(i * 2654435761ULL + hash);
    if (kind == "signs") {
      if (draw % 3 == 0) words[i] ^= 0x80000000U;
      if (draw / 3 % 16 == 0) words[i] = 0;
    } else {
      static constexpr std::uint32_t kSpecial[] = {0x7fc00000U, 0x7f800000U, 0xff800000U, 0x80000000U, 0x00000001U};
      if (draw % 32 < 5) words[i] = kSpecial[draw % 32];
    }
  }
}

struct Record {
  std::vector<char> bytes;
  bool is_used = false;
};

// What SB_EMULATE_INPUTS_IN holds: by the content the first run was given, and in its order.
struct Given {
  std::vector<Record> records;
  std::multimap<std::uint64_t, std::size_t> by_hash;

  explicit Given(std::FILE* file) {
    std::uint64_t head[2] = {};
    while (file != nullptr && std::fread(head, sizeof head, 1, file) == 1 && head[0] <= kBytesMax) {
      Record record;
      record.bytes.resize(head[0]);
      if (std::fread(record.bytes.data(), 1, head[0], file) != head[0]) break;
      by_hash.emplace(head[1], records.size());
      records.push_back(std::move(record));
    }
  }
  Record* find(std::uint64_t hash, std::size_t bytes, bool in_order) {
    auto [from, to] = by_hash.equal_range(hash);
    Record* any = nullptr;
    for (auto at = from; at != to; ++at) {
      any = &records[at->second];
      if (any->bytes.size() == bytes && !any->is_used) return any;
    }
    if (any != nullptr && any->bytes.size() == bytes) return any;
    for (Record& record : records) {
      if (in_order && !record.is_used && record.bytes.size() == bytes) return &record;
    }
    return nullptr;
  }
};

}  // namespace

void take_input(void* start, std::size_t bytes) {
  static std::mutex mutex;
  static std::FILE* const out = opened("SB_EMULATE_INPUTS_OUT", "wb");
  static const char* const path_in = std::getenv("SB_EMULATE_INPUTS_IN");
  static const char* const kind = std::getenv("SB_EMULATE_INPUTS_KIND");
  static const bool in_order = std::getenv("SB_EMULATE_INPUTS_IN_ORDER") != nullptr;
  static std::uint64_t seen = 0;
  if (bytes == 0 || (out == nullptr && path_in == nullptr && kind == nullptr)) return;
  std::lock_guard lock(mutex);
  static Given given(opened("SB_EMULATE_INPUTS_IN", "rb"));
  seen += bytes;
  if (seen > kBytesMax) return;
  const std::uint64_t hash = hash_of(static_cast<const char*>(start), bytes);
  if (kind != nullptr && *kind != '\0' && bytes % 4 == 0) {
    std::vector<std::uint32_t> words(bytes / 4);
    std::memcpy(words.data(), start, bytes);
    change(words.data(), words.size(), kind, hash);
    std::memcpy(start, words.data(), bytes);
  }
  if (Record* record = given.find(hash, bytes, in_order); record != nullptr) {
    record->is_used = true;
    std::memcpy(start, record->bytes.data(), bytes);
  }
  if (out == nullptr) return;
  const std::uint64_t head[2] = {bytes, hash};
  std::fwrite(head, sizeof head, 1, out);
  std::fwrite(start, 1, bytes, out);
  std::fflush(out);
}

}  // namespace starbridge::emulate
