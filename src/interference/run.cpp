#include "interference/run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "campaign/environment.hpp"
#include "campaign/schedule.hpp"
#include "interference/together.hpp"

namespace weir::interference {
namespace {

constexpr std::uint32_t kFailuresInARow = 3;

// What a row keeps besides its numbers: `rates` of the probe and of who ran beside it. An endless signal has
// none to compare with its own alone: it sleeps by design, and the lap that is cut off is not known.
Json details(const Trial& trial, const Together& together, std::size_t probe) {
  const SideResult& side = together.sides[probe];
  Json rates = Json::array({json_number(side.rate)});
  for (std::size_t i = 0; i < together.sides.size(); ++i)
    if (i != probe)
      rates.push_back(trial.sides[i].endless ? Json(nullptr) : json_number(together.sides[i].rate));
  return {{"counted_s", json_number(together.counted_s)},
          {"rates", std::move(rates)},
          {"files_per_second", side.files_rate ? json_number(*side.files_rate) : Json(nullptr)},
          {"cached_bytes", side.cached ? Json(side.cached->count) : Json(nullptr)}};
}

// Rows of one trial. Two sides of one configuration (a program beside itself) are one row with their mean.
std::vector<campaign::RunRow> rows_of(const Trial& trial, const Together& together) {
  std::vector<campaign::RunRow> rows;
  for (std::size_t i = 0; i < trial.sides.size(); ++i) {
    if (!trial.configurations[i]) continue;
    const SideResult& side = together.sides[i];
    const auto number = static_cast<std::int64_t>(*trial.configurations[i]);
    if (!rows.empty() && rows.back().configuration == number) {
      campaign::RunRow& first = rows.back();
      first.throughput = (*first.throughput + side.rate_whole) / 2;
      first.throughput_together = (*first.throughput_together + side.rate) / 2;
      first.duration_s = (*first.duration_s + side.whole_s) / 2;
      continue;
    }
    campaign::RunRow row = together.row;
    row.configuration = number;
    row.throughput = side.rate_whole;
    row.throughput_together = side.rate;
    row.duration_s = side.whole_s;
    row.bytes = side.course.total();
    row.workers = details(trial, together, i);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<campaign::RunRow> failed_rows(const Trial& trial, const Error& error, std::int64_t now) {
  std::vector<campaign::RunRow> rows;
  for (const auto& configuration : trial.configurations) {
    if (!configuration) continue;
    campaign::RunRow row;
    row.configuration = static_cast<std::int64_t>(*configuration);
    if (!rows.empty() && rows.back().configuration == row.configuration) continue;
    row.started_ns = now;
    row.state = campaign::RunState::failed;
    row.reason = error.text();
    row.notes = Json::array();
    rows.push_back(std::move(row));
  }
  return rows;
}

class Session {
 public:
  Session(campaign::Store& store, std::int64_t number, const Experiment& experiment,
          const RunOptions& options, const std::function<void(const Progress&)>& tell)
      : store_(store),
        number_(number),
        options_(options),
        tell_(tell),
        runs_(experiment.runs),
        seed_(experiment.seed),
        trials_(trials_of(experiment)) {
    for (Trial& trial : trials_.trials)
      for (Side& side : trial.sides)
        if (side.load.is_command()) side.counters = options.counters;
  }

  Result<Progress> run() {
    const auto kept = store_.configurations(number_);
    if (!kept) return kept.error();
    if (*kept != trials_.configurations)
      return Error{Errc::unsupported,
                   fmt::format("campaign {} was begun by a version that chose other pairs", number_)}
          .in(store_.file().string())
          .with_remedy("leave --resume out to begin another");
    auto done = store_.repeats_done(number_, options_.machine);
    if (!done) return done.error();
    done_ = *std::move(done);
    done_.resize(trials_.configurations.size());
    progress_.planned = trials_.trials.size() * runs_;
    for (const Trial& trial : trials_.trials) progress_.done += std::min(repeat_of(trial), runs_);
    tell_(progress_);
    const auto count = static_cast<std::uint32_t>(trials_.trials.size());
    for (std::uint32_t round = 0; round < runs_; ++round)
      for (const std::uint32_t i : campaign::order_of_round(count, seed_, round)) {
        if (repeat_of(trials_.trials[i]) != round) continue;
        if (auto fine = check_interrupt(); !fine) return fine.error();
        if (auto ran = one(trials_.trials[i]); !ran) return ran.error();
      }
    return progress_;
  }

 private:
  std::uint32_t repeat_of(const Trial& trial) const { return done_[*trial.configurations.front()]; }

  Result<void> one(const Trial& trial) {
    const std::uint32_t repeat = repeat_of(trial);
    const auto together = run_together(trial.sides, options_.directory, options_.watched);
    // A run that Ctrl-C ended says nothing.
    if (!together && together.error().code() == Errc::interrupted) return together.error();
    auto rows =
        together ? rows_of(trial, *together) : failed_rows(trial, together.error(), Clock::wall().count);
    for (campaign::RunRow& row : rows) {
      row.machine = options_.machine;
      row.repeat = repeat;
      ++done_[static_cast<std::size_t>(row.configuration)];
    }
    if (const auto added = store_.add_runs(number_, rows); !added) return added.error();
    count(together ? rows.front().state : campaign::RunState::failed,
          together ? rows.front().reason : together.error().text());
    failures_in_a_row_ = together ? 0 : failures_in_a_row_ + 1;
    if (failures_in_a_row_ >= kFailuresInARow) return together.error();
    return {};
  }

  void count(campaign::RunState state, const std::string& reason) {
    ++progress_.done;
    if (state == campaign::RunState::failed && ++progress_.failed == 1) progress_.first_failure = reason;
    if (state == campaign::RunState::disturbed && ++progress_.disturbed == 1)
      progress_.first_disturbance = reason;
    tell_(progress_);
  }

  campaign::Store& store_;
  std::int64_t number_;
  const RunOptions& options_;
  const std::function<void(const Progress&)>& tell_;
  std::uint32_t runs_;
  std::uint64_t seed_;
  Trials trials_;
  std::vector<std::uint32_t> done_;  // by configuration
  Progress progress_;
  std::uint32_t failures_in_a_row_ = 0;
};

}  // namespace

Result<std::int64_t> add_campaign(campaign::Store& store, const Experiment& experiment,
                                  const std::filesystem::path& directory) {
  campaign::CampaignFacts facts;
  facts.name = experiment.name;
  facts.kind = "interference";
  facts.grid = to_json(experiment).dump();
  facts.seed = experiment.seed;
  facts.runs = experiment.runs;
  facts.environment = campaign::capture_environment(directory);
  facts.factors = factor_names();
  return store.add_campaign(facts, trials_of(experiment).configurations);
}

Result<Progress> run_experiment(campaign::Store& store, std::int64_t number, const Experiment& experiment,
                                const RunOptions& options, const std::function<void(const Progress&)>& tell) {
  return Session(store, number, experiment, options, tell).run();
}

}  // namespace weir::interference
