#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/grid.hpp"

namespace weir::campaign {

enum class RunState { ok, disturbed, failed };
std::string_view name(RunState state);

struct LatencyRow {
  std::uint64_t count = 0;
  std::optional<double> p50_s, p99_s, p999_s, max_s;
};

// One run as it is kept. Missing numbers are null.
struct RunRow {
  std::int64_t configuration = 0;  // number within the campaign, from 0
  std::uint32_t repeat = 0;        // from 0; (machine, configuration, repeat) is there once
  std::string machine;
  std::int64_t started_ns = 0;  // wall clock, since 1970
  std::optional<double> duration_s;
  std::optional<double> throughput;           // bytes per second over the whole
  std::optional<double> throughput_together;  // while all workers were running
  std::optional<double> bytes;
  LatencyRow read, write;
  RunState state = RunState::ok;
  std::string reason;  // why disturbed or failed
  Json workers;        // per-worker times, or a stripe's parts
  Json monitors;       // what the monitors saw
  Json notes;
};

// What is the same for all runs of a campaign.
struct CampaignFacts {
  std::string name;
  std::string kind = "bench";  // or "stripe", "fio", "ior"
  std::string grid;            // the file's text
  std::uint64_t seed = 1;
  std::uint32_t runs = 0;  // planned for each configuration; 0: until the interval is narrow enough
  Json environment;
  std::vector<std::string> factors;  // names, in the order of a configuration's levels
};

// A value per factor as text; numbers are written plainly ("65536").
using Levels = std::vector<std::string>;

// Runs so far of one configuration.
struct ConfigurationSummary {
  std::int64_t configuration = 0;
  Levels levels;
  std::uint64_t ok = 0, disturbed = 0, failed = 0;
  double mean = 0, deviation = 0;  // of the throughput of runs that are ok
  double least = 0, greatest = 0;
};

// One SQLite file with one campaign or more. Every change is a transaction, in WAL mode: a process that is
// killed loses the run under way and nothing else. One writer at a time; readers need not wait.
class Store {
 public:
  // Creates the file or opens one that is there. A file of another kind, a newer version or one that another
  // process is writing to is an Error that says so.
  static Result<Store> open(const std::filesystem::path& file);
  static Result<Store> open_to_read(const std::filesystem::path& file);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  // The number of a new campaign with its configurations.
  Result<std::int64_t> add_campaign(const CampaignFacts& facts, const std::vector<Levels>& configurations);
  Result<CampaignFacts> campaign(std::int64_t number) const;
  Result<std::vector<std::int64_t>> campaigns() const;
  Result<std::vector<Levels>> configurations(std::int64_t campaign) const;

  // What machines the campaign ran on looked like: the environment it was begun with, and those that were
  // merged into it.
  Result<std::vector<Json>> environments(std::int64_t campaign) const;

  // A run that is there already is an Error: nothing is counted twice. What returned without one survives the
  // process being killed (not a power failure within the next second or so: syncing after every run would
  // disturb the storage that is being measured).
  Result<void> add_run(std::int64_t campaign, const RunRow& run);
  // All of them or none, in one transaction.
  Result<void> add_runs(std::int64_t campaign, std::span<const RunRow> runs);
  // Which repeats of each configuration there are on `machine`, by configuration: the next one to run is the
  // count.
  Result<std::vector<std::uint32_t>> repeats_done(std::int64_t campaign, const std::string& machine) const;
  // Throughputs of the runs that are ok, by configuration, in run order.
  Result<std::vector<std::vector<double>>> throughputs(std::int64_t campaign) const;
  Result<std::vector<ConfigurationSummary>> summary(std::int64_t campaign) const;

  // Calls with every run of a campaign, in the order of their start; the details (workers, monitors) only if
  // wanted.
  Result<void> for_each_run(std::int64_t campaign, bool details,
                            const std::function<void(const RunRow&, const Levels&)>& use) const;
  // The same, ended by the first Error that `use` returns.
  Result<void> walk_runs(std::int64_t campaign, bool details,
                         const std::function<Result<void>(const RunRow&, const Levels&)>& use) const;

  const std::filesystem::path& file() const;

 private:
  friend Result<struct Merged> merge_stores(Store& into, const std::vector<std::filesystem::path>& from);
  struct State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The campaign called `wanted`, by name (the last of that name) or number; the last one where it is empty.
Result<std::int64_t> find_campaign(const Store& store, std::string_view wanted);

// Whether the file begins as SQLite's do.
bool is_store(const std::filesystem::path& file);

// Copies the campaigns of `from` into `into`: a campaign of the same name, grid and factors is continued
// (rows of the same machine, configuration and repeat that are equal are taken once, unequal ones are an
// Error).
struct Merged {
  std::uint64_t campaigns = 0, runs = 0, known = 0;
};
Result<Merged> merge_stores(Store& into, const std::vector<std::filesystem::path>& from);

}  // namespace weir::campaign
