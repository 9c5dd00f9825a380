// Catalog: chips, stacks, prices and their sources, read from data/. The door of the room for everything but the big support
// tables, which have their own (api_table.h, name_map.h, library_map.h, env_map.h) and are not read here.
// Reads data/sources.tsv, data/stacks/*.yaml, data/chips/*.yaml and data/prices/*.yaml, all of it checked strictly.
// Immutable after load; any thread. Movable: pointers into it stay valid.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/chip.h"
#include "catalog/price_book.h"

namespace starbridge::catalog {

class Catalog {
 public:
  // Errors: catalog.bad_data and base.wrong_field (file, line, field), base.* of reading.
  static base::Result<Catalog> load(const std::string& data_dir);
  // load(installation_root()/data).
  static base::Result<Catalog> load_installed();

  const std::vector<Chip>& chips() const { return chips_; }  // by id
  // By id or alias, ignoring case, blanks, '-' and '_'. Error: catalog.unknown_chip with the nearest name.
  base::Result<const Chip*> find_chip(std::string_view id_or_alias) const;

  const std::map<std::string, Stack, std::less<>>& stacks() const { return stacks_; }
  const Stack* find_stack(std::string_view id) const;

  const PriceBook& prices() const { return prices_; }
  const std::map<std::string, Source, std::less<>>& sources() const { return sources_; }
  const Source* find_source(std::string_view id) const;
  // Title and unit of a fact for people; the rows of data/facts.tsv.
  const FactKind* find_fact_kind(std::string_view name) const;
  const std::string& data_dir() const { return data_dir_; }

 private:
  base::Status index_chip(const Chip& chip, const std::string& path);

  std::string data_dir_;
  std::map<std::string, FactKind, std::less<>> fact_kinds_;
  std::map<std::string, Source, std::less<>> sources_;
  std::map<std::string, Stack, std::less<>> stacks_;
  std::vector<Chip> chips_;
  std::map<std::string, std::size_t, std::less<>> chip_by_key_;  // folded id or alias -> index
  PriceBook prices_;
};

// "Ascend_910-B3" -> "ascend910b3": how chip names are compared.
std::string fold_chip_name(std::string_view name);

}  // namespace starbridge::catalog
