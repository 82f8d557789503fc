#include <algorithm>

#include <fmt/format.h>

#include "base/json.hpp"
#include "interference/run.hpp"
#include "interference/together.hpp"

namespace weir::interference {
namespace {

constexpr std::uint64_t kFewestChunks = 10;  // below, nine tenths of the work are a matter of one chunk
constexpr std::uint64_t kMostChunks = 1'000'000;
constexpr Bytes kFirstTry{8U << 20U};
constexpr int kTries = 8;
constexpr double kFastestGrowth = 16;

Bytes whole_chunks(double size, Bytes chunk, std::uint64_t most) {
  const auto chunks = static_cast<std::uint64_t>(
      std::clamp(size / static_cast<double>(chunk.count), static_cast<double>(kFewestChunks),
                 static_cast<double>(std::max(most, kFewestChunks))));
  return Bytes(chunks * chunk.count);
}

// Chunks that a process may leave on the storage; two sides share the room.
Result<std::uint64_t> most_chunks(const Side& side, Bytes room) {
  using workload::Mode;
  if (side.load.job.mode == Mode::metadata || side.load.job.mode == Mode::write_seek) return kMostChunks;
  const std::uint64_t chunks = room.count / 2 / side.processes / side.chunk.count;
  if (chunks < kFewestChunks)
    return Error{Errc::too_big,
                 fmt::format("{} processes with {} chunks of {} do not fit into half of {}", side.processes,
                             kFewestChunks, format_bytes(side.chunk), format_bytes(room))}
        .in(side.load.name)
        .with_remedy("give more --room, or smaller chunks");
  return std::min(chunks, kMostChunks);
}

// Alone, in seconds.
Result<double> time_of(const Side& side, const RunOptions& options) {
  const auto tried = run_together({&side, 1}, options.directory,
                                  {.monitors = false, .limits = {}, .root = options.watched.root});
  if (!tried) return tried.error();
  return std::max(1e-4, tried->sides[0].whole_s);
}

Result<Bytes> find_size(Side side, double wanted_s, std::uint64_t most, const RunOptions& options) {
  const auto scaled = [&](double factor) {
    return whole_chunks(static_cast<double>(side.size.count) * factor, side.chunk, most);
  };
  side.size = whole_chunks(static_cast<double>(kFirstTry.count), side.chunk, most);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const auto took = time_of(side, options);
    if (!took) return took.error();
    const double factor = wanted_s / *took;
    const Bytes next = scaled(std::clamp(factor, 1 / kFastestGrowth, kFastestGrowth));
    if (next == side.size) return next;
    side.size = next;
    if (factor < 3 && factor > 1.0 / 3) break;
  }
  // A try that something held up would make all runs too short.
  const auto took = time_of(side, options);
  if (!took) return took.error();
  return scaled(std::max(1.0, wanted_s / *took));
}

}  // namespace

Result<void> calibrate(Experiment& experiment, const RunOptions& options,
                       const std::function<void(std::size_t, std::size_t)>& tell) {
  const Trials trials = trials_of(experiment);
  std::vector<Side> sides;
  for (const Trial& trial : trials.trials)
    for (Side side : trial.sides) {
      side.duty = 1;
      side.period = {};
      side.endless = false;
      const auto same = [&](const Side& other) { return size_key(other) == size_key(side); };
      if (!side.load.is_command() && !experiment.sizes.contains(size_key(side)) &&
          std::ranges::none_of(sides, same))
        sides.push_back(std::move(side));
    }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    tell(i, sides.size());
    const auto most = most_chunks(sides[i], options.room);
    if (!most) return most.error();
    auto size =
        experiment.size
            ? Result<Bytes>(whole_chunks(static_cast<double>(experiment.size->count), sides[i].chunk, *most))
            : find_size(sides[i], static_cast<double>(experiment.time.count) * 1e-9, *most, options);
    if (!size) return size.error();
    experiment.sizes[size_key(sides[i])] = *size;
  }
  return {};
}

}  // namespace weir::interference
