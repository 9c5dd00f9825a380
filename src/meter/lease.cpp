#include "meter/lease.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "base/json.h"

namespace starbridge::meter {

using base::Json;

Bill make_bill(std::vector<Lease> leases, base::TimeMs now_ms) {
  std::sort(leases.begin(), leases.end(), [](const Lease& left, const Lease& right) {
    return std::tie(left.open_ms, left.job_id, left.cards) < std::tie(right.open_ms, right.job_id, right.cards);
  });
  Bill bill;
  bill.reference_total = base::Fen{0};
  for (Lease& lease : leases) {
    SB_CHECK(!lease.cards.empty());
    SB_CHECK(lease.discount_per_mille >= 0);
    SB_CHECK(lease.discount_per_mille <= 1000);
    BillLine line;
    // A clock that was set back must not make time negative.
    base::TimeMs end_ms = std::max(lease.open_ms, lease.close_ms.value_or(now_ms));
    SB_CHECK(!lease.close_ms || *lease.close_ms >= lease.open_ms);
    line.duration_ms = end_ms - lease.open_ms;
    auto card_count = static_cast<std::int64_t>(lease.cards.size());
    line.amount = base::rate_fen(lease.price, card_count, line.duration_ms, lease.discount_per_mille);
    SB_CHECK(line.amount.value >= 0);
    if (lease.speed_per_mille && lease.reference_price) {
      SB_CHECK(*lease.speed_per_mille > 0);
      line.reference_ms = (line.duration_ms * *lease.speed_per_mille + 500) / 1000;
      line.reference_amount = base::rate_fen(*lease.reference_price, card_count, *line.reference_ms, 0);
    }
    bill.total += line.amount;
    if (!line.reference_amount) {
      bill.reference_total.reset();
    } else if (bill.reference_total) {
      *bill.reference_total += *line.reference_amount;
    }
    line.lease = std::move(lease);
    bill.lines.push_back(std::move(line));
  }
  return bill;
}

Json to_json(const Lease& lease) {
  Json json = {{"job_id", lease.job_id}, {"chip", lease.chip}, {"cards", lease.cards}, {"open_ms", lease.open_ms}};
  if (lease.close_ms) json["close_ms"] = *lease.close_ms;
  json["price_micro_fen_per_card_hour"] = lease.price.micro_fen;
  json["discount_per_mille"] = lease.discount_per_mille;
  if (lease.reference_price) json["a100_price_micro_fen_per_card_hour"] = lease.reference_price->micro_fen;
  if (lease.speed_per_mille) json["modelled_speed_per_mille_of_a100"] = *lease.speed_per_mille;
  return json;
}

Json to_json(const Bill& bill) {
  Json json = {{"schema", "starbridge.bill/1"}, {"currency", "CNY"}, {"lines", Json::array()}, {"total_fen", bill.total.value}};
  for (const BillLine& line : bill.lines) {
    Json row = to_json(line.lease);
    row["duration_ms"] = line.duration_ms;
    row["amount_fen"] = line.amount.value;
    if (line.reference_ms) row["a100_modelled_ms"] = *line.reference_ms;
    if (line.reference_amount) row["a100_modelled_amount_fen"] = line.reference_amount->value;
    json["lines"].push_back(std::move(row));
  }
  if (bill.reference_total) json["a100_modelled_total_fen"] = bill.reference_total->value;
  return json;
}

}  // namespace starbridge::meter
