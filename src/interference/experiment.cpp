#include "interference/experiment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.hpp"

namespace weir::interference {
namespace {

Side probe_side(const Experiment& experiment, std::size_t load, const Setting& setting) {
  Side side;
  side.load = experiment.loads[load];
  side.chunk = setting.chunk;
  side.processes = setting.processes;
  side.layout = setting.layout;
  return side;
}

Side signal_side(const Experiment& experiment, std::size_t load, const Setting& setting) {
  Side side = probe_side(experiment, load, setting);
  side.chunk = setting.signal_chunk;
  side.processes = setting.signal_processes;
  if (!side.load.is_command()) side.duty = setting.signal_duty;  // nobody puts a command to sleep
  if (side.duty < 1) side.period = experiment.period;
  return side;
}

campaign::Levels levels_of(const Side& probe, const Side* signal) {
  return {probe.load.name,
          signal == nullptr ? std::string(kAlone) : signal->load.name,
          fmt::to_string(probe.chunk.count),
          fmt::to_string(signal == nullptr ? 0 : signal->chunk.count),
          fmt::to_string(probe.processes),
          fmt::to_string(signal == nullptr ? 0 : signal->processes),
          std::string(workload::name(probe.layout)),
          fmt::to_string(signal == nullptr ? 1.0 : signal->duty)};
}

// Takes sizes from the experiment and collects configurations, each once.
class Collector {
 public:
  explicit Collector(const Experiment& experiment) : experiment_(experiment) {}

  void add(Side probe, Side signal) {
    signal.endless = !signal.load.is_command() && (signal.duty < 1 || probe.load.is_command());
    if (known_.contains(levels_of(probe, &signal))) return;
    Trial trial;
    trial.configurations.emplace_back(configuration(levels_of(probe, &signal)));
    add_alone(probe);
    // A periodic program has no throughput of its own to lose, one that was stopped did not finish, and a
    // command is measured beside a pattern that outlasts it.
    if (signal.endless || (signal.load.is_command() && !probe.load.is_command()))
      trial.configurations.emplace_back();
    else
      trial.configurations.emplace_back(configuration(levels_of(signal, &probe)));
    if (!signal.endless) add_alone(signal);
    trial.sides = {sized(std::move(probe)), sized(std::move(signal))};
    found_.trials.push_back(std::move(trial));
  }

  Trials take() { return std::move(found_); }

 private:
  std::size_t configuration(const campaign::Levels& levels) {
    const auto [at, fresh] = known_.try_emplace(levels, found_.configurations.size());
    if (fresh) found_.configurations.push_back(levels);
    return at->second;
  }

  void add_alone(Side side) {
    const campaign::Levels levels = levels_of(side, nullptr);
    if (known_.contains(levels)) return;
    Trial trial;
    trial.configurations.emplace_back(configuration(levels));
    trial.sides = {sized(std::move(side))};
    found_.trials.push_back(std::move(trial));
  }

  Side sized(Side side) const {
    if (const auto at = experiment_.sizes.find(size_key(side)); at != experiment_.sizes.end())
      side.size = at->second;
    return side;
  }

  const Experiment& experiment_;
  std::map<campaign::Levels, std::size_t> known_;
  Trials found_;
};

}  // namespace

const std::vector<std::string>& factor_names() {
  static const std::vector<std::string> names = {
      "probe",     "signal",           "chunk_bytes", "signal_chunk_bytes",
      "processes", "signal_processes", "layout",      "signal_duty"};
  return names;
}

std::vector<std::pair<std::size_t, std::size_t>> all_pairs(std::size_t loads) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t probe = 0; probe < loads; ++probe)
    for (std::size_t signal = 0; signal < loads; ++signal) pairs.emplace_back(probe, signal);
  return pairs;
}

std::string size_key(const Side& side) {
  return fmt::format("{} {} {} {}", side.load.name, side.chunk.count, side.processes,
                     workload::name(side.layout));
}

Trials trials_of(const Experiment& experiment) {
  Collector collector(experiment);
  for (const Setting& setting : experiment.settings)
    for (const auto& [probe, signal] : experiment.pairs)
      collector.add(probe_side(experiment, probe, setting), signal_side(experiment, signal, setting));
  return collector.take();
}

}  // namespace weir::interference
