#include "sched/placement.h"

#include <algorithm>

#include "base/check.h"

namespace starbridge::sched {
namespace {

struct NodeCards {
  std::string node;
  std::vector<std::string> cards;  // free ones of the chip, by index
};

std::vector<NodeCards> free_cards(const pool::PoolSnapshot& snapshot, const std::string& chip, bool ignore_leases) {
  std::vector<NodeCards> nodes;
  for (const pool::Node& node : snapshot.pool.nodes) {
    NodeCards entry{node.id, {}};
    for (const pool::Card& card : node.cards) {
      bool is_free = ignore_leases ? card.is_healthy : snapshot.is_free(card);
      if (card.chip == chip && is_free) entry.cards.push_back(card.id);
    }
    if (!entry.cards.empty()) nodes.push_back(std::move(entry));
  }
  std::sort(nodes.begin(), nodes.end(), [](const NodeCards& left, const NodeCards& right) { return left.node < right.node; });
  return nodes;
}

void take(const NodeCards& node, std::int64_t count, std::vector<std::string>& seats) {
  SB_CHECK(count >= 0);
  SB_CHECK(static_cast<std::size_t>(count) <= node.cards.size());
  seats.insert(seats.end(), node.cards.begin(), node.cards.begin() + count);
}

}  // namespace

std::optional<std::vector<std::string>> seat(const pool::PoolSnapshot& snapshot, const std::string& chip, std::int64_t card_count,
                                             std::int64_t node_count, bool ignore_leases) {
  SB_CHECK(card_count > 0);
  std::vector<NodeCards> nodes = free_cards(snapshot, chip, ignore_leases);
  auto size_of = [](const NodeCards& node) { return static_cast<std::int64_t>(node.cards.size()); };
  std::vector<std::string> seats;
  if (node_count > 0) {
    SB_CHECK(card_count % node_count == 0);
    std::int64_t share = card_count / node_count;
    std::vector<const NodeCards*> fitting;
    for (const NodeCards& node : nodes) {
      if (size_of(node) >= share) fitting.push_back(&node);
    }
    if (static_cast<std::int64_t>(fitting.size()) < node_count) return std::nullopt;
    std::stable_sort(fitting.begin(), fitting.end(),
                     [&](const NodeCards* left, const NodeCards* right) { return size_of(*left) < size_of(*right); });
    for (std::int64_t index = 0; index < node_count; ++index) take(*fitting[static_cast<std::size_t>(index)], share, seats);
    return seats;
  }
  const NodeCards* tightest = nullptr;
  for (const NodeCards& node : nodes) {
    if (size_of(node) >= card_count && (tightest == nullptr || size_of(node) < size_of(*tightest))) tightest = &node;
  }
  if (tightest != nullptr) {
    take(*tightest, card_count, seats);
    return seats;
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](const NodeCards& left, const NodeCards& right) { return size_of(left) > size_of(right); });
  for (const NodeCards& node : nodes) {
    std::int64_t wanted = std::min(size_of(node), card_count - static_cast<std::int64_t>(seats.size()));
    take(node, wanted, seats);
  }
  if (static_cast<std::int64_t>(seats.size()) < card_count) return std::nullopt;
  return seats;
}

}  // namespace starbridge::sched
