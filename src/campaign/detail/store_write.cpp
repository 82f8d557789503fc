#include <fmt/format.h>

#include "base/json.hpp"
#include "campaign/detail/store_state.hpp"

namespace weir::campaign {

namespace detail {

std::string levels_text(const Levels& levels) {
  return Json(levels).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace detail

Result<std::int64_t> Store::State::machine_number(const std::string& name, bool make) {
  if (const auto known = machines.find(name); known != machines.end()) return known->second;
  if (make) {
    auto insert = db.prepare("INSERT INTO machine(name) VALUES(?) ON CONFLICT DO NOTHING");
    if (!insert) return insert.error();
    if (auto inserted = insert->bind(std::string_view(name)).run(); !inserted) return inserted.error();
  }
  auto select = db.prepare("SELECT number FROM machine WHERE name = ?");
  if (!select) return select.error();
  const auto row = select->bind(std::string_view(name)).step();
  if (!row) return row.error();
  if (!*row) return std::int64_t{-1};
  return machines[name] = select->integer(0);
}

Result<std::int64_t> Store::State::configuration_count(std::int64_t campaign) {
  if (const auto known = configuration_counts.find(campaign); known != configuration_counts.end())
    return known->second;
  const auto count =
      db.number(fmt::format("SELECT count(*) FROM configuration WHERE campaign = {}", campaign));
  if (!count) return count.error();
  return configuration_counts[campaign] = *count;
}

Result<std::int64_t> Store::State::put_campaign(const CampaignFacts& facts) {
  auto insert =
      db.prepare("INSERT INTO campaign(name, kind, grid, seed, runs, factors) VALUES(?, ?, ?, ?, ?, ?)");
  if (!insert) return insert.error();
  const std::string factors = detail::levels_text(facts.factors);
  auto inserted = insert->bind(std::string_view(facts.name))
                      .bind(std::string_view(facts.kind))
                      .bind(std::string_view(facts.grid))
                      .bind(static_cast<std::int64_t>(facts.seed))
                      .bind(std::int64_t{facts.runs})
                      .bind(std::string_view(factors))
                      .run();
  if (!inserted) return inserted.error();
  const std::int64_t number = sqlite3_last_insert_rowid(db.handle());
  if (auto put = put_environment(number, facts.environment); !put) return put.error();
  return number;
}

Result<void> Store::State::put_environment(std::int64_t campaign, const Json& environment) {
  auto insert = db.prepare("INSERT INTO environment(campaign, facts) VALUES(?, ?) ON CONFLICT DO NOTHING");
  if (!insert) return insert.error();
  const std::string facts = environment.dump(-1, ' ', false, Json::error_handler_t::replace);
  return insert->bind(campaign).bind(std::string_view(facts)).run();
}

Result<void> Store::State::put_configurations(std::int64_t campaign, std::int64_t first,
                                              const std::vector<Levels>& levels) {
  auto insert = db.prepare("INSERT INTO configuration(campaign, number, levels) VALUES(?, ?, ?)");
  if (!insert) return insert.error();
  for (const Levels& one : levels) {
    const std::string text = detail::levels_text(one);
    if (auto put = insert->bind(campaign).bind(first++).bind(std::string_view(text)).run(); !put)
      return put.error();
  }
  configuration_counts.erase(campaign);
  return {};
}

Result<std::int64_t> Store::add_campaign(const CampaignFacts& facts,
                                         const std::vector<Levels>& configurations) {
  for (const Levels& levels : configurations)
    if (levels.size() != facts.factors.size())
      return Error{Errc::usage, fmt::format("a configuration has {} levels for {} factors", levels.size(),
                                            facts.factors.size())};
  auto transaction = detail::Transaction::begin(state_->db);
  if (!transaction) return state_->in_file(transaction.error());
  auto number = state_->put_campaign(facts);
  if (!number) return state_->in_file(number.error());
  if (auto put = state_->put_configurations(*number, 0, configurations); !put)
    return state_->in_file(put.error());
  if (auto done = transaction->commit(); !done) return state_->in_file(done.error());
  return number;
}

Result<void> Store::add_run(std::int64_t campaign, const RunRow& run) {
  return add_runs(campaign, {&run, 1});
}

Result<void> Store::add_runs(std::int64_t campaign, std::span<const RunRow> runs) {
  auto transaction = detail::Transaction::begin(state_->db);
  if (!transaction) return state_->in_file(transaction.error());
  for (const RunRow& run : runs)
    if (auto put = state_->put_run(campaign, run); !put) {
      state_->machines.clear();  // a number made in this transaction is taken back with it
      return state_->in_file(put.error());
    }
  auto done = transaction->commit();
  if (done) return {};
  state_->machines.clear();
  return state_->in_file(done.error());
}

}  // namespace weir::campaign
