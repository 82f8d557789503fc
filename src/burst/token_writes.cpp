#include "burst/token_writes.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "burst/lock_seats.hpp"

namespace weir::burst {
namespace {

struct Write {
  std::uint64_t client = 0;
  lock::DirtyRecord record;
};

Result<void> read_ring(const std::filesystem::path& path, std::uint64_t client,
                       std::map<FileId, std::vector<Write>>& writes) {
  const auto memory = SharedMemory::open_to_read(path);
  if (!memory) return memory.error();
  const auto ring = open_ring_of(memory->bytes());
  if (!ring) return ring.error().in(path.string());
  // Its client may still wait for the server: no more than there was room for.
  const std::uint64_t begin = ring->begin();
  const std::uint64_t end = std::min(ring->end(), begin + ring->capacity());
  for (std::uint64_t place = begin; place < end; ++place) {
    const lock::DirtyRecord record = ring->at(place);
    if (record.file != 0 && is_sane({record.begin, record.length, record.position, record.segment}))
      writes[{record.file}].push_back({client, record});
  }
  return {};
}

}  // namespace

void publish_token_writes(const FoundBuffer& buffer, const Job& job, std::span<ShardState> owners,
                          std::vector<std::string>& problems) {
  for (std::uint32_t worker = 0; worker < job.workers; ++worker) {
    std::map<FileId, std::vector<Write>> writes;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(locks_of(buffer.server, worker), ignored)) {
      const auto client = client_of_ring(entry.path().filename().string());
      if (!client) continue;
      if (auto read = read_ring(entry.path(), *client, writes); !read)
        problems.push_back(
            fmt::format("{}; what client {} wrote under tokens is unknown", read.error().text(), *client));
    }
    for (auto& [file, of_file] : writes) {
      const auto owner =
          std::ranges::find_if(owners, [&](const ShardState& one) { return one.find(file) != nullptr; });
      if (owner == owners.end()) continue;  // the file is gone, or its owner's journal is not here
      // The order of a node's writes is that of their tickets.
      std::ranges::stable_sort(of_file, {}, [](const Write& one) { return one.record.ticket; });
      for (const auto& [client, record] : of_file)
        owner->apply(Published{.file = file,
                               .node = buffer.facts.server,
                               .client = client,
                               .version = owner->find(file)->version + 1,
                               .time_ns = Clock::wall().count,
                               .pieces = {{record.begin, record.length, record.position, record.segment}}});
    }
  }
}

}  // namespace weir::burst
