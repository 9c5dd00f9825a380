#include "meter/lease.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/json.h"

namespace starbridge::meter {
namespace {

Lease lease_of(std::int64_t open_ms, std::optional<std::int64_t> close_ms, const char* price = "36", std::size_t cards = 1) {
  Lease lease;
  lease.job_id = "job-000001";
  lease.chip = "mlu370-x8";
  lease.cards.assign(cards, "card");
  lease.open_ms = open_ms;
  lease.close_ms = close_ms;
  lease.price = base::parse_price_yuan(price).value();
  return lease;
}

TEST(Bill, RatesClosedLeasesByTheirMillisecondsAndOpenOnesUpToNow) {
  Bill bill = make_bill({lease_of(1000, 3'601'000), lease_of(5000, std::nullopt)}, 15'000);
  EXPECT_EQ(bill.lines[0].duration_ms, 3'600'000);
  EXPECT_EQ(bill.lines[0].amount.value, 3600);
  EXPECT_EQ(bill.lines[1].duration_ms, 10'000);
  EXPECT_EQ(bill.total.value, 3610);
}

TEST(Bill, TheSameWorkOnA100IsScaledByTheFrozenSpeed) {
  Lease lease = lease_of(0, 3'600'000);
  lease.speed_per_mille = 500;
  lease.reference_price = base::parse_price_yuan("100").value();
  Bill bill = make_bill({lease}, 0);
  EXPECT_EQ(bill.lines[0].reference_ms, 1'800'000);
  EXPECT_EQ(bill.lines[0].reference_amount->value, 5000);
  EXPECT_EQ(bill.reference_total->value, 5000);
  EXPECT_FALSE(make_bill({lease, lease_of(0, 1)}, 0).reference_total.has_value());
}

TEST(Bill, AnEmptyBillIsZero) {
  EXPECT_EQ(make_bill({}, 0).total.value, 0);
  EXPECT_EQ(base::to_string(to_json(make_bill({}, 0)), -1),
            R"({"schema":"starbridge.bill/1","currency":"CNY","lines":[],"total_fen":0,"a100_modelled_total_fen":0})");
}

TEST(Bill, AClockSetBackMakesNoNegativeTime) {
  EXPECT_EQ(make_bill({lease_of(5000, std::nullopt)}, 1000).lines[0].duration_ms, 0);
}

TEST(Bill, RandomLeasesAddUpAndReplayAlike) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 300; ++round) {
    std::vector<Lease> leases;
    for (std::size_t count = random() % 12; count > 0; --count) {
      auto open_ms = static_cast<std::int64_t>(random() % 1'000'000);
      Lease lease = lease_of(open_ms, open_ms + static_cast<std::int64_t>(random() % 100'000'000), "2.2", 1 + random() % 16);
      lease.discount_per_mille = static_cast<std::int64_t>(random() % 1001);
      leases.push_back(lease);
    }
    Bill bill = make_bill(leases, 0);
    std::int64_t sum = 0;
    for (const BillLine& line : bill.lines) sum += line.amount.value;
    EXPECT_EQ(sum, bill.total.value);
    std::shuffle(leases.begin(), leases.end(), random);
    EXPECT_EQ(make_bill(leases, 0).total.value, bill.total.value);
  }
}

TEST(Bill, CuttingALeaseKeepsItsMillisecondsAndAtMostHalfAFenPerCut) {
  std::mt19937_64 random(22);
  for (int round = 0; round < 500; ++round) {
    auto length = static_cast<std::int64_t>(1 + random() % 50'000'000);
    auto cut = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
    Bill whole = make_bill({lease_of(0, length, "5.47", 4)}, 0);
    Bill parts = make_bill({lease_of(0, cut, "5.47", 4), lease_of(cut, length, "5.47", 4)}, 0);
    EXPECT_EQ(parts.lines[0].duration_ms + parts.lines[1].duration_ms, whole.lines[0].duration_ms);
    EXPECT_LE(std::abs(parts.total.value - whole.total.value), 1);
  }
}

TEST(BillDeathTest, AClosingBeforeTheOpeningIsABug) {
  EXPECT_EXIT(make_bill({lease_of(5, 4)}, 0), testing::ExitedWithCode(70), "close_ms");
}

}  // namespace
}  // namespace starbridge::meter
