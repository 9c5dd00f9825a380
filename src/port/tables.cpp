#include "port/tables.h"

#include "base/files.h"

namespace starbridge::port {

base::Result<Tables> Tables::load(const catalog::Catalog& catalog) {
  const std::string& folder = catalog.data_dir();
  SB_TRY(catalog::ApiTable api, catalog::ApiTable::load(folder));
  SB_TRY(catalog::NameMap names, catalog::NameMap::load(folder));
  SB_TRY(catalog::EnvMap env, catalog::EnvMap::load(folder));
  SB_TRY(catalog::LibraryMap libraries, catalog::LibraryMap::load(folder));
  SB_TRY(catalog::VersionPairs pairs, catalog::VersionPairs::load(folder));
  SB_TRY(std::string helper, base::read_file(folder + "/port/portable_device.py"));
  SB_TRY(std::shared_ptr<const RuleSet> rules, RuleSet::load(folder + "/port/rules"));
  return Tables{catalog,          std::move(api),    std::move(names), std::move(env), std::move(libraries),
                std::move(pairs), std::move(helper), std::move(rules)};
}

}  // namespace starbridge::port
