#include "burst/recovery.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "base/file.hpp"
#include "burst/journal.hpp"
#include "burst/segment_reader.hpp"
#include "burst/shard_state.hpp"
#include "burst/token_writes.hpp"
#include "burst/unpublished.hpp"
#include "burst/write_out.hpp"

namespace weir::burst {
namespace {

namespace fs = std::filesystem;

// The state of all owners whose journals are here.
struct Owners {
  std::vector<UniqueFd> locks;  // no server starts meanwhile
  std::vector<ShardState> states;
  bool all_here = true;
};

Result<void> lock_journal(const fs::path& path, std::uint32_t server, Owners& owners) {
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return {};
  if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return Error{Errc::usage, fmt::format("server {} of this job still runs", server)}
        .in(path.parent_path().string())
        .with_remedy("weir fs stop flushes and ends it");
  owners.locks.push_back(std::move(*fd));
  return {};
}

// Journals that cannot be read whole are used as far as they can.
void load_journal(const fs::path& path, std::uint32_t server, Owners& owners, Recovery& recovery) {
  ShardState state;
  std::uint64_t unknown = 0;
  const auto found = salvage_journal(path, [&](std::uint32_t type, ByteSpan body) {
    if (const auto change = decode_change(type, body))
      state.apply(*change);
    else
      ++unknown;
  });
  std::error_code error;
  if (!found && fs::exists(path, error) && fs::file_size(path, error) == 0) return;  // never used
  if (!found) {
    owners.all_here = false;
    recovery.problems.push_back(fmt::format("server {}: {}; what its clients published there is unknown",
                                            server, found.error().text()));
    return;
  }
  if (found->damaged_bytes != 0 || found->lost_records != 0 || unknown != 0) {
    owners.all_here = false;
    recovery.problems.push_back(fmt::format("{}: damaged at byte {}: {} records are whole, {} are lost",
                                            path.string(), found->first_damage, found->records - unknown,
                                            found->lost_records + unknown));
  }
  owners.states.push_back(std::move(state));
}

Result<Owners> load_owners(std::span<const FoundBuffer> buffers, Recovery& recovery) {
  Owners owners;
  const Job& job = buffers.front().facts.job;
  std::set<std::uint32_t> here;
  for (const FoundBuffer& buffer : buffers) here.insert(buffer.facts.server);
  for (std::uint32_t server = 0; server < job.servers.size(); ++server) {
    if (here.contains(server)) continue;
    owners.all_here = false;
    recovery.problems.push_back(fmt::format("the buffer of server {} ({}, {}) was not given", server,
                                            job.servers[server].host,
                                            job.servers[server].directory.string()));
    // It may run all the same, on this machine.
    for (std::uint32_t worker = 0; worker < job.workers; ++worker)
      if (auto locked = lock_journal(journal_of(job.servers[server], worker), server, owners); !locked)
        return locked.error();
  }
  for (const FoundBuffer& buffer : buffers)
    for (std::uint32_t worker = 0; worker < job.workers; ++worker) {
      const fs::path path = journal_of(buffer.server, worker);
      if (auto locked = lock_journal(path, buffer.facts.server, owners); !locked) return locked.error();
      load_journal(path, buffer.facts.server, owners, recovery);
    }
  return owners;
}

// Reads the segments that are here.
class Nodes {
 public:
  Nodes(std::span<const FoundBuffer> buffers, const Job& job) {
    std::error_code error;
    for (const FoundBuffer& buffer : buffers)
      if (fs::exists(segments_of(buffer.server), error))  // else only its journals were brought here
        readers_[buffer.facts.server] = std::make_unique<SegmentReader>(
            std::vector{segments_of(buffer.server), spill_of(job, buffer.facts.server)},
            SegmentReader::Options{.maps = false, .kept = 256});
    hosts_ = job.servers;
  }

  SegmentReader* find(std::uint32_t node) const {
    const auto found = readers_.find(node);
    return found == readers_.end() ? nullptr : found->second.get();
  }
  // Why the bytes are not to be had; empty when they are.
  std::string missing(const Extent& extent) const {
    SegmentReader* const reader = find(extent.where.node);
    if (reader == nullptr)
      return extent.where.node < hosts_.size()
                 ? fmt::format("in the buffer of server {} on {}, which was not given", extent.where.node,
                               hosts_[extent.where.node].host)
                 : fmt::format("in the buffer of server {}, which the job has not", extent.where.node);
    std::byte byte{};
    for (const std::uint64_t at : {std::uint64_t{0}, extent.bytes.size() - 1})
      if (const int error = reader->read(extent.where.at(at), std::span(&byte, 1)); error != 0)
        return fmt::format("segment {}-{} of server {} is {}", extent.where.client, extent.where.segment,
                           extent.where.node, error == ESTALE ? "gone" : "damaged");
    return {};
  }

