#include "store/database.h"

#include <sqlite3.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <map>

#include "base/hash.h"
#include "store/migrations.h"

namespace starbridge::store {

using base::Error;
using base::Status;
using base::text;

std::int64_t Row::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::optional<std::int64_t> Row::optional_integer(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return integer(column);
}

std::string Row::text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(statement_, column);
  return bytes == nullptr ? ""
                          : std::string(reinterpret_cast<const char*>(bytes),
                                        static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Error Database::failure(int code) const {
  std::string reason = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return base::io_error(ENOSPC, text("the database cannot grow", "数据库无法增长"), path_);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return base::io_error(EACCES, text("the database cannot be written", "数据库不可写"), path_);
    case SQLITE_CANTOPEN:
      return base::io_error(errno != 0 ? errno : EACCES, text("the database cannot be opened", "数据库无法打开"), path_);
    case SQLITE_IOERR: {
      // The shared-memory file of WAL reports a full disk as a plain I/O error.
      struct statvfs space {};
      constexpr unsigned long long kAlmostNothing = 128 << 10;
      if (::statvfs(path_.c_str(), &space) == 0 && static_cast<unsigned long long>(space.f_bavail) * space.f_frsize < kAlmostNothing) {
        return base::io_error(ENOSPC, text("the database cannot grow", "数据库无法增长"), path_);
      }
      return Error("base.io_failed", text("the database cannot be read or written: {}", "数据库读写失败：{}", reason)).at(path_);
    }
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error("store.damaged", text("the database is damaged: {}", "数据库已损坏：{}", reason))
          .at(path_)
          .next(text("it was left untouched; restore it from a backup, or move it away to start anew",
                     "文件未被改动；请从备份恢复，或移走后重新开始"));
    default:
      return Error("base.io_failed", text("the database refused: {}", "数据库报错：{}", reason)).at(path_);
  }
}

Status Database::run(std::string_view sql, const std::vector<Value>& parameters, const std::function<void(const Row&)>& on_row) {
  sqlite3_stmt* raw = nullptr;
  int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
  if (code != SQLITE_OK) return failure(code);
  std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, sqlite3_finalize);
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    int position = static_cast<int>(index) + 1;
    if (const auto* integer = std::get_if<std::int64_t>(&parameters[index])) {
      code = sqlite3_bind_int64(raw, position, *integer);
    } else if (const auto* words = std::get_if<std::string>(&parameters[index])) {
      code = sqlite3_bind_text(raw, position, words->data(), static_cast<int>(words->size()), SQLITE_TRANSIENT);
    } else {
      code = sqlite3_bind_null(raw, position);
    }
    if (code != SQLITE_OK) return failure(code);
  }
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
    if (on_row) on_row(Row(raw));
  }
  if (code != SQLITE_DONE) return failure(code);
  return {};
}

int Database::changed_count() const { return sqlite3_changes(handle_.get()); }

Status Database::transact(const std::function<Status()>& body) {
  SB_TRY_VOID(run("BEGIN IMMEDIATE"));
  Status done = body();
  if (done.ok()) done = run("COMMIT");
  if (!done.ok() && sqlite3_get_autocommit(handle_.get()) == 0) {
    Status undone = run("ROLLBACK");
    static_cast<void>(undone.ok());  // the first error is the one to tell
  }
  return done;
}

Status Database::migrate() {
  SB_TRY_VOID(run("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL) STRICT"));
  std::map<std::string, std::string> applied;
  SB_TRY_VOID(run("SELECT name, sha256 FROM migrations", {}, [&](const Row& row) { applied[row.text(0)] = row.text(1); }));
  for (const Migration& migration : migrations()) {
    std::string name(migration.name);
    std::string hash = base::sha256_hex(migration.sql);
    auto found = applied.find(name);
    if (found != applied.end()) {
      if (found->second != hash) {
        return Error("store.damaged", text("the migration {} was changed after it was applied", "迁移 {} 在应用之后被改动", name))
            .at(path_);
      }
      applied.erase(found);
      continue;
    }
    SB_TRY_VOID(transact([&]() -> Status {
      char* message = nullptr;
      int code = sqlite3_exec(handle_.get(), std::string(migration.sql).c_str(), nullptr, nullptr, &message);
      sqlite3_free(message);
      if (code != SQLITE_OK) return failure(code);
      return run("INSERT INTO migrations VALUES (?1, ?2)", {name, hash});
    }));
  }
  if (!applied.empty()) {
    return Error("store.newer",
                 text("the database was made by a later version of StarBridge", "该数据库由更新版本的 StarBridge 创建"))
        .at(path_)
        .next(text("install that version", "请安装该版本"));
  }
  return {};
}

base::Result<Database> Database::open(const std::string& path) {
  sqlite3* raw = nullptr;
  errno = 0;
  int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(raw, path);
  if (code != SQLITE_OK) return database.failure(code);
  sqlite3_busy_timeout(raw, 5000);
  for (const char* pragma : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON"})
    SB_TRY_VOID(database.run(pragma));
  SB_TRY_VOID(database.migrate());
  return database;
}

}  // namespace starbridge::store
