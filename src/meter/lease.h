// Lease: cards held by a job from open to close, the unit of metering; and the bill made from leases. Plain values; any thread.
// All times are integer milliseconds, all money integer; each line is rounded once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/money.h"

namespace starbridge::meter {

struct Lease {
  std::string job_id;
  std::string chip;
  std::vector<std::string> cards;
  base::TimeMs open_ms = 0;
  std::optional<base::TimeMs> close_ms;               // absent while the job runs
  base::PricePerHour price;                           // per card, frozen when the lease opened
  std::int64_t discount_per_mille = 0;                // frozen likewise
  std::optional<std::int64_t> speed_per_mille;        // modelled, beside an A100; frozen likewise
  std::optional<base::PricePerHour> reference_price;  // of an A100, frozen likewise
};

struct BillLine {
  Lease lease;
  base::DurationMs duration_ms = 0;
  base::Fen amount;
  // The same work on as many A100: duration scaled by the modelled speed, at the A100's price. Absent when a figure is missing.
  std::optional<base::DurationMs> reference_ms;
  std::optional<base::Fen> reference_amount;
};

struct Bill {
  std::vector<BillLine> lines;  // by opening time, then job
  base::Fen total;
  std::optional<base::Fen> reference_total;  // absent when a line lacks it
};

// Rates leases as of `now_ms`; open ones count up to now. Requires close >= open.
Bill make_bill(std::vector<Lease> leases, base::TimeMs now_ms);

// Schema starbridge.bill/1.
base::Json to_json(const Bill& bill);
base::Json to_json(const Lease& lease);

}  // namespace starbridge::meter
