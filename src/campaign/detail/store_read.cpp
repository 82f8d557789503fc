#include <cmath>

#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "campaign/detail/store_state.hpp"

namespace weir::campaign {

using detail::Statement;

namespace detail {

Result<Levels> levels_from(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return json.error();
  Levels levels;
  if (!json->is_array()) return Error{Errc::bad_data, "levels are no list; the store is damaged"};
  for (const Json& level : *json) {
    if (!level.is_string()) return Error{Errc::bad_data, "a level is no text; the store is damaged"};
    levels.push_back(level.get<std::string>());
  }
  return levels;
}

}  // namespace detail

namespace {

// Steps through all rows, interruptible.
template <class Use>
Result<void> each_row(Statement& statement, Use use) {
  constexpr std::uint64_t kOften = 0xffff;
  for (std::uint64_t rows = 1;; ++rows) {
    const auto row = statement.step();
    if (!row) return row.error();
    if (!*row) return {};
    if (auto used = use(); !used) return used.error();
    if ((rows & kOften) == 0)
      if (auto go_on = check_interrupt(); !go_on) return go_on.error();
  }
}

Error no_such(std::int64_t campaign) {
  return Error{Errc::not_found, fmt::format("there is no campaign {}", campaign)};
}

Error no_such_configuration() {
  return Error{Errc::bad_data, "a run belongs to no configuration; the store is damaged"};
}

}  // namespace

Result<std::map<std::int64_t, std::string>> Store::State::machine_names() const {
  auto select = db.prepare("SELECT number, name FROM machine");
  if (!select) return select.error();
  std::map<std::int64_t, std::string> names;
  const auto read = each_row(*select, [&]() -> Result<void> {
    names.emplace(select->integer(0), select->text(1));
    return {};
  });
  if (!read) return read.error();
  return names;
}

Result<std::vector<std::int64_t>> Store::campaigns() const {
  auto select = state_->db.prepare("SELECT number FROM campaign ORDER BY number");
  if (!select) return state_->in_file(select.error());
  std::vector<std::int64_t> numbers;
  const auto read = each_row(*select, [&]() -> Result<void> {
    numbers.push_back(select->integer(0));
    return {};
  });
  if (!read) return state_->in_file(read.error());
  return numbers;
}

Result<CampaignFacts> Store::campaign(std::int64_t number) const {
  auto select =
      state_->db.prepare("SELECT name, kind, grid, seed, runs, factors FROM campaign WHERE number = ?");
  if (!select) return state_->in_file(select.error());
  const auto row = select->bind(number).step();
  if (!row) return state_->in_file(row.error());
  if (!*row) return state_->in_file(no_such(number));
  CampaignFacts facts;
  facts.name = select->text(0);
  facts.kind = select->text(1);
  facts.grid = select->text(2);
  facts.seed = static_cast<std::uint64_t>(select->integer(3));
  facts.runs = static_cast<std::uint32_t>(select->integer(4));
  auto factors = detail::levels_from(select->text(5));
  if (!factors) return state_->in_file(factors.error());
  facts.factors = *std::move(factors);
  auto environments = this->environments(number);
  if (!environments) return environments.error();
  if (!environments->empty()) facts.environment = std::move(environments->front());
  return facts;
}

Result<std::vector<Json>> Store::environments(std::int64_t campaign) const {
  auto select = state_->db.prepare("SELECT facts FROM environment WHERE campaign = ? ORDER BY rowid");
  if (!select) return state_->in_file(select.error());
  select->bind(campaign);
  std::vector<Json> all;
  const auto read = each_row(*select, [&]() -> Result<void> {
    auto facts = parse_json(select->text(0));
    if (!facts) return facts.error().in("environment");
    all.push_back(*std::move(facts));
    return {};
  });
  if (!read) return state_->in_file(read.error());
  return all;
}

Result<std::vector<Levels>> Store::configurations(std::int64_t campaign) const {
  auto select =
      state_->db.prepare("SELECT number, levels FROM configuration WHERE campaign = ? ORDER BY number");
  if (!select) return state_->in_file(select.error());
  select->bind(campaign);
  std::vector<Levels> all;
  const auto read = each_row(*select, [&]() -> Result<void> {
    if (select->integer(0) != static_cast<std::int64_t>(all.size()))
      return Error{Errc::bad_data, "a configuration is missing; the store is damaged"};
    auto levels = detail::levels_from(select->text(1));
    if (!levels) return levels.error();
    all.push_back(*std::move(levels));
    return {};
  });
  if (!read) return state_->in_file(read.error());
  return all;
}

Result<std::vector<std::uint32_t>> Store::repeats_done(std::int64_t campaign,
                                                       const std::string& machine) const {
  const auto configurations = state_->configuration_count(campaign);
  if (!configurations) return state_->in_file(configurations.error());
  std::vector<std::uint32_t> done(static_cast<std::size_t>(*configurations), 0);
  const auto number = state_->machine_number(machine, false);
  if (!number) return state_->in_file(number.error());
  if (*number < 0) return done;
  auto select = state_->db.prepare(
      "SELECT configuration, count(*) FROM run WHERE campaign = ? AND machine = ? GROUP BY configuration");
  if (!select) return state_->in_file(select.error());
  select->bind(campaign).bind(*number);
  const auto read = each_row(*select, [&]() -> Result<void> {
    const auto configuration = static_cast<std::size_t>(select->integer(0));
    if (configuration >= done.size()) return no_such_configuration();
    done[configuration] = static_cast<std::uint32_t>(select->integer(1));
    return {};
  });
  if (!read) return state_->in_file(read.error());
  return done;
}

Result<std::vector<std::vector<double>>> Store::throughputs(std::int64_t campaign) const {
  const auto configurations = state_->configuration_count(campaign);
  if (!configurations) return state_->in_file(configurations.error());
  std::vector<std::vector<double>> values(static_cast<std::size_t>(*configurations));
  auto select = state_->db.prepare(
      "SELECT configuration, throughput FROM run INDEXED BY run_order "
      "WHERE campaign = ? AND state = 0 AND throughput IS NOT NULL ORDER BY started_ns");
  if (!select) return state_->in_file(select.error());
  select->bind(campaign);
  const auto read = each_row(*select, [&]() -> Result<void> {
    const auto configuration = static_cast<std::size_t>(select->integer(0));
    if (configuration >= values.size()) return no_such_configuration();
    values[configuration].push_back(select->real(1));
    return {};
  });
  if (!read) return state_->in_file(read.error());
  return values;
}

Result<std::vector<ConfigurationSummary>> Store::summary(std::int64_t campaign) const {
  auto levels = configurations(campaign);
  if (!levels) return levels.error();
  std::vector<ConfigurationSummary> all(levels->size());
  std::vector<std::uint64_t> counted(levels->size(), 0);  // runs that are ok and have a throughput
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].configuration = static_cast<std::int64_t>(i);
    all[i].levels = std::move((*levels)[i]);
  }
  auto select = state_->db.prepare(
      "SELECT configuration, state, throughput FROM run INDEXED BY run_order WHERE campaign = ?");
  if (!select) return state_->in_file(select.error());
  select->bind(campaign);
  const auto read = each_row(*select, [&]() -> Result<void> {
    const auto configuration = static_cast<std::size_t>(select->integer(0));
    if (configuration >= all.size()) return no_such_configuration();
    ConfigurationSummary& one = all[configuration];
    switch (static_cast<RunState>(select->integer(1))) {
      case RunState::ok:
        ++one.ok;
        break;
      case RunState::disturbed:
        ++one.disturbed;
        return {};
      case RunState::failed:
        ++one.failed;
        return {};
    }
    if (select->null(2)) return {};
    // Welford (1962); deviation holds the sum of squares until the end.
    const double value = select->real(2);
    const auto n = static_cast<double>(++counted[configuration]);
    const double off = value - one.mean;
    one.mean += off / n;
    one.deviation += off * (value - one.mean);
    one.least = n == 1 ? value : std::min(one.least, value);
    one.greatest = n == 1 ? value : std::max(one.greatest, value);
    return {};
  });
  if (!read) return state_->in_file(read.error());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].deviation = counted[i] > 1 ? std::sqrt(all[i].deviation / static_cast<double>(counted[i] - 1)) : 0;
  return all;
}

