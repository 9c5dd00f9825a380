// The words of a C++ source: names, numbers, marks; "<<<" and ">>>" are one word each. Comments and the insides of literals are
// left out. Never fails: damaged text gives the words that can be told apart. The words point into `source`. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace starbridge::kernel {

struct Word {
  std::string_view text;
  int line = 1;
};

std::vector<Word> words_of_source(std::string_view source);
// A name or a number.
bool is_name(std::string_view word);

}  // namespace starbridge::kernel
