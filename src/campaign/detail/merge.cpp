#include <map>

#include <fmt/format.h>

#include "base/json.hpp"
#include "campaign/detail/store_state.hpp"

namespace weir::campaign {
namespace {

bool equal(const LatencyRow& a, const LatencyRow& b) {
  return a.count == b.count && a.p50_s == b.p50_s && a.p99_s == b.p99_s && a.p999_s == b.p999_s &&
         a.max_s == b.max_s;
}

// The key is not compared.
bool equal(const RunRow& a, const RunRow& b) {
  return a.started_ns == b.started_ns && a.state == b.state && a.reason == b.reason &&
         a.throughput == b.throughput && a.throughput_together == b.throughput_together &&
         a.duration_s == b.duration_s && a.bytes == b.bytes && equal(a.read, b.read) &&
         equal(a.write, b.write) && a.workers == b.workers && a.monitors == b.monitors && a.notes == b.notes;
}

}  // namespace

// The run of this key, where there is one.
Result<std::optional<RunRow>> Store::State::find_run(std::int64_t campaign, const RunRow& key) {
  const auto machine = machine_number(key.machine, false);
  if (!machine) return machine.error();
  if (*machine < 0) return std::optional<RunRow>();
  if (!select_run) {
    auto statement =
        db.prepare(fmt::format("SELECT {}, machine, packed FROM run "
                               "LEFT JOIN run_detail ON run_detail.run = run.number "
                               "WHERE campaign = ? AND machine = ? AND configuration = ? AND repeat = ?",
                               detail::kRunColumns));
    if (!statement) return statement.error();
    select_run = *std::move(statement);
  }
  const auto row =
      select_run->bind(campaign).bind(*machine).bind(key.configuration).bind(std::int64_t{key.repeat}).step();
  if (!row) return row.error();
  std::optional<RunRow> found;
  if (*row) {
    auto run = detail::run_of(*select_run, true);
    if (!run) return run.error();
    found = *std::move(run);
  }
  select_run->reset();
  return found;
}

// Numbers in the campaign `into` of the configurations `levels`, made where they are new.
Result<std::vector<std::int64_t>> Store::State::map_configurations(std::int64_t into,
                                                                   const std::vector<Levels>& known,
                                                                   const std::vector<Levels>& levels) {
  std::map<Levels, std::int64_t> numbers;
  for (std::size_t i = 0; i < known.size(); ++i) numbers.emplace(known[i], static_cast<std::int64_t>(i));
  std::vector<Levels> fresh;
  std::vector<std::int64_t> mapped;
  for (const Levels& one : levels) {
    const auto [at, made] = numbers.try_emplace(one, static_cast<std::int64_t>(known.size() + fresh.size()));
    if (made) fresh.push_back(one);
    mapped.push_back(at->second);
  }
  if (auto put = put_configurations(into, static_cast<std::int64_t>(known.size()), fresh); !put)
    return put.error();
  return mapped;
}

Result<void> Store::State::merge_campaign(const Store& self, const Store& from, std::int64_t number,
                                          Merged& merged) {
  const auto facts = from.campaign(number);
  if (!facts) return facts.error();
  const auto levels = from.configurations(number);
  if (!levels) return levels.error();

  std::optional<std::int64_t> target;
  const auto there = self.campaigns();
  if (!there) return there.error();
  for (const std::int64_t candidate : *there) {
    const auto known = self.campaign(candidate);
    if (!known) return known.error();
    if (known->name == facts->name && known->kind == facts->kind && known->grid == facts->grid &&
        known->factors == facts->factors) {
      target = candidate;
      break;
    }
  }
  if (!target) {
    auto made = put_campaign(*facts);
    if (!made) return made.error();
    target = *made;
    ++merged.campaigns;
  }
  const auto environments = from.environments(number);
  if (!environments) return environments.error();
  for (const Json& environment : *environments)
    if (auto put = put_environment(*target, environment); !put) return put.error();
  const auto known = self.configurations(*target);
  if (!known) return known.error();
  const auto numbers = map_configurations(*target, *known, *levels);
  if (!numbers) return numbers.error();

  return from.walk_runs(number, true, [&](const RunRow& row, const Levels& at) -> Result<void> {
    RunRow run = row;
    run.configuration = (*numbers)[static_cast<std::size_t>(row.configuration)];
    const auto twin = find_run(*target, run);
    if (!twin) return twin.error();
    if (!*twin) {
      ++merged.runs;
      return put_run(*target, run);
    }
    if (equal(**twin, run)) {
      ++merged.known;
      return {};
    }
    std::string where;
    for (std::size_t f = 0; f < at.size() && f < facts->factors.size(); ++f)
      where += fmt::format("{}={} ", facts->factors[f], at[f]);
    return Error{Errc::bad_data,
                 fmt::format("run {} of {}on '{}' in campaign '{}' is in '{}' with other results", run.repeat,
                             where, run.machine, facts->name, file.string())}
        .with_remedy("rename one of the campaigns, or merge into another store");
  });
}

Result<Merged> merge_stores(Store& into, const std::vector<std::filesystem::path>& from) {
  Merged merged;
  Store::State& state = *into.state_;
  auto transaction = detail::Transaction::begin(state.db);
  if (!transaction) return state.in_file(transaction.error());
  const auto all = [&]() -> Result<void> {
    for (const std::filesystem::path& file : from) {
      std::error_code failed;
      if (std::filesystem::equivalent(file, into.file(), failed))
        return Error{Errc::usage, "is merged into itself"}.in(file.string());
      const auto source = Store::open_to_read(file);
      if (!source) return source.error();
      const auto numbers = source->campaigns();
      if (!numbers) return numbers.error();
      for (const std::int64_t number : *numbers)
        if (auto done = state.merge_campaign(into, *source, number, merged); !done) {
          const bool names_a_file = !done.error().context().empty();
          return names_a_file ? done.error() : done.error().in(file.string());
        }
    }
    return transaction->commit();
  };
  if (auto done = all(); !done) {
    state.machines.clear();
    state.configuration_counts.clear();
    return done.error();
  }
  return merged;
}

}  // namespace weir::campaign
