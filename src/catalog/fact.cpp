#include "catalog/fact.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace starbridge::catalog {
namespace {

constexpr std::string_view kConfidenceNames[] = {"published", "measured", "reported", "assumed"};

template <class Number>
std::optional<Number> parse(const std::string& value) {
  Number number{};
  auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string_view to_string(Confidence confidence) { return kConfidenceNames[static_cast<int>(confidence)]; }

std::optional<Confidence> confidence_from_name(std::string_view name) {
  for (int index = 0; index < 4; ++index) {
    if (kConfidenceNames[index] == name) return static_cast<Confidence>(index);
  }
  return std::nullopt;
}

const Observation& Fact::chosen() const {
  SB_CHECK(!observations.empty());
  for (const Observation& observation : observations) {
    if (observation.is_chosen) return observation;
  }
  return observations.front();
}

bool Fact::is_contested() const {
  for (const Observation& observation : observations) {
    if (observation.value != chosen().value && observation.via == chosen().via) return true;
  }
  return false;
}

void Facts::add(Fact fact) {
  SB_CHECK(find(fact.name) == nullptr);
  facts_.push_back(std::move(fact));
}

void Facts::sort() {
  std::sort(facts_.begin(), facts_.end(), [](const Fact& left, const Fact& right) { return left.name < right.name; });
}

const Fact* Facts::find(std::string_view name) const {
  for (const Fact& fact : facts_) {
    if (fact.name == name) return &fact;
  }
  return nullptr;
}

std::optional<std::string> Facts::text(std::string_view name) const {
  const Fact* fact = find(name);
  if (fact == nullptr) return std::nullopt;
  return fact->chosen().value;
}

std::optional<double> Facts::number(std::string_view name) const {
  const Fact* fact = find(name);
  return fact == nullptr ? std::nullopt : parse<double>(fact->chosen().value);
}

std::optional<std::int64_t> Facts::integer(std::string_view name) const {
  const Fact* fact = find(name);
  return fact == nullptr ? std::nullopt : parse<std::int64_t>(fact->chosen().value);
}

std::optional<bool> Facts::flag(std::string_view name) const {
  const Fact* fact = find(name);
  if (fact == nullptr) return std::nullopt;
  return fact->chosen().value == "true";
}

}  // namespace starbridge::catalog
