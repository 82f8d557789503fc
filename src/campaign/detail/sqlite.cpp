#include "campaign/detail/sqlite.hpp"

#include <cerrno>
#include <utility>

#include <fmt/format.h>

namespace weir::campaign::detail {

Error sqlite_error(sqlite3* db, int code, std::string_view what) {
  const int system = db != nullptr ? sqlite3_system_errno(db) : 0;
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error{Errc::unreadable, "another process writes to it"}.with_remedy(
          "wait for it, or use another store");
    case SQLITE_FULL:
      return Error{Errc::full, fmt::format("cannot {}: no space left on the device", what)}.with_remedy(
          "free some space; what was stored so far is whole");
    case SQLITE_READONLY:
      return Error{Errc::unreadable, fmt::format("cannot {}: it is read-only, or its directory is", what)}
          .with_remedy("keep the store where you may write");
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
      if (system != 0) return Error::from_errno(system, fmt::format("cannot {}", what));
      return Error{Errc::unreadable, fmt::format("cannot {}: it may not be opened", what)};
    case SQLITE_CORRUPT:
      return Error{Errc::bad_data, fmt::format("cannot {}: the store is damaged", what)}.with_remedy(
          "copy what can be read with: sqlite3 FILE .recover");
    case SQLITE_NOTADB:
      return Error{Errc::bad_data, "is no store of results (not an SQLite file)"};
    case SQLITE_NOMEM:
      return Error{Errc::lacking, fmt::format("cannot {}: not enough memory", what)};
    case SQLITE_IOERR:
      if (system == ENOSPC || system == EDQUOT)
        return Error{Errc::full, fmt::format("cannot {}: no space left on the device", what)};
      if (system != 0) return Error::from_errno(system, fmt::format("cannot {}", what));
      return Error{Errc::io, fmt::format("{}: {}", what, sqlite3_errstr(code))};
    default:
      return Error{Errc::internal,
                   fmt::format("{}: {}", what, db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code))};
  }
}

Result<Statement> Statement::prepare(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &made, nullptr);
  if (code != SQLITE_OK) return sqlite_error(db, code, "read the store");
  Statement statement;
  statement.statement_.reset(made);
  return statement;
}

void Statement::bound(int code) {
  ++next_;
  if (failed_ == SQLITE_OK) failed_ = code;
}

Statement& Statement::bind(std::int64_t value) {
  bound(sqlite3_bind_int64(statement_.get(), next_, value));
  return *this;
}

Statement& Statement::bind(double value) {
  bound(sqlite3_bind_double(statement_.get(), next_, value));
  return *this;
}

Statement& Statement::bind(std::optional<double> value) {
  if (value) return bind(*value);
  bound(sqlite3_bind_null(statement_.get(), next_));
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  bound(sqlite3_bind_text64(statement_.get(), next_, value.data() != nullptr ? value.data() : "",
                            value.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(ByteSpan value) {
  bound(sqlite3_bind_blob64(statement_.get(), next_, value.data(), value.size(), SQLITE_STATIC));
  return *this;
}

Result<bool> Statement::step() {
  sqlite3* const db = sqlite3_db_handle(statement_.get());
  if (failed_ != SQLITE_OK) return sqlite_error(db, failed_, "write to the store");
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Error error =
      sqlite_error(db, sqlite3_extended_errcode(db),
                   sqlite3_stmt_readonly(statement_.get()) != 0 ? "read the store" : "write to the store");
  reset();
  return error;
}

Result<void> Statement::run() {
  auto more = step();
  while (more && *more) more = step();
  if (!more) return more.error();
  reset();
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  next_ = 1;
  failed_ = SQLITE_OK;
}

std::optional<double> Statement::optional_real(int column) const {
  if (null(column)) return std::nullopt;
  return real(column);
}

std::string_view Statement::text(int column) const {
  // A blob's bytes are its text; sqlite3_column_text would convert, and needs no second call.
  const auto* const data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data != nullptr ? std::string_view(data, static_cast<std::size_t>(size)) : std::string_view();
}

ByteSpan Statement::blob(int column) const { return as_bytes(text(column)); }

Result<Database> Database::open(const std::filesystem::path& file, Access access) {
  // As a URI, so that any byte may stand in the name.
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string())
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
        c == '_' || c == '-')
      uri += c;
    else
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  if (access == Access::read_unchanging) uri += "?immutable=1";
  const int flags =
      SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
      (access == Access::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
  Database database;
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return sqlite_error(handle, code, "open");
  sqlite3_extended_result_codes(handle, 1);
  constexpr int kPatienceMs = 2000;
  sqlite3_busy_timeout(handle, kPatienceMs);
  return database;
}

Result<void> Database::run(const char* sql) {
  if (const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr); code != SQLITE_OK)
    return sqlite_error(handle(), code, "write to the store");
  return {};
}

Result<std::int64_t> Database::number(std::string_view sql) const {
  auto statement = prepare(sql);
  if (!statement) return statement.error();
  const auto row = statement->step();
  if (!row) return row.error();
  return *row ? statement->integer(0) : 0;
}

Result<Transaction> Transaction::begin(Database& db) {
  if (auto begun = db.run("BEGIN IMMEDIATE"); !begun) return begun.error();
  return Transaction(db);
}

Transaction::~Transaction() {
  if (db_ != nullptr) sqlite3_exec(db_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> Transaction::commit() {
  if (auto done = db_->run("COMMIT"); !done) return done.error();
  db_ = nullptr;
  return {};
}

}  // namespace weir::campaign::detail
