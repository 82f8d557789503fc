#include "campaign/runner.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/log.hpp"
#include "campaign/detail/measure.hpp"
#include "campaign/schedule.hpp"
#include "campaign/settings.hpp"
#include "campaign/until.hpp"
#include "launch/process.hpp"

namespace weir::campaign {
namespace {

constexpr std::uint32_t kFailuresInARow = 20;

std::string with_level(std::string command, std::string_view level) {
  // The level is one word for the shell, whatever it holds.
  std::string quoted = "'";
  for (const char c : level) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  quoted += "'";
  for (std::size_t at = command.find("{}"); at != std::string::npos;
       at = command.find("{}", at + quoted.size()))
    command.replace(at, 2, quoted);
  return command;
}

// Brings the machine to a configuration: settings and the user's own commands, only where they change.
class Machinery {
 public:
  Machinery(const Plan& plan, const RunOptions& options, const std::filesystem::path& journal)
      : plan_(plan),
        settings_(options.root, plan.base.directory, journal),
        levels_(plan.grid.factors.size()) {}

  Result<void> check() const {
    for (const auto& [setting, level] : plan_.settings)
      if (const auto good = settings_.check(setting, level); !good) return good.error().in("[fixed]");
    for (std::size_t i = 0; i < plan_.grid.factors.size(); ++i) {
      if (plan_.kinds[i] != FactorKind::setting) continue;
      const Factor& factor = plan_.grid.factors[i];
      const auto setting = setting_named(factor.name);
      Configuration one(plan_.grid.factors.size());
      for (one[i] = 0; one[i] < factor.levels.size(); ++one[i])
        if (const auto good = settings_.check(*setting, levels_of(plan_.grid, one)[i]); !good)
          return good.error().in(factor.name);
    }
    return {};
  }

  Result<void> bring_to(const Configuration& configuration) {
    const Levels plainly = levels_of(plan_.grid, configuration);
    if (!fixed_set_) {
      for (const auto& [setting, level] : plan_.settings)
        if (const auto set = settings_.set(setting, level); !set) return set.error().in("[fixed]");
      fixed_set_ = true;
    }
    for (std::size_t i = 0; i < plan_.grid.factors.size(); ++i) {
      const Factor& factor = plan_.grid.factors[i];
      const std::string& level = factor.levels[configuration[i]].text;
      if (plan_.kinds[i] == FactorKind::job || levels_[i] == level) continue;
      levels_[i].reset();
      if (plan_.kinds[i] == FactorKind::setting) {
        if (const auto set = settings_.set(*setting_named(factor.name), plainly[i]); !set)
          return set.error().in(factor.name);
      } else if (const auto set = run_command(factor, level); !set) {
        return set.error();
      }
      levels_[i] = level;
    }
    return settings_.before_run();
  }

  Result<void> restore() { return settings_.restore(); }

