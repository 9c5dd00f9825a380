// Tables: everything of the catalogue that porting consults, loaded once. Immutable after load; any thread.
#pragma once

#include "base/result.h"
#include "catalog/api_table.h"
#include "catalog/catalog.h"
#include "catalog/name_map.h"
#include "catalog/version_pairs.h"
#include "port/declared/rule_set.h"

namespace starbridge::port {

struct Tables {
  const catalog::Catalog& catalog;
  catalog::ApiTable api;
  catalog::NameMap names;
  catalog::EnvMap env;
  catalog::LibraryMap libraries;
  catalog::VersionPairs pairs;
  std::string portable_helper;           // the helper module of the portable style
  std::shared_ptr<const RuleSet> rules;  // of data/port/rules

  // Errors: those of the tables' loaders.
  static base::Result<Tables> load(const catalog::Catalog& catalog);
};

}  // namespace starbridge::port
