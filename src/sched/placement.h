// Placement: which free cards of one chip a gang gets. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pool/pool.h"

namespace starbridge::sched {

// Seats `card_count` cards of `chip`. With node_count > 0 the cards are shared evenly by so many nodes; otherwise the gang goes
// to the one node it fits with the fewest cards left over, or else to as few nodes as possible, fullest first. Ties go to the
// lower node id. nullopt: no seat. With `ignore_leases` every healthy card counts as free.
std::optional<std::vector<std::string>> seat(const pool::PoolSnapshot& snapshot, const std::string& chip, std::int64_t card_count,
                                             std::int64_t node_count, bool ignore_leases);

}  // namespace starbridge::sched
