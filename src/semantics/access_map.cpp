#include "semantics/access_map.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace weir::semantics {
namespace {

std::vector<const File*> biggest(const Accesses& accesses, std::size_t most) {
  std::vector<const File*> files;
  for (const File& file : accesses.files)
    if (!file.accesses.empty()) files.push_back(&file);
  std::stable_sort(files.begin(), files.end(), [](const File* a, const File* b) {
    return a->read_bytes + a->written_bytes > b->read_bytes + b->written_bytes;
  });
  if (files.size() > most) files.resize(most);
  return files;
}

bool counts(const Access& access) {
  return access.end > access.begin && (access.flags & (Access::kTruncates | Access::kMissed)) == 0;
}

// A cell while it grows. Processes may take turns, so each has its sum until the end; accesses mostly come
// process by process.
struct Growing {
  AccessMap::Cell cell;  // with the process at hand
  std::uint64_t bytes = 0;
  std::map<std::uint32_t, std::uint64_t> bytes_of;  // by process: those before it

  void add(std::uint32_t process, std::uint64_t more) {
    if (process != cell.process) {
      put_by();
      cell.process = process;
    }
    bytes += more;
  }
  void put_by() {
    if (bytes > 0) bytes_of[cell.process] += bytes;
    bytes = 0;
  }
  std::uint32_t busiest() {
    put_by();
    return std::max_element(bytes_of.begin(), bytes_of.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
};

// The range that accesses cover; false where there are none.
bool measure(const File& file, AccessMap& map, const AccessMapOptions& options) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  std::int64_t size = 0;
  for (const Access& access : file.accesses) {
    if (!counts(access)) continue;
    first = std::min(first, access.start_ns);
    last = std::max(last, access.start_ns);
    size = std::max(size, access.end);
  }
  if (size == 0) return false;
  map.begin_ns = first;
  map.time_bin_ns = (last - first) / static_cast<std::int64_t>(options.time_bins) + 1;
  map.offset_bin_bytes = (size - 1) / static_cast<std::int64_t>(options.offset_bins) + 1;
  map.time_bins = static_cast<std::size_t>((last - first) / map.time_bin_ns + 1);
  map.offset_bins = static_cast<std::size_t>((size - 1) / map.offset_bin_bytes + 1);
  return true;
}

AccessMap map_of(const File& file, const AccessMapOptions& options) {
  AccessMap map;
  map.name = file.name;
  map.readers = file.readers;
  map.writers = file.writers;
  map.accesses = file.accesses.size();
  if (!measure(file, map, options)) return map;
  std::vector<Growing> grid(map.time_bins * map.offset_bins);
  for (const Access& access : file.accesses) {
    if (!counts(access)) continue;
    const auto time = static_cast<std::size_t>((access.start_ns - map.begin_ns) / map.time_bin_ns);
    const std::int64_t first = access.begin / map.offset_bin_bytes;
    const std::int64_t last = (access.end - 1) / map.offset_bin_bytes;
    for (std::int64_t bin = first; bin <= last; ++bin) {
      const std::int64_t from = std::max(access.begin, bin * map.offset_bin_bytes);
      const auto bytes =
          static_cast<std::uint64_t>(std::min(access.end, (bin + 1) * map.offset_bin_bytes) - from);
      Growing& place = grid[time * map.offset_bins + static_cast<std::size_t>(bin)];
      ++place.cell.accesses;
      (access.writes() ? place.cell.written_bytes : place.cell.read_bytes) += bytes;
      place.add(file.members[access.member].process, bytes);
    }
  }
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (grid[i].cell.accesses == 0) continue;
    AccessMap::Cell cell = grid[i].cell;
    cell.time = static_cast<std::uint32_t>(i / map.offset_bins);
    cell.offset = static_cast<std::uint32_t>(i % map.offset_bins);
    cell.process = grid[i].busiest();
    map.cells.push_back(cell);
  }
  return map;
}

}  // namespace

std::vector<AccessMap> access_maps(const Accesses& accesses, const AccessMapOptions& options) {
  std::vector<AccessMap> maps;
  for (const File* const file : biggest(accesses, options.files)) maps.push_back(map_of(*file, options));
  return maps;
}

}  // namespace weir::semantics
