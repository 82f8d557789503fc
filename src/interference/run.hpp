#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/store.hpp"
#include "campaign/watched.hpp"
#include "interference/experiment.hpp"

namespace weir::interference {

struct RunOptions {
  std::filesystem::path directory = ".";
  campaign::Watched::Options watched;
  std::string machine;
  Bytes room{std::uint64_t{2} << 30U};  // that the files of a run may take together
  std::filesystem::path counters;       // see Side; for all commands
};

struct Progress {
  std::uint64_t done = 0, planned = 0, failed = 0, disturbed = 0;  // runs, alone or together
  std::string first_failure, first_disturbance;
};

// Finds what each process has to move for a side to take the experiment's time alone, by trying. Never more
// than the room allows; a side that cannot have ten chunks in it is an Error.
Result<void> calibrate(Experiment& experiment, const RunOptions& options,
                       const std::function<void(std::size_t done, std::size_t of)>& tell);

// A new campaign (kind "interference") with all configurations of the experiment.
Result<std::int64_t> add_campaign(campaign::Store& store, const Experiment& experiment,
                                  const std::filesystem::path& directory);

// Runs round by round what is missing, in a random order of its own each round. A pair gives a row for each
// direction. A trial that fails is a row with its reason; three in a row end it, as does Ctrl-C, with an
// Error after everything was kept.
Result<Progress> run_experiment(campaign::Store& store, std::int64_t number, const Experiment& experiment,
                                const RunOptions& options, const std::function<void(const Progress&)>& tell);

}  // namespace weir::interference
