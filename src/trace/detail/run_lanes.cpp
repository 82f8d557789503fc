#include "trace/detail/run_lanes.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weir::trace::detail {

namespace fs = std::filesystem;
using live::HeaderWord;

namespace {

Result<RunLane> look_at(const fs::path& path) {
  const auto file = LaneFile::open(path);
  if (!file) return file.error();
  return RunLane{path, file->header(), file->file_bytes()};
}

}  // namespace

std::string name_of_process(std::uint64_t start_tick, std::uint64_t process) {
  return fmt::format("{:016x}-{}", start_tick, process);
}

Result<std::vector<RunLane>> find_lanes(const fs::path& directory, std::vector<std::string>& warnings) {
  std::vector<RunLane> lanes;
  std::error_code failed;
  const fs::path folder = directory / live::kFolder;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != live::kSuffix) continue;
    auto lane = look_at(entry.path());
    if (!lane) {
      warnings.push_back(lane.error().text());
      continue;
    }
    if (lane->header[HeaderWord::calls] != live::kCallTable)
      return Error{Errc::unsupported, "was recorded by another build of Weir, whose calls have other numbers"}
          .in(entry.path().string())
          .with_remedy("merge it with the weir that traced it");
    lanes.push_back(std::move(*lane));
  }
  if (failed)
    return Error{Errc::not_found, "holds nothing to merge: there is no folder 'live'"}
        .in(directory.string())
        .with_remedy("give the directory that 'weir trace --out' wrote");
  std::sort(lanes.begin(), lanes.end(), [](const RunLane& a, const RunLane& b) { return a.key() < b.key(); });
  std::sort(warnings.begin(), warnings.end());
  return lanes;
}

Result<std::vector<RunLane>> find_lanes_of(const fs::path& directory, std::uint64_t start_tick,
                                           std::uint64_t process) {
  std::vector<RunLane> lanes;
  const fs::path folder = directory / live::kFolder;
  const std::string name = name_of_process(start_tick, process);
  std::error_code failed;
  for (std::uint64_t number = 0;; ++number) {
    const fs::path path = folder / fmt::format("{}-{}{}", name, number, live::kSuffix);
    if (!fs::exists(path, failed)) return lanes;
    auto lane = look_at(path);
    if (!lane) return lane.error();
    lanes.push_back(std::move(*lane));
  }
}

std::vector<std::span<const RunLane>> by_process(std::span<const RunLane> lanes) {
  std::vector<std::span<const RunLane>> processes;
  while (!lanes.empty()) {
    std::size_t count = 1;
    while (count < lanes.size() && lanes[count].start_tick() == lanes[0].start_tick() &&
           lanes[count].process() == lanes[0].process())
      ++count;
    processes.push_back(lanes.first(count));
    lanes = lanes.subspan(count);
  }
  return processes;
}

}  // namespace weir::trace::detail
