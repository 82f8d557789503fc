#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/store.hpp"
#include "interference/load.hpp"

namespace weir::interference {

// What varies in a sweep besides the two programs.
struct Setting {
  Bytes chunk{1U << 20U}, signal_chunk{1U << 20U};
  std::uint32_t processes = 2, signal_processes = 2;
  workload::Layout layout = workload::Layout::per_worker;
  double signal_duty = 1;
};

// Which programs are measured beside which, under which settings.
struct Experiment {
  std::string name = "interference";
  std::vector<Load> loads;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // probe, signal: places in `loads`
  std::vector<Setting> settings;
  Nanoseconds period{2'000'000'000};  // of signals with a duty below 1
  Nanoseconds time{4'000'000'000};    // that a pattern alone should take
  std::optional<Bytes> size;          // that a process moves; calibrated to `time` without
  std::uint32_t runs = 9;
  std::uint64_t seed = 1;
  // What a process of each side moves, once known: by name, chunk, processes and layout of the side.
  std::map<std::string, Bytes> sizes;
};

// All ordered pairs of the loads: the source's matrix.
std::vector<std::pair<std::size_t, std::size_t>> all_pairs(std::size_t loads);

// What a campaign keeps of an experiment, sizes included.
Json to_json(const Experiment& experiment);
Result<Experiment> experiment_from_json(const Json& json);

// A configuration as the store has it. "none" as the signal: the probe alone.
inline constexpr const char* kAlone = "none";
const std::vector<std::string>& factor_names();

// Sides that run together, and the configuration whose probe each of them is; none for a signal that only
// disturbs.
struct Trial {
  std::vector<Side> sides;
  std::vector<std::optional<std::size_t>> configurations;
};
struct Trials {
  std::vector<campaign::Levels> configurations;
  std::vector<Trial> trials;
};
// Every pair under every setting, and every program alone as each of its pairs has it. Two patterns or two
// commands that go to their end give both directions at once; a signal that is periodic, or a pattern beside
// a command, goes on until the probe has ended, and only the probe is measured, as is a pattern beside a
// command. A configuration belongs to one trial.
Trials trials_of(const Experiment& experiment);

// What Experiment::sizes calls a side.
std::string size_key(const Side& side);

}  // namespace weir::interference
