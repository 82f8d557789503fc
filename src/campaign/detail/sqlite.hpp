#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir::campaign::detail {

// The connection's last failure in words of ours: full, busy, read-only, damaged. `what` was tried.
Error sqlite_error(sqlite3* db, int code, std::string_view what);

// A prepared statement. Arguments are bound from left to right; a row is read from column 0 on.
class Statement {
 public:
  static Result<Statement> prepare(sqlite3* db, std::string_view sql);
  Statement() = default;

  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::optional<double> value);
  Statement& bind(std::string_view value);  // read before the next step
  Statement& bind(ByteSpan value);

  // True with a row, false at the end.
  Result<bool> step();
  // Runs to the end, for statements without rows, and is ready for the next arguments.
  Result<void> run();
  void reset();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  bool null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  std::optional<double> optional_real(int column) const;
  std::string_view text(int column) const;  // valid until the next step
  ByteSpan blob(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  void bound(int code);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_ = 1;
  int failed_ = SQLITE_OK;  // first failure of a bind
};

class Database {
 public:
  enum class Access { create, read, read_unchanging };
  static Result<Database> open(const std::filesystem::path& file, Access access);

  Result<void> run(const char* sql);
  Result<Statement> prepare(std::string_view sql) const { return Statement::prepare(handle_.get(), sql); }
  Result<std::int64_t> number(std::string_view sql) const;  // the first column of the first row, or 0
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// Rolled back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& db);
  Transaction(Transaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database& db) : db_(&db) {}
  Database* db_;
};

}  // namespace weir::campaign::detail
