#include "port/python/demand.h"

#include <functional>
#include <string_view>

namespace starbridge::port::python {

bool is_by_path(const Demand& demand) {
  return demand.kind == Demand::Kind::kImported || demand.kind == Demand::Kind::kImportedKeys ||
         demand.kind == Demand::Kind::kReturned;
}

bool is_by_name(const Demand& demand) {
  return !is_by_path(demand) && demand.kind != Demand::Kind::kArgument && demand.kind != Demand::Kind::kFixture;
}

std::size_t hash_of(const Demand& demand) {
  std::size_t hash = std::hash<std::string_view>()(demand.name);
  auto mix = [&](std::size_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL; };
  mix(std::hash<std::string_view>()(demand.parameter));
  mix(static_cast<std::size_t>(demand.position + 1) * 32 + static_cast<std::size_t>(demand.kind) * 2 +
      (demand.role == TextRole::kDevice ? 1 : 0));
  return hash;
}

}  // namespace starbridge::port::python
