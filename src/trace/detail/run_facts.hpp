#pragma once

#include <cstdint>
#include <filesystem>

#include "trace/merge.hpp"

namespace weir::trace::detail {

// Fills in what the options leave open from what write_run_facts() left.
void read_run_facts(const std::filesystem::path& directory, MergeOptions& options);
// Calls of threads that had no lane.
std::uint64_t losses_without_lane(const std::filesystem::path& directory);

}  // namespace weir::trace::detail
