// TextPattern: a regular expression (POSIX extended, with \b, \w, \s as GNU has them) held to sizes that cannot run away.
// Immutable; any thread.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::port {

constexpr std::size_t kPatternBytesMax = 500;
constexpr int kPatternRepeatMax = 100;              // the product of all {n,m}: each is written out by the library
constexpr std::size_t kPatternLineBytesMax = 2000;  // longer lines are data

class TextPattern {
 public:
  // Error: base.wrong_field, without a place.
  static base::Result<TextPattern> compile(const std::string& pattern);

  struct Hit {
    std::array<std::string_view, 10> groups;  // [0]: the whole; views into the line
  };
  // All places in one line, none inside another. A pattern that can match nothing gives none there.
  std::vector<Hit> find_all(std::string_view line) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace starbridge::port
