#include "port/python/word_index.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace starbridge::port::python {

WordIndex::Hash WordIndex::hash_of(std::string_view word) {
  return static_cast<Hash>(std::hash<std::string_view>()(word) >> 32U);
}

void WordIndex::build(const std::vector<const std::vector<Hash>*>& words_of_files) {
  std::size_t total = 0;
  for (const auto* words : words_of_files) total += words->size();
  std::size_t buckets = std::bit_ceil(total / 4 + 1);
  starts_.assign(buckets + 1, 0);
  for (const auto* words : words_of_files) {
    for (Hash hash : *words) ++starts_[(hash & (buckets - 1)) + 1];
  }
  for (std::size_t bucket = 1; bucket <= buckets; ++bucket) starts_[bucket] += starts_[bucket - 1];
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  entries_.resize(total);
  for (std::size_t file = 0; file < words_of_files.size(); ++file) {
    for (Hash hash : *words_of_files[file]) entries_[next[hash & (buckets - 1)]++] = {hash, static_cast<std::uint32_t>(file)};
  }
}

void WordIndex::add(std::size_t file, const std::vector<Hash>& words) {
  for (Hash hash : words) late_.emplace(hash, file);
}

std::vector<std::size_t> WordIndex::files_with(Hash word) const {
  std::vector<std::size_t> files;
  if (!starts_.empty()) {
    std::size_t bucket = word & (starts_.size() - 2);
    for (std::uint32_t at = starts_[bucket]; at < starts_[bucket + 1]; ++at) {
      if (entries_[at].hash == word) files.push_back(entries_[at].file);
    }
  }
  auto [late, late_end] = late_.equal_range(word);
  for (; late != late_end; ++late) files.push_back(late->second);
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace starbridge::port::python
