// WordIndex: in which files of a project a word may stand. Words of equal hashes are taken for each other: a file may be named in
// vain, never left out. One thread while it grows; then any.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace starbridge::port::python {

class WordIndex {
 public:
  using Hash = std::uint32_t;
  static Hash hash_of(std::string_view word);

  // Once, with the words of each file, which may repeat.
  void build(const std::vector<const std::vector<Hash>*>& words_of_files);
  // A file that came later.
  void add(std::size_t file, const std::vector<Hash>& words);
  // In their order.
  std::vector<std::size_t> files_with(Hash word) const;

 private:
  struct Entry {
    Hash hash;
    std::uint32_t file;
  };
  std::vector<std::uint32_t> starts_;  // of buckets, by the low bits of the hash; one more than there are
  std::vector<Entry> entries_;
  std::unordered_multimap<Hash, std::size_t> late_;
};

}  // namespace starbridge::port::python
