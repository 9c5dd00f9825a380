// Database: one SQLite file in WAL mode, with its migrations, behind prepared statements that return errors. One thread per
// object.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace starbridge::store {

using Value = std::variant<std::nullptr_t, std::int64_t, std::string>;

// One row of an answer.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  std::int64_t integer(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;
  std::string text(int column) const;

 private:
  sqlite3_stmt* statement_;
};

class Database {
 public:
  // Opens or creates the file and migrates it. Every commit reaches the disk (synchronous=FULL).
  // Errors: store.damaged (not a database, or a changed migration), store.newer (made by a later version), base.disk_full,
  // base.no_permission, base.io_failed.
  static base::Result<Database> open(const std::string& path);
  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  // Runs one statement; parameters are ?1, ?2 ... Rows go to `on_row`.
  base::Status run(std::string_view sql, const std::vector<Value>& parameters = {},
                   const std::function<void(const Row&)>& on_row = {});
  // Rows that the last statement changed.
  int changed_count() const;
  // Runs `body` inside BEGIN IMMEDIATE ... COMMIT; an error from it rolls back.
  base::Status transact(const std::function<base::Status()>& body);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  base::Status migrate();
  base::Error failure(int code) const;

  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

}  // namespace starbridge::store
