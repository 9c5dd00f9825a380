// WordSearch: whether any of a few words stands in a text, in one pass over every second byte or so. Pure; any thread.
#pragma once

#include <algorithm>
#include <array>
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
    for (std::string_view word : words) {
      for (std::size_t at = 0; at < window_; ++at) {
        std::uint8_t& skip = skips_[static_cast<unsigned char>(word[at])];
        skip = static_cast<std::uint8_t>(std::min<std::size_t>(skip, window_ - 1 - at));
      }
    }
  }

  bool stands_in(std::string_view text) const {
    for (std::size_t last = window_ - 1; last < text.size();) {
      std::size_t skip = skips_[static_cast<unsigned char>(text[last])];
      if (skip == 0) {
        if (begins_at(text.substr(last + 1 - window_))) return true;
        skip = 1;
      }
      last += skip;
    }
    return false;
  }

 private:
  bool begins_at(std::string_view text) const {
    for (std::string_view word : words_) {
      if (text[0] == word[0] && text.substr(0, word.size()) == word) return true;
    }
    return false;
  }

  std::array<std::string_view, kCount> words_;
  std::size_t window_ = 0;
  std::array<std::uint8_t, 256> skips_{};
};

}  // namespace starbridge::port
