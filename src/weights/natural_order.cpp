#include "weights/natural_order.h"

#include <algorithm>
#include <array>

namespace starbridge::weights {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digit_run(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

// What stands before the numbered blocks and after them, by words that the common model families use in their names.
constexpr std::array<std::string_view, 12> kFirstWords = {"embed", "wte",   "wpe",  "stem", "conv1",     "conv_in",
                                                          "bn1",   "patch", "tok_", "pos_", "cls_token", "input_proj"};
constexpr std::array<std::string_view, 12> kLastWords = {"lm_head", "head",   "classifier", "fc",       "score", "ln_f",
                                                         "norm_f",  "pooler", "output",     "conv_out", "final", "out_proj"};

bool has_any(std::string_view name, const std::array<std::string_view, 12>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// A part of a name that is only digits numbers a block.
std::size_t first_number(std::string_view name) {
  std::size_t begin = 0;
  while (begin <= name.size()) {
    std::size_t end = std::min(name.find('.', begin), name.size());
    if (end > begin && digit_run(name, begin) == end - begin) return begin;
    begin = end + 1;
  }
  return std::string_view::npos;
}

// 0 before the blocks, 1 in them, 2 neither, 3 after them. Encoders come before decoders by the alphabet.
int stage_of(std::string_view name) {
  std::size_t number = first_number(name);
  if (number != std::string_view::npos) return 1;
  if (has_any(name, kFirstWords)) return 0;
  if (has_any(name, kLastWords)) return 3;
  return 2;
}

}  // namespace

int compare_naturally(std::string_view left, std::string_view right) {
  std::size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    if (is_digit(left[i]) && is_digit(right[j])) {
      std::string_view a = left.substr(i, digit_run(left, i)), b = right.substr(j, digit_run(right, j));
      i += a.size();
      j += b.size();
      a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
      b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
      if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
      if (int order = a.compare(b); order != 0) return order;
    } else {
      if (left[i] != right[j]) return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[j]) ? -1 : 1;
      ++i;
      ++j;
    }
  }
  if (left.size() - i != right.size() - j) return left.size() - i < right.size() - j ? -1 : 1;
  return left.compare(right);  // "01" and "1" are equal as numbers, not as names
}

void sort_in_model_order(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(), [](const std::string& left, const std::string& right) {
    int left_stage = stage_of(left), right_stage = stage_of(right);
    if (left_stage != right_stage) return left_stage < right_stage;
    return compare_naturally(left, right) < 0;
  });
}

std::string_view layer_of(std::string_view name) {
  std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(0, dot);
}

}  // namespace starbridge::weights
