#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "interference/balance.hpp"

namespace weir::interference {

// On which target each process's file is: as many on each, or each wherever chance puts it.
enum class Placement { balanced, random };
std::string_view name(Placement placement);

// Processes that each write a file of their own, at the same time, on a storage of several targets.
struct PlacementStudy {
  std::vector<std::filesystem::path> targets;  // a directory on each
  std::uint32_t processes = 8;
  Bytes size{32U << 20U};  // of a file; flushed at its end
  Bytes chunk{1U << 20U};
  std::uint32_t runs = 9;  // of each placement
  std::uint64_t seed = 1;
  Nanoseconds slice{100'000'000};
  std::filesystem::path root = "/";  // of /proc and /sys
};

struct PlacedRun {
  Placement placement = Placement::balanced;
  std::vector<std::size_t> target_of;  // by process: a place in `targets`
  std::vector<double> process_s;       // in order of targets: from the common start to its end
  bool storage_seen = false;           // the courses are of the storage's counters, not of the programs
  Targets courses;                     // one a target, in their order
  Balance balance;
  bool disturbed = false;
  std::string reason;

  double slowest_s() const;
  double spread_s() const;  // from the first process that has ended to the last
};

// The files of a random placement: the same for the same seed and run.
std::vector<std::size_t> placed(Placement placement, std::uint32_t processes, std::size_t targets,
                                std::uint64_t seed, std::uint32_t run);

Result<PlacedRun> run_placed(const PlacementStudy& study, Placement placement, std::uint32_t run);

// All runs of one placement.
struct PlacementSummary {
  Placement placement = Placement::balanced;
  std::size_t runs = 0, disturbed = 0;  // that count, and that do not
  double runtime_s = 0, spread_s = 0;   // medians
  double tail_share = 0, imbalance = 0;
  std::vector<std::size_t> straggled;  // by target: runs in which it was a straggler
};
PlacementSummary summary_of(Placement placement, const std::vector<PlacedRun>& runs, bool disturbed_too);

Json to_json(const PlacedRun& run);

}  // namespace weir::interference
