#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/plan.hpp"
#include "campaign/store.hpp"
#include "monitor/watch.hpp"

namespace weir::campaign {

struct RunOptions {
  std::uint32_t runs = 30;      // of each configuration; with `until` the most
  std::optional<double> until;  // stop a configuration whose median is known to this share, after kFewestRuns
  std::optional<Nanoseconds> budget;
  bool stop_at_failure = false;
  bool monitors = true;
  monitor::Limits limits;
  std::string machine;                // names this machine's rows
  std::string mpi = "openmpi";        // which weir-rank-* runs jobs of MPI ranks
  std::vector<std::string> launcher;  // starts them: {"mpirun"}, {"srun"}; empty: the one of `mpi`
  std::filesystem::path root = "/";   // of /proc and /sys; another in tests
};

// No configuration is stopped early with fewer runs.
inline constexpr std::uint32_t kFewestRuns = 30;

// How far a campaign is.
struct Progress {
  std::uint64_t done = 0;  // runs in the store, of this machine
  std::uint64_t planned = 0;
  std::uint64_t failed = 0;  // in this session
  std::uint64_t disturbed = 0;
  Nanoseconds spent;  // in this session
  // For what is left, from the runs so far; nothing before the first.
  std::optional<Nanoseconds> left;
};

struct CampaignEnd {
  Progress progress;
  enum class Why { finished, interrupted, out_of_time, failure } why = Why::finished;
  std::optional<Error> failure;  // that stopped it
};

// Runs what is still missing, round by round (docs/design/0009), one transaction a run. A failed run is a row
// with its reason. Settings are restored at the end, however it comes.
Result<CampaignEnd> run_campaign(Store& store, std::int64_t campaign, const Plan& plan,
                                 const RunOptions& options,
                                 const std::function<void(const Progress&, const RunRow*)>& tell);

}  // namespace weir::campaign
