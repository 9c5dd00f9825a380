// Pool: the cards there are and which of them are taken. Plain values; any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalog/catalog.h"

namespace starbridge::pool {

struct Card {
  std::string id;    // "chassis-1/ascend-910b3-0"
  std::string node;  // id of its node
  std::string chip;  // "ascend-910b3"
  int index = 0;     // among the cards of this chip on its node: what the visible-devices variable names
  std::int64_t memory_bytes = 0;
  bool is_emulated = false;
  bool is_healthy = true;
};

struct Node {
  std::string id;
  std::vector<Card> cards;
};

struct Pool {
  std::string name;
  bool is_emulated = false;
  std::vector<Node> nodes;  // by id

  std::size_t card_count() const;
  const Card* find_card(const std::string& id) const;
};

// What the scheduler decides on: the pool and the cards that are leased now.
struct PoolSnapshot {
  const Pool& pool;
  std::set<std::string> leased_cards;
  bool is_free(const Card& card) const { return card.is_healthy && leased_cards.count(card.id) == 0; }
};

// {name, is_emulated, nodes: [{id, cards: [...]}]}; `leased` marks taken cards.
base::Json to_json(const Pool& pool, const std::set<std::string>& leased = {});

// The reverse of to_json. Error: base.wrong_field.
base::Result<Pool> pool_from_json(const base::Json& json);

// Reads a pool file (schema starbridge.pool/1). Errors: base.wrong_field with file and line, catalog.unknown_chip, base.* of
// reading.
base::Result<Pool> read_pool_file(const std::string& path, const catalog::Catalog& catalog);
// data/pools/default.yaml of the catalogue's data.
base::Result<Pool> default_pool(const catalog::Catalog& catalog);

}  // namespace starbridge::pool