Result<void> Store::walk_runs(std::int64_t campaign, bool details,
                              const std::function<Result<void>(const RunRow&, const Levels&)>& use) const {
  const auto levels = configurations(campaign);
  if (!levels) return levels.error();
  const auto machines = state_->machine_names();
  if (!machines) return state_->in_file(machines.error());
  auto select = state_->db.prepare(fmt::format(
      "SELECT {}, machine{} FROM run INDEXED BY run_order {} WHERE campaign = ? ORDER BY started_ns",
      detail::kRunColumns, details ? ", packed" : "",
      details ? "LEFT JOIN run_detail ON run_detail.run = run.number" : ""));
  if (!select) return state_->in_file(select.error());
  select->bind(campaign);
  std::optional<Error> from_use;  // is not this file's
  const auto read = each_row(*select, [&]() -> Result<void> {
    auto run = detail::run_of(*select, details);
    if (!run) return run.error();
    const auto machine = machines->find(select->integer(detail::kRunColumnCount - 1));
    if (machine == machines->end())
      return Error{Errc::bad_data, "a run has no machine; the store is damaged"};
    run->machine = machine->second;
    if (run->configuration < 0 || run->configuration >= static_cast<std::int64_t>(levels->size()))
      return no_such_configuration();
    auto used = use(*run, (*levels)[static_cast<std::size_t>(run->configuration)]);
    if (!used) from_use = used.error();
    return used;
  });
  if (from_use) return *from_use;
  if (!read) return state_->in_file(read.error());
  return {};
}

Result<void> Store::for_each_run(std::int64_t campaign, bool details,
                                 const std::function<void(const RunRow&, const Levels&)>& use) const {
  return walk_runs(campaign, details, [&](const RunRow& run, const Levels& levels) -> Result<void> {
    use(run, levels);
    return {};
  });
}

}  // namespace weir::campaign
