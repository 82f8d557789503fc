#pragma once

#include <map>
#include <optional>

#include "campaign/detail/sqlite.hpp"
#include "campaign/detail/writer_lock.hpp"
#include "campaign/store.hpp"

namespace weir::campaign {

struct Store::State {
  std::filesystem::path file;
  std::optional<detail::WriterLock> lock;  // released after the database is closed
  detail::Database db;
  std::optional<detail::Statement> insert_run, insert_detail, select_run;
  std::map<std::string, std::int64_t> machines;               // number by name, as far as asked for
  std::map<std::int64_t, std::int64_t> configuration_counts;  // by campaign

  // Within a transaction of the caller.
  Result<std::int64_t> put_campaign(const CampaignFacts& facts);
  Result<void> put_configurations(std::int64_t campaign, std::int64_t first,
                                  const std::vector<Levels>& levels);
  Result<void> put_run(std::int64_t campaign, const RunRow& run);
  Result<void> put_environment(std::int64_t campaign, const Json& environment);

  Result<std::vector<std::int64_t>> map_configurations(std::int64_t into, const std::vector<Levels>& known,
                                                       const std::vector<Levels>& levels);
  Result<void> merge_campaign(const Store& self, const Store& from, std::int64_t number, Merged& merged);

  Result<std::optional<RunRow>> find_run(std::int64_t campaign, const RunRow& key);
  Result<std::int64_t> machine_number(const std::string& name, bool make);
  Result<std::map<std::int64_t, std::string>> machine_names() const;
  Result<std::int64_t> configuration_count(std::int64_t campaign);
  Error in_file(const Error& error) const { return error.in(file.string()); }
};

namespace detail {

// "WEIR" in the file's header tells stores from other SQLite files.
constexpr std::int64_t kApplicationId = 0x57454952;
constexpr std::int64_t kStoreVersion = 1;

// Makes the tables of an empty file; checks a file that has some.
Result<void> prepare_schema(Database& db, bool may_write);

// Columns of a run in the order put_run() binds them and run_of() reads them.
extern const std::string_view kRunColumns;
constexpr int kRunColumnCount = 20;  // with the machine behind them
// Reads a row of these columns, the machine and, with details, the packed ones. The machine's name is left
// empty.
Result<RunRow> run_of(const Statement& row, bool details);

std::string levels_text(const Levels& levels);
Result<Levels> levels_from(std::string_view text);

}  // namespace detail
}  // namespace weir::campaign
