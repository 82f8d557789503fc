#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "trace/lane_file.hpp"

namespace weir::trace::detail {

// A lane of a run as its first page tells of it.
struct RunLane {
  std::filesystem::path path;
  LaneHeader header;
  std::uint64_t bytes = 0;

  std::uint64_t start_tick() const { return header[live::HeaderWord::start_tick]; }
  std::uint64_t process() const { return header[live::HeaderWord::process]; }
  std::uint64_t number() const { return header[live::HeaderWord::lane]; }
  auto key() const { return std::tuple(start_tick(), process(), number()); }
};

// The beginning of the names of a process's files.
std::string name_of_process(std::uint64_t start_tick, std::uint64_t process);

// All lanes of a run, in the order of their processes and numbers; those that cannot be read are warnings.
Result<std::vector<RunLane>> find_lanes(const std::filesystem::path& directory,
                                        std::vector<std::string>& warnings);
// Those of one process, found by their names.
Result<std::vector<RunLane>> find_lanes_of(const std::filesystem::path& directory, std::uint64_t start_tick,
                                           std::uint64_t process);

// The lanes of one process stand together.
std::vector<std::span<const RunLane>> by_process(std::span<const RunLane> lanes);

}  // namespace weir::trace::detail
