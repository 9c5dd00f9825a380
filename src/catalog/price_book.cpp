#include "catalog/price_book.h"

#include <algorithm>

#include "base/yaml.h"
#include "catalog/fact_reader.h"

namespace starbridge::catalog {
namespace {

using base::PricePerHour;
using base::Result;
using base::Status;
using base::text;
using base::YamlNode;

Result<PricePerHour> read_yuan(const YamlNode& mapping, std::string_view key) {
  SB_TRY(const YamlNode* node, mapping.require(key));
  if (!node->is_scalar() || !node->is_quoted()) {
    return node->wrong(
        text("a price is written as quoted decimal yuan, for example \"5.47\"", "价格应写作加引号的十进制元，例如 \"5.47\""));
  }
  Result<PricePerHour> price = base::parse_price_yuan(node->scalar());
  if (!price.ok()) return std::move(price).error().at(node->place());
  return price;
}

Result<std::string> read_date(const YamlNode& mapping) {
  SB_TRY(const YamlNode* node, mapping.require("date"));
  if (!is_date(node->scalar())) return node->wrong(text("a date YYYY-MM-DD was expected", "此处应为 YYYY-MM-DD 日期"));
  return node->scalar();
}

std::string text_or_empty(const YamlNode& mapping, std::string_view key) {
  const YamlNode* node = mapping.find(key);
  return node == nullptr ? std::string() : node->scalar();
}

Result<PriceRow> read_row(const YamlNode& node, const Sources& sources) {
  SB_TRY_VOID(
      node.refuse_unknown_fields({"chip", "yuan", "low", "high", "date", "source", "confidence", "chosen", "seller", "note"}));
  PriceRow row;
  SB_TRY(const YamlNode* chip, node.require("chip"));
  SB_TRY(row.chip, chip->as_string());
  SB_TRY(row.price, read_yuan(node, "yuan"));
  if (node.find("low") != nullptr || node.find("high") != nullptr) {
    SB_TRY(PricePerHour low, read_yuan(node, "low"));
    SB_TRY(PricePerHour high, read_yuan(node, "high"));
    if (low > row.price || high < row.price) {
      return node.wrong(text("the price lies outside its range low..high", "价格不在 low..high 区间内"));
    }
    row.low = low;
    row.high = high;
  }
  SB_TRY(row.date, read_date(node));
  SB_TRY(row.source, read_source_id(node, sources));
  SB_TRY(row.confidence, read_confidence(node));
  if (const YamlNode* chosen = node.find("chosen")) {
    SB_TRY(row.is_chosen, chosen->as_boolean());
  }
  row.seller = text_or_empty(node, "seller");
  row.note = text_or_empty(node, "note");
  return row;
}

// "10" percent or "12.5" percent in per mille. Error: base.wrong_field.
Result<std::int64_t> read_per_mille(const YamlNode& mapping) {
  SB_TRY(const YamlNode* node, mapping.require("percent"));
  const std::string& word = node->scalar();
  std::size_t dot = word.find('.');
  std::string digits = word.substr(0, dot) + (dot == std::string::npos ? "0" : word.substr(dot + 1));
  bool is_number = !digits.empty() && digits.size() <= 4 && (dot == std::string::npos || word.size() == dot + 2) &&
                   std::all_of(digits.begin(), digits.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
  if (!is_number || std::stoi(digits) > 1000) {
    return node->wrong(text("a percentage of 0 to 100 with at most one decimal was expected, not \"{}\"",
                            "此处应为 0 到 100、至多一位小数的百分比，而不是“{}”", base::sanitize_utf8(word)));
  }
  return std::stoll(digits);
}

Result<Discount> read_discount(const YamlNode& node, const Sources& sources) {
  SB_TRY_VOID(node.refuse_unknown_fields({"id", "kind", "percent", "requires", "date", "source", "confidence"}));
  Discount discount;
  SB_TRY(const YamlNode* id, node.require("id"));
  SB_TRY(discount.id, id->as_string());
  SB_TRY(const YamlNode* kind, node.require("kind"));
  SB_TRY(discount.kind, kind->as_string());
  if (discount.kind != "contract" && discount.kind != "voucher") {
    return kind->wrong(text("contract or voucher was expected", "此处应为 contract 或 voucher"));
  }
  SB_TRY(discount.per_mille, read_per_mille(node));
  SB_TRY(const YamlNode* when, node.require("requires"));
  SB_TRY(discount.requires_text, when->as_string());
  SB_TRY(discount.date, read_date(node));
  SB_TRY(discount.source, read_source_id(node, sources));
  SB_TRY(discount.confidence, read_confidence(node));
  return discount;
}

Status check_choices(const YamlNode& rates, std::vector<PriceRow>& rows) {
  for (std::size_t index = 0; index < rows.size(); ++index) {
    std::size_t of_chip = 0;
    std::size_t chosen = 0;
    for (const PriceRow& row : rows) {
      if (row.chip != rows[index].chip) continue;
      ++of_chip;
      chosen += row.is_chosen ? 1 : 0;
    }
    if (of_chip == 1) rows[index].is_chosen = true;
    if (of_chip > 1 && chosen != 1) {
      return rates.items()[index].wrong(text("{} of {} prices of {} are chosen; exactly one must be",
                                             "{} 项价格被选定（共 {} 项，芯片 {}）；应恰好选定一项", chosen, of_chip,
                                             rows[index].chip));
    }
  }
  return {};
}

}  // namespace

std::vector<const PriceRow*> PriceBook::rows(std::string_view chip) const {
  std::vector<const PriceRow*> found;
  for (const PriceRow& row : rows_) {
    if (row.chip == chip) found.push_back(&row);
  }
  return found;
}

const PriceRow* PriceBook::chosen(std::string_view chip) const {
  for (const PriceRow& row : rows_) {
    if (row.chip == chip && row.is_chosen) return &row;
  }
  return nullptr;
}

base::Result<PriceBook> read_price_book(const std::string& path, const Sources& sources) {
  SB_TRY(YamlNode root, base::read_yaml(path));
  SB_TRY_VOID(root.refuse_unknown_fields({"schema", "id", "currency", "unit", "tax", "rates", "discounts"}));
  SB_TRY_VOID(require_scalar(root, "schema", "starbridge.price_book/1"));
  SB_TRY_VOID(require_scalar(root, "currency", "CNY"));
  SB_TRY_VOID(require_scalar(root, "unit", "card_hour"));
  SB_TRY_VOID(require_scalar(root, "tax", "inclusive"));
  SB_TRY(const YamlNode* id, root.require("id"));
  SB_TRY(const YamlNode* rates, root.require("rates"));
  SB_TRY(std::string book_id, id->as_string());
  std::vector<PriceRow> rows;
  for (const YamlNode& item : rates->items()) {
    SB_TRY(PriceRow row, read_row(item, sources));
    rows.push_back(std::move(row));
  }
  SB_TRY_VOID(check_choices(*rates, rows));
  std::vector<Discount> discounts;
  if (const YamlNode* list = root.find("discounts")) {
    for (const YamlNode& item : list->items()) {
      SB_TRY(Discount discount, read_discount(item, sources));
      discounts.push_back(std::move(discount));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PriceRow& left, const PriceRow& right) { return left.chip < right.chip; });
  return PriceBook(std::move(book_id), std::move(rows), std::move(discounts));
}

}  // namespace starbridge::catalog
