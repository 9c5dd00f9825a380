// PriceBook: what a card costs by the hour, in integer money. Plain values; any thread.
//
// What other rooms use: sched and meter ask chosen(chip) for the price they plan or rate with; the console shows rows(chip).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/money.h"
#include "catalog/fact.h"

namespace starbridge::catalog {

struct PriceRow {
  std::string chip;
  base::PricePerHour price;  // per card, tax included
  std::optional<base::PricePerHour> low;
  std::optional<base::PricePerHour> high;
  std::string date;
  std::string source;
  Confidence confidence = Confidence::kAssumed;
  bool is_chosen = false;
  std::string seller;
  std::string note;
};

struct Discount {
  std::string id;
  std::string kind;            // contract | voucher
  std::int64_t per_mille = 0;  // taken off the amount: 100 is ten percent
  std::string requires_text;   // when it applies, for people
  std::string date;
  std::string source;
  Confidence confidence = Confidence::kAssumed;
};

class PriceBook {
 public:
  PriceBook() = default;
  PriceBook(std::string id, std::vector<PriceRow> rows, std::vector<Discount> discounts)
      : id_(std::move(id)), rows_(std::move(rows)), discounts_(std::move(discounts)) {}
  const std::string& id() const { return id_; }
  const std::vector<PriceRow>& rows() const { return rows_; }  // by chip, then as written
  std::vector<const PriceRow*> rows(std::string_view chip) const;
  // The price to plan with, or nullptr when the book has none for this chip.
  const PriceRow* chosen(std::string_view chip) const;
  const std::vector<Discount>& discounts() const { return discounts_; }

 private:
  std::string id_;
  std::vector<PriceRow> rows_;
  std::vector<Discount> discounts_;
};

}  // namespace starbridge::catalog
