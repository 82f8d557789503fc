#include <fmt/format.h>

#include "campaign/detail/store_state.hpp"

namespace weir::campaign::detail {
namespace {

// run is narrow: what summaries, exports and fits read. run_order covers summaries (state, throughput) in the
// order of starts; the unique key covers "what is done". Details are packed and read on demand only.
constexpr const char* kSchema = R"(
CREATE TABLE campaign(
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, grid TEXT NOT NULL,
  seed INTEGER NOT NULL, runs INTEGER NOT NULL, factors TEXT NOT NULL) STRICT;
CREATE TABLE environment(
  campaign INTEGER NOT NULL REFERENCES campaign, facts TEXT NOT NULL, UNIQUE(campaign, facts)) STRICT;
CREATE TABLE configuration(
  campaign INTEGER NOT NULL REFERENCES campaign, number INTEGER NOT NULL, levels TEXT NOT NULL,
  PRIMARY KEY(campaign, number)) STRICT, WITHOUT ROWID;
CREATE TABLE machine(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE run(
  number INTEGER PRIMARY KEY,
  campaign INTEGER NOT NULL, machine INTEGER NOT NULL, configuration INTEGER NOT NULL, repeat INTEGER NOT NULL,
  started_ns INTEGER NOT NULL, state INTEGER NOT NULL, reason TEXT NOT NULL,
  throughput REAL, throughput_together REAL, duration_s REAL, bytes REAL,
  read_count INTEGER NOT NULL, read_p50_s REAL, read_p99_s REAL, read_p999_s REAL, read_max_s REAL,
  write_count INTEGER NOT NULL, write_p50_s REAL, write_p99_s REAL, write_p999_s REAL, write_max_s REAL) STRICT;
CREATE UNIQUE INDEX run_key ON run(campaign, machine, configuration, repeat);
CREATE INDEX run_order ON run(campaign, started_ns, configuration, state, throughput);
CREATE TABLE run_detail(run INTEGER PRIMARY KEY REFERENCES run, packed BLOB NOT NULL) STRICT;
)";

Result<void> make(Database& db) {
  auto transaction = Transaction::begin(db);
  if (!transaction) return transaction.error();
  if (auto made = db.run(kSchema); !made) return made.error();
  const std::string marks =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kStoreVersion);
  if (auto marked = db.run(marks.c_str()); !marked) return marked.error();
  return transaction->commit();
}

}  // namespace

Result<void> prepare_schema(Database& db, bool may_write) {
  const auto application = db.number("PRAGMA application_id");
  if (!application) return application.error();
  const auto version = db.number("PRAGMA user_version");
  if (!version) return version.error();
  const auto tables = db.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables.error();
  if (*application == 0 && *version == 0 && *tables == 0)
    return may_write ? make(db) : Result<void>(Error{Errc::bad_data, "is empty: no results are in it"});
  if (*application != kApplicationId)
    return Error{Errc::bad_data, "is an SQLite file of another program, not a store of results"};
  if (*version > kStoreVersion)
    return Error{Errc::unsupported,
                 fmt::format("was written by a newer Weir (store version {}, this one knows {})", *version,
                             kStoreVersion)}
        .with_remedy("use that Weir, or export the runs as CSV with it");
  if (*version != kStoreVersion)
    return Error{Errc::bad_data, fmt::format("is marked as store version {}, which never was", *version)};
  return {};
}

}  // namespace weir::campaign::detail
