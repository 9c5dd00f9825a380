// Symbols: the names of one Python file as small numbers, so that the analysis compares and looks up without hashing again.
// Keywords are the first numbers of every file. One owner, one thread while it grows; then immutable.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace starbridge::port::python {

using Symbol = std::uint32_t;
constexpr Symbol kNoSymbol = 0xFFFFFFFF;

// Hard keywords of Python 3, in the order of the tokens of lexer.h; then the words that are keywords only in places.
constexpr std::array<std::string_view, 39> kKeywords = {
    "False",    "None",   "True",  "and",  "as",     "assert",   "async",   "await", "break", "class",
    "continue", "def",    "del",   "elif", "else",   "except",   "finally", "for",   "from",  "global",
    "if",       "import", "in",    "is",   "lambda", "nonlocal", "not",     "or",    "pass",  "raise",
    "return",   "try",    "while", "with", "yield",  "match",    "case",    "type",  "_"};
constexpr Symbol kHardKeywordCount = 35;
constexpr Symbol kMatchSymbol = 35;
constexpr Symbol kCaseSymbol = 36;
constexpr Symbol kTypeSymbol = 37;

class Symbols {
 public:
  Symbols();  // holds the keywords
  // The number of this name; `name` must outlive the object.
  Symbol intern(std::string_view name);
  // The number of a name met before, or kNoSymbol.
  Symbol find(std::string_view name) const;
  std::string_view text(Symbol symbol) const { return texts_[symbol]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    Symbol symbol = kNoSymbol;
  };
  explicit Symbols(std::size_t slot_count) : slots_(slot_count) {}
  void grow();

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<std::string_view> texts_;
};

}  // namespace starbridge::port::python