 private:
  std::map<std::uint32_t, std::unique_ptr<SegmentReader>> readers_;
  std::vector<JobServer> hosts_;
};

// A server that died in the middle of a rename had renamed the file and not said so.
std::string path_of(FileId id, const FileState& file, const Owners& owners, const Backing& backing) {
  if (!file.in_backing || backing.stat(file.path)) return file.path;
  for (const ShardState& state : owners.states)
    for (const auto& [path, named] : state.names())
      if (named == id && backing.stat(path)) return path;
  return file.path;
}

RecoveredFile bring_out(const std::string& path, const FileState& file, const Nodes& nodes,
                        const Backing& backing, bool only_look) {
  RecoveredFile recovered{.path = path, .bytes = 0, .lost_bytes = 0, .why = {}, .write_error = 0};
  std::map<std::uint32_t, std::vector<Extent>> by_node;
  std::set<std::string> why;
  file.unflushed.for_each([&](Span bytes, const Place& place) {
    const std::string missing = nodes.missing({bytes, place});
    if (missing.empty()) {
      by_node[place.node].push_back({bytes, place});
      return;
    }
    recovered.lost_bytes += bytes.size();
    why.insert(missing);
  });
  recovered.why.assign(why.begin(), why.end());
  const FileToWrite to{.path = path, .attributes = file.attributes, .in_backing = file.in_backing};
  // One that nothing was written to must be there too.
  if (file.unflushed.empty() && !only_look) {
    SegmentReader none({});
    recovered.write_error = write_out(backing, to, {}, none);
  }
  for (const auto& [node, extents] : by_node) {
    if (!only_look && recovered.write_error == 0)
      recovered.write_error = write_out(backing, to, extents, *nodes.find(node));
    if (recovered.write_error != 0) break;
    for (const Extent& extent : extents) recovered.bytes += extent.bytes.size();
  }
  if (!only_look && recovered.write_error == 0)
    recovered.write_error = put_links(backing, path, file.other_names);
  return recovered;
}

}  // namespace

bool Recovery::is_complete() const {
  return is_written && problems.empty() &&
         std::ranges::all_of(files, [](const RecoveredFile& file) { return file.lost_bytes == 0; });
}

Result<Recovery> recover(std::span<const FoundBuffer> buffers, const RecoveryOptions& options) {
  Job job = buffers.front().facts.job;
  if (options.backing) job.backing = *options.backing;
  Recovery recovery;
  recovery.job = job.id;
  recovery.backing = job.backing;
  const auto backing = Backing::open(job.backing);
  if (!backing) return backing.error().with_remedy("--backing names it where it is now");
  auto owners = load_owners(buffers, recovery);
  if (!owners) return owners.error();
  for (const FoundBuffer& buffer : buffers)
    publish_token_writes(buffer, job, owners->states, recovery.problems);

  const Nodes nodes(buffers, job);
  for (const ShardState& state : owners->states)
    for (const auto& [id, file] : state.files()) {
      if (!file.named || (file.in_backing && file.unflushed.empty())) continue;
      recovery.files.push_back(
          bring_out(path_of(id, file, *owners, *backing), file, nodes, *backing, options.only_look));
      recovery.bytes += recovery.files.back().bytes;
      recovery.is_written = recovery.is_written && recovery.files.back().write_error == 0;
    }
  std::ranges::sort(recovery.files, {}, &RecoveredFile::path);
  // Without all journals nobody knows what was published.
  if (owners->all_here)
    for (const FoundBuffer& buffer : buffers)
      for (const auto& [client, bytes] : unpublished_in(buffer, job, owners->states))
        recovery.unpublished.push_back({buffer.facts.server, client, bytes});
  return recovery;
}

void remove_buffers(std::span<const FoundBuffer> buffers, const Recovery& recovery) {
  std::error_code ignored;
  for (const FoundBuffer& buffer : buffers) {
    Job job = buffer.facts.job;
    job.backing = recovery.backing;
    const fs::path spill = spill_of(job, buffer.facts.server);
    for (const fs::path& folder : {buffer.server.directory, spill}) {
      fs::remove_all(folder, ignored);
      fs::remove(folder.parent_path(), ignored);  // once it is empty
    }
  }
}

}  // namespace weir::burst
