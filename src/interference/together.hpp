#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/store.hpp"
#include "campaign/watched.hpp"
#include "interference/course.hpp"
#include "interference/load.hpp"

namespace weir::interference {

// The source's rule: throughput counts up to the moment when the first program has written this share of its
// data. After it come the stragglers, which say more of the servers' balance than of interference.
inline constexpr double kCountedShare = 0.9;
// Of a probe's work, the least that a signal must cover for the run to count.
inline constexpr double kLeastCovered = 0.2;

struct SideResult {
  Course course;
  double rate = 0;        // per second in the counted time
  double rate_whole = 0;  // over its own whole time
  // Files closed a second in the counted time, where a command's were counted. They stand for bytes where
  // none were seen.
  std::optional<double> files_rate;
  double whole_s = 0;
  std::vector<double> worker_s;  // of a pattern: when each of its processes had ended
  std::optional<Bytes> cached;   // not yet on the storage at its end
};

// Sides that ran at the same time, begun together. One side alone is measured the same way.
struct Together {
  double counted_s = 0;  // the source's rule
  std::vector<SideResult> sides;
  campaign::RunRow row;  // state, reason, monitors, notes; throughputs are the first side's
};

// A side that fails is an Error that names it, as is one that ends before it has covered the others enough.
Result<Together> run_together(std::span<const Side> sides, const std::filesystem::path& directory,
                              const campaign::Watched::Options& watched);

}  // namespace weir::interference
