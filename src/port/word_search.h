// WordSearch: where any of a few words stands in a text, in one pass over every second byte or so. Pure; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace starbridge::port {

// Horspool's search for several words: the byte under the end of a window as long as the shortest word says how far no word can
// begin.
template <std::size_t kCount>
class WordSearch {
 public:
  // Words of at least one byte.
  constexpr explicit WordSearch(const std::array<std::string_view, kCount>& words) : words_(words) {
    window_ = words[0].size();
    for (std::string_view word : words) window_ = std::min(window_, word.size());
    skips_.fill(static_cast<std::uint8_t>(std::min<std::size_t>(window_, 255)));
    checked_ = std::min(window_, kCheckedMax);
    for (std::size_t index = 0; index < kCount; ++index) {
      std::string_view word = words[index];
      for (std::size_t at = 0; at < checked_; ++at)
        fitting_[at][static_cast<unsigned char>(word[at])] |= std::uint32_t{1} << index;
      for (std::size_t at = 0; at < window_; ++at) {
        std::uint8_t& skip = skips_[static_cast<unsigned char>(word[at])];
        skip = static_cast<std::uint8_t>(std::min<std::size_t>(skip, window_ - 1 - at));
      }
    }
  }

  struct Hit {
    std::size_t position = std::string_view::npos;
    std::size_t word = kCount;  // index of the word, the first that fits
  };
  // The first place of a word at `from` or later.
  Hit find(std::string_view text, std::size_t from) const {
    for (std::size_t last = from + window_ - 1; last < text.size();) {
      std::size_t skip = skips_[static_cast<unsigned char>(text[last])];
      if (skip == 0) {
        std::size_t position = last + 1 - window_;
        std::size_t word = word_at(text.substr(position));
        if (word < kCount) return {position, word};
        skip = 1;
      }
      last += skip;
    }
    return {};
  }

 private:
  static constexpr std::size_t kCheckedMax = 3;

  // `text` is at least as long as the window.
  std::size_t word_at(std::string_view text) const {
    std::uint32_t fitting = ~std::uint32_t{0};
    for (std::size_t at = 0; at < checked_; ++at) fitting &= fitting_[at][static_cast<unsigned char>(text[at])];
    for (; fitting != 0; fitting &= fitting - 1) {
      auto word = static_cast<std::size_t>(std::countr_zero(fitting));
      if (text.substr(0, words_[word].size()) == words_[word]) return word;
    }
    return kCount;
  }

  std::array<std::string_view, kCount> words_;
  std::size_t window_ = 0;
  std::size_t checked_ = 0;  // first bytes that are looked up
  std::array<std::uint8_t, 256> skips_{};
  std::array<std::array<std::uint32_t, 256>, kCheckedMax> fitting_{};  // by place and byte: the words that have it there
};

}  // namespace starbridge::port
