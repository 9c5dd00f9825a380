// Archives of the scan's cache: plain values written as bytes and read back. A description of a type is one function,
// visit(archive, value), for both directions. A reader that meets the end or a size beyond it fails and stays failed; what it
// gave is then of no use.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace starbridge::port {

class CacheWriter {
 public:
  static constexpr bool kReads = false;
  void bytes(const void* data, std::size_t size) { out_.append(static_cast<const char*>(data), size); }
  void text(const std::string& text) {
    auto size = static_cast<std::uint32_t>(text.size());
    bytes(&size, sizeof size);
    bytes(text.data(), text.size());
  }
  bool ok() const { return true; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class CacheReader {
 public:
  static constexpr bool kReads = true;
  explicit CacheReader(std::string_view in) : in_(in) {}
  void bytes(void* data, std::size_t size) {
    if (size > in_.size()) return fail();
    std::memcpy(data, in_.data(), size);
    in_.remove_prefix(size);
  }
  void text(std::string& text) {
    std::uint32_t size = 0;
    bytes(&size, sizeof size);
    if (size > in_.size()) return fail();
    text.assign(in_.substr(0, size));
    in_.remove_prefix(size);
  }
  void fail() {
    is_ok_ = false;
    in_ = {};
  }
  // How many elements of at least one byte may follow.
  std::size_t left() const { return in_.size(); }
  bool ok() const { return is_ok_; }
  bool is_at_end() const { return is_ok_ && in_.empty(); }

 private:
  std::string_view in_;
  bool is_ok_ = true;
};

template <class Archive, class Value>
requires std::is_arithmetic_v<Value> || std::is_enum_v<Value>
void visit(Archive& archive, Value& value) { archive.bytes(&value, sizeof value); }

template <class Archive>
void visit(Archive& archive, std::string& value) {
  archive.text(value);
}

// The number of elements; a reader's is checked against what is left, for each takes a byte at least.
template <class Archive>
std::uint32_t visit_size(Archive& archive, std::size_t size) {
  auto count = static_cast<std::uint32_t>(size);
  archive.bytes(&count, sizeof count);
  if constexpr (Archive::kReads) {
    if (!archive.ok() || count > archive.left()) {
      archive.fail();
      return 0;
    }
  }
  return count;
}

template <class Archive, class First, class Second>
void visit(Archive& archive, std::pair<First, Second>& value) {
  visit(archive, value.first);
  visit(archive, value.second);
}

template <class Archive, class Value, std::size_t kSize>
void visit(Archive& archive, std::array<Value, kSize>& values) {
  for (Value& value : values) visit(archive, value);
}

template <class Archive, class Value>
void visit(Archive& archive, std::vector<Value>& values) {
  std::uint32_t count = visit_size(archive, values.size());
  if constexpr (Archive::kReads) values.resize(count);
  for (Value& value : values) visit(archive, value);
}

template <class Archive, class Key, class Value>
void visit(Archive& archive, std::map<Key, Value>& values) {
  std::uint32_t count = visit_size(archive, values.size());
  if constexpr (Archive::kReads) {
    for (std::uint32_t index = 0; index < count && archive.ok(); ++index) {
      std::pair<Key, Value> entry;
      visit(archive, entry);
      values.insert(std::move(entry));
    }
  } else {
    for (auto& [key, value] : values) {
      Key copy = key;
      visit(archive, copy);
      visit(archive, value);
    }
  }
}

}  // namespace starbridge::port
