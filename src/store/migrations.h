// Migrations: the SQL that brings a database to this version, forward only, embedded at build time.
#pragma once

#include <string_view>
#include <vector>

namespace starbridge::store {

struct Migration {
  std::string_view name;  // "0001_jobs_and_leases"
  std::string_view sql;
};
const std::vector<Migration>& migrations();

}  // namespace starbridge::store
