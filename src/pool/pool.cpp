#include "pool/pool.h"

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/yaml.h"

namespace starbridge::pool {
namespace {

using base::text;
using base::YamlNode;

constexpr std::int64_t kCardsPerRowMax = 4096;

base::Status read_cards(const YamlNode& row, const catalog::Catalog& catalog, bool is_emulated,
                        std::map<std::string, int>& next_index, Node& node) {
  SB_TRY_VOID(row.refuse_unknown_fields({"chip", "count"}));
  SB_TRY(const YamlNode* chip_field, row.require("chip"));
  SB_TRY(std::string chip_name, chip_field->as_string());
  base::Result<const catalog::Chip*> chip = catalog.find_chip(chip_name);
  if (!chip.ok())
    return base::Error(chip.error().code(), chip.error().message()).at(chip_field->place()).next(chip.error().next_step());
  std::int64_t count = 1;
  if (const YamlNode* field = row.find("count")) {
    SB_TRY(count, field->as_integer());
    if (count < 1 || count > kCardsPerRowMax)
      return field->wrong(text("the count must lie between 1 and {}", "数量应在 1 到 {} 之间", kCardsPerRowMax));
  }
  for (std::int64_t number = 0; number < count; ++number) {
    int index = next_index[(*chip)->id]++;
    node.cards.push_back({node.id + "/" + (*chip)->id + "-" + std::to_string(index), node.id, (*chip)->id, index,
                          (*chip)->memory_bytes().value_or(0), is_emulated, true});
  }
  return {};
}

base::Result<Node> read_node(const YamlNode& row, const catalog::Catalog& catalog, bool is_emulated) {
  SB_TRY_VOID(row.refuse_unknown_fields({"id", "cards"}));
  SB_TRY(const YamlNode* id_field, row.require("id"));
  SB_TRY(std::string id, id_field->as_string());
  bool is_name = !id.empty() &&
                 id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == std::string::npos;
  if (!is_name)
    return id_field->wrong(
        text("a node is named by letters, digits, '-', '_' and '.'", "节点名只能含字母、数字、'-'、'_' 和 '.'"));
  Node node{id, {}};
  SB_TRY(const YamlNode* cards, row.require("cards"));
  if (!cards->is_sequence()) return cards->wrong(text("a list of cards was expected", "此处应为卡的列表"));
  std::map<std::string, int> next_index;
  for (const YamlNode& card : cards->items()) SB_TRY_VOID(read_cards(card, catalog, is_emulated, next_index, node));
  return node;
}

}  // namespace

std::size_t Pool::card_count() const {
  std::size_t count = 0;
  for (const Node& node : nodes) count += node.cards.size();
  return count;
}

const Card* Pool::find_card(const std::string& id) const {
  for (const Node& node : nodes) {
    for (const Card& card : node.cards) {
      if (card.id == id) return &card;
    }
  }
  return nullptr;
}

base::Json to_json(const Pool& pool, const std::set<std::string>& leased) {
  base::Json json = {{"schema", "starbridge.pool_state/1"},
                     {"name", pool.name},
                     {"is_emulated", pool.is_emulated},
                     {"nodes", base::Json::array()}};
  for (const Node& node : pool.nodes) {
    base::Json cards = base::Json::array();
    for (const Card& card : node.cards) {
      cards.push_back({{"id", card.id},
                       {"chip", card.chip},
                       {"index", card.index},
                       {"memory_bytes", card.memory_bytes},
                       {"is_emulated", card.is_emulated},
                       {"is_healthy", card.is_healthy},
                       {"is_leased", leased.count(card.id) > 0}});
    }
    json["nodes"].push_back({{"id", node.id}, {"cards", cards}});
  }
  return json;
}

base::Result<Pool> pool_from_json(const base::Json& json) {
  try {
    Pool pool;
    json.at("name").get_to(pool.name);
    json.at("is_emulated").get_to(pool.is_emulated);
    for (const base::Json& row : json.at("nodes")) {
      Node node{row.at("id").get<std::string>(), {}};
      for (const base::Json& card : row.at("cards")) {
        node.cards.push_back({card.at("id").get<std::string>(), node.id, card.at("chip").get<std::string>(),
                              card.at("index").get<int>(), card.at("memory_bytes").get<std::int64_t>(),
                              card.at("is_emulated").get<bool>(), card.at("is_healthy").get<bool>()});
      }
      pool.nodes.push_back(std::move(node));
    }
    return pool;
  } catch (const base::Json::exception& failure) {
    return base::Error("base.wrong_field",
                       text("the pool is not complete: {}", "算力池数据不完整：{}", base::sanitize_utf8(failure.what())));
  }
}

base::Result<Pool> read_pool_file(const std::string& path, const catalog::Catalog& catalog) {
  SB_TRY(YamlNode root, base::read_yaml(path));
  SB_TRY_VOID(root.refuse_unknown_fields({"schema", "name", "emulated", "nodes"}));
  SB_TRY(const YamlNode* schema, root.require("schema"));
  if (schema->scalar() != "starbridge.pool/1")
    return schema->wrong(text("the schema must be starbridge.pool/1", "schema 应为 starbridge.pool/1"));
  Pool pool;
  SB_TRY(const YamlNode* name, root.require("name"));
  SB_TRY(pool.name, name->as_string());
  SB_TRY(const YamlNode* emulated, root.require("emulated"));
  SB_TRY(pool.is_emulated, emulated->as_boolean());
  SB_TRY(const YamlNode* nodes, root.require("nodes"));
  if (!nodes->is_sequence() || nodes->items().empty())
    return nodes->wrong(text("a list of nodes was expected", "此处应为节点列表"));
  for (const YamlNode& row : nodes->items()) {
    SB_TRY(Node node, read_node(row, catalog, pool.is_emulated));
    for (const Node& other : pool.nodes) {
      if (other.id == node.id) return row.wrong(text("the node \"{}\" is listed twice", "节点“{}”重复", node.id));
    }
    pool.nodes.push_back(std::move(node));
  }
  std::sort(pool.nodes.begin(), pool.nodes.end(), [](const Node& left, const Node& right) { return left.id < right.id; });
  return pool;
}

base::Result<Pool> default_pool(const catalog::Catalog& catalog) {
  return read_pool_file(catalog.data_dir() + "/pools/default.yaml", catalog);
}

}  // namespace starbridge::pool
