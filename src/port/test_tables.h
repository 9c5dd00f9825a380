// The catalogue and its tables for the tests of this room, loaded once per program.
#pragma once

#include "catalog/catalog.h"
#include "port/tables.h"

namespace starbridge::port {

inline const catalog::Catalog& catalogue() {
  static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
  return catalog;
}

inline const Tables& tables() {
  static const Tables tables = Tables::load(catalogue()).value();
  return tables;
}

}  // namespace starbridge::port
