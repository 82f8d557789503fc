#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace/detail/partial.hpp"
#include "trace/detail/piece_store.hpp"
#include "trace/detail/run_lanes.hpp"
#include "trace/run_clock.hpp"

namespace weir::trace::detail {

// What was merged inside MPI_Finalize and still holds: the processes have recorded nothing since.
struct RunParts {
  std::vector<Partial> partials;                             // pieces as the store numbers them
  std::set<std::pair<std::uint64_t, std::uint64_t>> merged;  // start tick and number of their processes
};
RunParts take_parts(const std::filesystem::path& directory, const std::string& timing, const RunClock& clock,
                    std::span<const std::span<const RunLane>> processes, PieceStore& store);

}  // namespace weir::trace::detail
