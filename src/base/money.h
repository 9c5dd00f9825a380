// Money in integers. Prices are held in micro-fen per card-hour (1 yuan = 100 fen = 100,000,000 micro-fen), amounts on bills in
// fen. Pure; any thread. Overflow is a bug caught by SB_CHECK: a rate below 10^6 yuan/h for 10^6 card-years still fits.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace starbridge::base {

struct Fen {
  std::int64_t value = 0;
  auto operator<=>(const Fen&) const = default;
};
Fen operator+(Fen left, Fen right);
Fen operator-(Fen left, Fen right);
Fen& operator+=(Fen& left, Fen right);

struct PricePerHour {
  std::int64_t micro_fen = 0;
  auto operator<=>(const PricePerHour&) const = default;
};

// What `card_count` cards cost for `duration_ms`, after `discount_per_mille` (0..1000) is taken off; one rounding, half away from
// zero.
//   amount = price * cards * duration / 3,600,000 ms * (1000 - discount) / 1000 / 10^6
// Requires price >= 0, card_count >= 0, duration_ms >= 0.
Fen rate_fen(PricePerHour price, std::int64_t card_count, DurationMs duration_ms, std::int64_t discount_per_mille);

// "12.34" yuan; exact up to six decimals of a fen for prices ("8.5", "0.000001"). Error: base.wrong_field.
Result<PricePerHour> parse_price_yuan(std::string_view text);

// "1,234.56" in yuan, without a currency sign.
std::string format_yuan(Fen amount);
// Price in yuan with as many decimals as needed, at least two.
std::string format_yuan(PricePerHour price);

}  // namespace starbridge::base