 private:
  static Result<void> run_command(const Factor& factor, const std::string& level) {
    const std::string command = with_level(factor.command, level);
    const auto ended = launch::run_and_capture({"/bin/sh", "-c", command}, Nanoseconds(120'000'000'000));
    if (!ended) return ended.error().in(factor.name);
    if (ended->status == 0) return {};
    return Error{Errc::lacking, fmt::format("'{}' ended with {}: {}", command, ended->status, ended->output)}
        .in(factor.name);
  }

  const Plan& plan_;
  Settings settings_;
  std::vector<std::optional<std::string>> levels_;  // in force, by factor
  bool fixed_set_ = false;                          // plan_.settings
};

class Campaign {
 public:
  Campaign(Store& store, std::int64_t number, const Plan& plan, const RunOptions& options,
           const std::function<void(const Progress&, const RunRow*)>& tell)
      : store_(store),
        number_(number),
        plan_(plan),
        options_(options),
        tell_(tell),
        machinery_(plan, options, settings_journal(store.file())),
        began_(Clock::monotonic()) {}

  Result<CampaignEnd> run() {
    if (const auto old = restore_settings(settings_journal(store_.file())); !old) return old.error();
    if (const auto good = machinery_.check(); !good) return good.error();
    if (const auto read = read_state(); !read) return read.error();
    auto end = warm_up();
    if (end && end->why == CampaignEnd::Why::finished) end = rounds();
    const auto restored = machinery_.restore();
    if (!end) return end;
    if (!restored) return restored.error();
    end->progress = progress();
    return end;
  }

 private:
  Result<void> read_state() {
    auto done = store_.repeats_done(number_, options_.machine);
    if (!done) return done.error();
    done_ = *std::move(done);
    done_.resize(plan_.configurations.size());
    values_.resize(plan_.configurations.size());
    if (options_.until) {
      auto values = store_.throughputs(number_);
      if (!values) return values.error();
      values_ = *std::move(values);
      values_.resize(plan_.configurations.size());
    }
    wants_.resize(plan_.configurations.size());
    for (std::uint32_t c = 0; c < done_.size(); ++c) {
      all_done_ += done_[c];
      wants_[c] = wants_more(c);
      if (wants_[c]) missing_ += options_.runs - done_[c];
    }
    return {};
  }

  bool wants_more(std::uint32_t configuration) const {
    if (done_[configuration] >= options_.runs) return false;
    return !options_.until || !narrow_enough(values_[configuration], *options_.until, kFewestRuns);
  }

  void count_run(std::uint32_t configuration, const RunRow& row) {
    ++done_[configuration];
    ++all_done_;
    --missing_;
    if (options_.until && row.state == RunState::ok && row.throughput)
      values_[configuration].push_back(*row.throughput);
    wants_[configuration] = wants_more(configuration);
    if (!wants_[configuration]) missing_ -= options_.runs - done_[configuration];
    failed_ += row.state == RunState::failed ? 1 : 0;
    disturbed_ += row.state == RunState::disturbed ? 1 : 0;
    failures_in_a_row_ = row.state == RunState::failed ? failures_in_a_row_ + 1 : 0;
  }

  Progress progress() const {
    Progress now;
    now.done = all_done_;
    now.planned = all_done_ + missing_;
    now.failed = failed_;
    now.disturbed = disturbed_;
    now.spent = Nanoseconds(Clock::monotonic().count - began_.count);
    if (timed_ > 0)
      now.left = Nanoseconds(static_cast<std::int64_t>(
          static_cast<double>(in_runs_.count) / static_cast<double>(timed_) * static_cast<double>(missing_)));
    return now;
  }

  std::optional<CampaignEnd::Why> must_stop() const {
    if (interrupted()) return CampaignEnd::Why::interrupted;
    if (options_.budget && Clock::monotonic().count - began_.count >= options_.budget->count)
      return CampaignEnd::Why::out_of_time;
    return std::nullopt;
  }

  // Runs that nobody keeps: they warm caches and code, and tell how long a run takes.
  Result<CampaignEnd> warm_up() {
    const auto count = static_cast<std::uint32_t>(plan_.configurations.size());
    const auto order = order_of_round(count, plan_.grid.seed, ~0U);
    for (std::uint32_t i = 0; i < plan_.grid.warm_up; ++i) {
      const std::uint32_t configuration = order[i % count];
      if (!wants_[configuration]) continue;
      if (const auto why = must_stop()) return CampaignEnd{{}, *why, {}};
      if (const auto ready = machinery_.bring_to(plan_.configurations[configuration]); !ready)
        return ready.error();
      const Nanoseconds before = Clock::monotonic();
      (void)detail::measure(plan_.job(plan_.configurations[configuration]), options_);
      count_time(before);
    }
    tell_(progress(), nullptr);
    return CampaignEnd{};
  }

  void count_time(Nanoseconds before) {
    in_runs_ += Nanoseconds(Clock::monotonic().count - before.count);
    ++timed_;
  }

  Result<CampaignEnd> rounds() {
    const auto count = static_cast<std::uint32_t>(plan_.configurations.size());
    for (std::uint32_t round = 0; round < options_.runs; ++round) {
      if (std::ranges::none_of(done_, [round](std::uint32_t done) { return done <= round; })) continue;
      for (const std::uint32_t configuration : order_of_round(count, plan_.grid.seed, round)) {
        if (done_[configuration] != round || !wants_[configuration]) continue;
        if (const auto why = must_stop()) return CampaignEnd{{}, *why, {}};
        auto stopped = one_run(configuration);
        if (!stopped) return stopped.error();
        if (*stopped) return **std::move(stopped);
      }
    }
    return CampaignEnd{};
  }

  // A run and its row; an end where the campaign must not go on.
  Result<std::optional<CampaignEnd>> one_run(std::uint32_t configuration) {
    const Nanoseconds before = Clock::monotonic();
    if (const auto ready = machinery_.bring_to(plan_.configurations[configuration]); !ready)
      return ready.error();
    RunRow row = detail::measure(plan_.job(plan_.configurations[configuration]), options_);
    // A run that Ctrl-C ended says nothing of the storage.
    if (row.state == RunState::failed && interrupted())
      return std::optional(CampaignEnd{{}, CampaignEnd::Why::interrupted, {}});
    row.configuration = configuration;
    row.repeat = done_[configuration];
    row.machine = options_.machine;
    if (const auto added = store_.add_run(number_, row); !added) return added.error();
    count_run(configuration, row);
    if (plan_.grid.cool_down.count > 0)
      std::this_thread::sleep_for(std::chrono::nanoseconds(plan_.grid.cool_down.count));
    count_time(before);
    tell_(progress(), &row);
    if (row.state != RunState::failed) return std::optional<CampaignEnd>();
    const Error why = Error{Errc::io, row.reason}.in(plan_.label(plan_.configurations[configuration]));
    if (options_.stop_at_failure) return std::optional(CampaignEnd{{}, CampaignEnd::Why::failure, why});
    if (failures_in_a_row_ >= kFailuresInARow)
      return std::optional(
          CampaignEnd{{},
                      CampaignEnd::Why::failure,
                      why.in(fmt::format("{} runs failed one after the other", kFailuresInARow))});
    return std::optional<CampaignEnd>();
  }

  Store& store_;
  std::int64_t number_;
  const Plan& plan_;
  const RunOptions& options_;
  const std::function<void(const Progress&, const RunRow*)>& tell_;
  Machinery machinery_;
  Nanoseconds began_;
  std::vector<std::uint32_t> done_;  // runs, by configuration
  std::vector<bool> wants_;          // another run, by configuration
  std::uint64_t all_done_ = 0, missing_ = 0;
  std::vector<std::vector<double>> values_;  // only with `until`
  Nanoseconds in_runs_;
  std::uint64_t timed_ = 0, failed_ = 0, disturbed_ = 0;
  std::uint32_t failures_in_a_row_ = 0;
};

}  // namespace

Result<CampaignEnd> run_campaign(Store& store, std::int64_t campaign, const Plan& plan,
                                 const RunOptions& options,
                                 const std::function<void(const Progress&, const RunRow*)>& tell) {
  return Campaign(store, campaign, plan, options, tell).run();
}

}  // namespace weir::campaign
