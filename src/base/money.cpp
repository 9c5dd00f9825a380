#include "base/money.h"

#include <limits>

#include "base/check.h"

namespace starbridge::base {
namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t kMicroFenPerYuan = 100'000'000;
constexpr std::int64_t kMsPerHour = 3'600'000;

Fen narrow(Wide value) {
  SB_CHECK(value <= std::numeric_limits<std::int64_t>::max());
  SB_CHECK(value >= std::numeric_limits<std::int64_t>::min());
  return {static_cast<std::int64_t>(value)};
}

std::string group_thousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t position = digits.size(); position > 3;) {
    position -= 3;
    digits.insert(position, ",");
  }
  return digits;
}

}  // namespace

Fen operator+(Fen left, Fen right) { return narrow(Wide{left.value} + right.value); }
Fen operator-(Fen left, Fen right) { return narrow(Wide{left.value} - right.value); }
Fen& operator+=(Fen& left, Fen right) { return left = left + right; }

Fen rate_fen(PricePerHour price, std::int64_t card_count, DurationMs duration_ms, std::int64_t discount_per_mille) {
  SB_CHECK(price.micro_fen >= 0);
  SB_CHECK(card_count >= 0);
  SB_CHECK(duration_ms >= 0);
  SB_CHECK(discount_per_mille >= 0);
  SB_CHECK(discount_per_mille <= 1000);
  // Bounds that keep the product within 126 bits.
  SB_CHECK(price.micro_fen <= std::int64_t{1'000'000} * kMicroFenPerYuan);
  SB_CHECK(card_count <= 10'000'000);
  Wide product = Wide{price.micro_fen} * card_count * (1000 - discount_per_mille);
  SB_CHECK(duration_ms == 0 || product <= std::numeric_limits<Wide>::max() / duration_ms);
  product *= duration_ms;
  constexpr Wide kDivisor = Wide{kMsPerHour} * 1000 * 1'000'000;
  return narrow((product + kDivisor / 2) / kDivisor);
}

Result<PricePerHour> parse_price_yuan(std::string_view given) {
  std::string_view digits = trim(given);
  auto refuse = [&](Text why) {
    return Error("base.wrong_field",
                 text("\"{}\" is not a price in yuan: {}", "“{}”不是以元计的价格：{}", sanitize_utf8(given), why.en))
        .next(text("write a plain decimal such as 12.50", "请写成 12.50 这样的小数"));
  };
  std::int64_t whole = 0;
  std::int64_t fraction = 0;
  std::int64_t scale = kMicroFenPerYuan;
  bool seen_point = false;
  bool seen_digit = false;
  for (char c : digits) {
    if (c == '.' && !seen_point) {
      seen_point = true;
    } else if (c >= '0' && c <= '9') {
      seen_digit = true;
      if (seen_point) {
        scale /= 10;
        if (scale == 0 && c != '0') return refuse(text("more than eight decimals", "超过八位小数"));
        fraction += scale * (c - '0');
      } else {
        whole = whole * 10 + (c - '0');
        if (whole > 1'000'000) return refuse(text("more than a million yuan per hour", "每小时超过一百万元"));
      }
    } else {
      return refuse(text("only digits and one point are allowed", "只允许数字和一个小数点"));
    }
  }
  if (!seen_digit) return refuse(text("it is empty", "为空"));
  return PricePerHour{whole * kMicroFenPerYuan + fraction};
}

std::string format_yuan(Fen amount) {
  std::uint64_t magnitude =
      amount.value < 0 ? 0 - static_cast<std::uint64_t>(amount.value) : static_cast<std::uint64_t>(amount.value);
  return fmt::format("{}{}.{:02}", amount.value < 0 ? "-" : "", group_thousands(magnitude / 100), magnitude % 100);
}

std::string format_yuan(PricePerHour price) {
  std::string out = fmt::format("{}.{:08}", price.micro_fen / kMicroFenPerYuan, price.micro_fen % kMicroFenPerYuan);
  std::size_t keep = out.find('.') + 3;
  while (out.size() > keep && out.back() == '0') out.pop_back();
  return out;
}

}  // namespace starbridge::base
