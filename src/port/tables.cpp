#include "port/tables.h"

namespace starbridge::port {

base::Result<Tables> Tables::load(const catalog::Catalog& catalog) {
  const std::string& folder = catalog.data_dir();
  SB_TRY(catalog::ApiTable api, catalog::ApiTable::load(folder));
  SB_TRY(catalog::NameMap names, catalog::NameMap::load(folder));
  SB_TRY(catalog::EnvMap env, catalog::EnvMap::load(folder));
  SB_TRY(catalog::LibraryMap libraries, catalog::LibraryMap::load(folder));
  return Tables{catalog, std::move(api), std::move(names), std::move(env), std::move(libraries)};
}

}  // namespace starbridge::port
