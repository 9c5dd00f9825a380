#include "kernel/port/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace starbridge::kernel::port {

using base::text;

namespace {

const double kMere = mere_limit(Precision::kSingle), kMare = 10 * kMere;
constexpr double kDiff = 3e-3;  // mlu-ops accuracy standard: reductions, activations, compound
constexpr std::uint64_t kLeftOut = 1ULL << 63;

struct Piece {
  std::string_view bytes;
  bool is_left_out = false;
};

bool read_piece(std::string_view& text, Piece& piece) {
  std::uint64_t count = 0;
  if (text.size() < sizeof count) return false;
  std::memcpy(&count, text.data(), sizeof count);
  text.remove_prefix(sizeof count);
  piece.is_left_out = (count & kLeftOut) != 0;
  count &= ~kLeftOut;
  if (piece.is_left_out) {
    piece.bytes = {};
    return true;
  }
  piece.bytes = text.substr(0, count);
  text.remove_prefix(piece.bytes.size());
  return true;
}

bool is_float_word(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 23 & 0xff;
  return (exponent != 0 && exponent != 0xff) || (bits & 0x7fffffff) == 0;
}

struct Sums {
  double error = 0, base = 0, error_squared = 0, base_squared = 0, relative = 0, relative_max = 0;
  std::uint64_t above = 0, below = 0, judged = 0;
};

base::Text at(std::uint64_t copy, std::size_t word, const base::Text& what) {
  return {"copy " + std::to_string(copy + 1) + " to the host, word " + std::to_string(word) + ": " + what.en,
          "第 " + std::to_string(copy + 1) + " 次拷回主机的第 " + std::to_string(word) + " 个字：" + what.zh};
}

// True when the words agree; sums grow.
bool compare_words(std::string_view a, std::string_view b, std::uint64_t copy, double floor, Comparison& result, Sums& sums) {
  const std::size_t words = a.size() / 4;
  double largest = 0;
  for (std::size_t i = 0; i < words; ++i) {
    float value = 0;
    std::memcpy(&value, a.data() + i * 4, 4);
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t left = 0, right = 0;
    std::memcpy(&left, a.data() + i * 4, 4);
    std::memcpy(&right, b.data() + i * 4, 4);
    ++result.metrics.words;
    if (left != right) ++result.metrics.different;
    if (left != right && (!is_float_word(left) || !is_float_word(right))) {
      float x = 0, y = 0;
      std::memcpy(&x, &left, 4);
      std::memcpy(&y, &right, 4);
      if (std::isnan(x) && std::isnan(y) && (left & 0x7fffff) == 0x400000 && (right & 0x7fffff) == 0x400000)
        continue;  // the same quiet NaN but for its sign
      result.reason = at(copy, i, text("bits {} became {}", "位模式 {} 变为 {}", left, right));
      return false;
    }
    if (!is_float_word(left)) continue;
    float x = 0, y = 0;
    std::memcpy(&x, &left, 4);
    std::memcpy(&y, &right, 4);
    const double error = std::fabs(static_cast<double>(x) - y), base = std::fabs(static_cast<double>(x));
    const double relative = error / (std::max(base, floor * largest) + 1e-7 * std::min(1.0, largest));
    ++sums.judged;
    sums.error += error, sums.base += base, sums.error_squared += error * error, sums.base_squared += base * base;
    if (error > 0) {
      ++(y > x ? sums.above : sums.below);
      sums.relative += relative;
      if (relative > sums.relative_max) sums.relative_max = relative;
      result.metrics.absolute_max = std::max(result.metrics.absolute_max, error);
      if (relative > kMare) {
        result.reason = at(copy, i, text("{} became {}", "{} 变为 {}", std::to_string(x), std::to_string(y)));
        return false;
      }
    }
  }
  // Bytes that are no whole word are compared as they are.
  if (a.substr(words * 4) != b.substr(words * 4)) {
    result.reason = at(copy, words, text("the last bytes differ", "末尾字节不同"));
    return false;
  }
  return true;
}

}  // namespace

Comparison compare_traces(std::string_view original, std::string_view ported, Class kind, double floor, NarrowTypes narrow) {
  Comparison result;
  Sums sums;
  Piece a, b;
  for (;;) {
    const bool has_a = read_piece(original, a), has_b = read_piece(ported, b);
    if (has_a != has_b) {
      result.reason = has_a ? text("the port brought back fewer copies than the original", "移植程序拷回的次数少于原程序")
                            : text("the port brought back more copies than the original", "移植程序拷回的次数多于原程序");
      return result;
    }
    if (!has_a) break;
    if (a.is_left_out || b.is_left_out) {
      result.reason = text("more than 1 GiB came back: what lies beyond was not compared", "拷回超过 1 GiB，其余部分未比较");
      return result;
    }
    if (a.bytes.size() != b.bytes.size()) {
      result.reason = text("copy {} to the host has another length", "第 {} 次拷回主机的长度不同", result.copies + 1);
      return result;
    }
    const bool same = a.bytes == b.bytes;
    result.is_bit_equal &= same;
    result.bytes += a.bytes.size();
    if (!same && kind == Class::kExact) {
      (void)compare_words(a.bytes, b.bytes, result.copies, floor, result, sums);
      if (result.reason.en.empty())
        result.reason = text("copy {} to the host differs in its bits, and every operation is exact",
                             "第 {} 次拷回主机的位模式不同，而所有运算都应精确", result.copies + 1);
      return result;
    }
    const bool is_brain = narrow.brain && looks_narrow(a.bytes, true);
    if (is_brain || (narrow.half && looks_narrow(a.bytes, false))) {
      if (!compare_narrow(a.bytes, b.bytes, is_brain, result.copies, floor, result)) return result;
    } else if (!compare_words(a.bytes, b.bytes, result.copies, floor, result, sums)) {
      return result;
    }
    ++result.copies;
  }
  Metrics& metrics = result.metrics;
  metrics.diff1 = sums.base > 0 ? sums.error / sums.base : sums.error;
  metrics.diff2 = sums.base_squared > 0 ? std::sqrt(sums.error_squared / sums.base_squared) : std::sqrt(sums.error_squared);
  metrics.relative_max = sums.relative_max;
  metrics.mare = std::max(metrics.mare, sums.relative_max);
  metrics.mere = sums.judged > 0 ? sums.relative / static_cast<double>(sums.judged) : 0;
  if (sums.above + sums.below > 0)
    metrics.above_share = static_cast<double>(sums.above) / static_cast<double>(sums.above + sums.below);
  if (result.copies == 0)
    result.reason = text("nothing came back from the card, so that there is nothing to compare", "没有数据从卡上拷回，无从比较");
  else if (metrics.mere > kMere || metrics.diff1 > kDiff || metrics.diff2 > kDiff)
    result.reason = text("the mean error is above the limit", "平均误差超过限值");
  else
    result.agrees = true;
  return result;
}

}  // namespace starbridge::kernel::port
