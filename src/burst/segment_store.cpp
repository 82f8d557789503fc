#include "burst/segment_store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace weir::burst {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLargestSegment = std::uint64_t{1} << 30;

// Without a header. How many blocks a file has says nothing of it: some file systems give them out later.
bool is_unwritten(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kSegmentHeader> page{};
  ssize_t got = -1;
  do got = file ? ::pread(file.get(), page.data(), page.size(), 0) : -1;
  while (got < 0 && file && errno == EINTR);
  return got >= 0 && std::all_of(page.begin(), page.begin() + got, [](char byte) { return byte == 0; });
}

}  // namespace

std::optional<SegmentKey> segment_key(std::string_view name) {
  SegmentKey key;
  const char* const end = name.data() + name.size();
  const auto client = std::from_chars(name.data(), end, key.client);
  if (client.ec != std::errc{} || client.ptr == end || *client.ptr != '-') return std::nullopt;
  const auto number = std::from_chars(client.ptr + 1, end, key.number);
  if (number.ec != std::errc{} || number.ptr != end) return std::nullopt;
  return key;
}

SegmentStore::SegmentStore(const Job& job, std::uint32_t node)
    : job_(job), node_(node), buffer_(segments_of(job.servers[node])), spill_(spill_of(job, node)) {
  find(buffer_, false);
  find(spill_, true);
}

void SegmentStore::find(const std::filesystem::path& folder, bool spilled) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const auto key = segment_key(entry.path().filename().string());
    if (!key) continue;
    struct stat facts {};
    if (::stat(entry.path().c_str(), &facts) != 0) continue;
    // A server died while it made this one: nobody was told of it.
    if (is_unwritten(entry.path()) && ::unlink(entry.path().c_str()) == 0) continue;
    add(*key, {static_cast<std::uint64_t>(facts.st_size), spilled});
  }
}

void SegmentStore::add(SegmentKey key, Row row) {
  rows_[key] = row;
  ++counts_.segments;
  (row.spilled ? counts_.spilled_bytes : counts_.buffered_bytes) += row.bytes;
}

std::filesystem::path SegmentStore::path_of(SegmentKey key, bool spilled) const {
  return (spilled ? spill_ : buffer_) / segment_name(key.client, key.number);
}

Outcome<GrantedSegment> SegmentStore::make(std::uint64_t client, std::uint32_t number, std::uint64_t bytes) {
  bytes = std::clamp(bytes, kSmallestSegment, kLargestSegment);
  const std::uint64_t quota = job_.quota_bytes;
  // Small enough that several clients have room, and that space comes back in parts.
  if (quota != 0) bytes = std::clamp(quota / 8 / kPage * kPage, kSmallestSegment, bytes);
  {
    const std::lock_guard lock(mutex_);
    if (const auto before = rows_.find({client, number}); before != rows_.end())
      return {0, {path_of(before->first, before->second.spilled).string(), before->second.bytes}};
    if (quota != 0 && counts_.buffered_bytes + bytes > quota) return {ENOSPC, {}};
  }
  return create({.job = job_.id, .node = node_, .number = number, .client = client, .bytes = bytes}, false);
}

Outcome<GrantedSegment> SegmentStore::spill(std::uint64_t client, std::uint32_t number, std::uint64_t bytes) {
  bytes = std::clamp(bytes, kSmallestSegment, kLargestSegment);
  return create({.job = job_.id, .node = node_, .number = number, .client = client, .bytes = bytes}, true);
}

Outcome<GrantedSegment> SegmentStore::create(const SegmentHeader& header, bool spilled) {
  const SegmentKey key{header.client, header.number};
  const std::filesystem::path path = path_of(key, spilled);
  const int error = create_segment(path, header, Reserve::lazily);
  if (error != 0) return {error, {}};
  const std::lock_guard lock(mutex_);
  add(key, {header.bytes, spilled});
  return {0, {path.string(), header.bytes}};
}

std::vector<SegmentKey> SegmentStore::keys() const {
  const std::lock_guard lock(mutex_);
  std::vector<SegmentKey> keys;
  for (const auto& [key, row] : rows_) keys.push_back(key);
  return keys;
}

std::uint64_t SegmentStore::remove(std::span<const SegmentKey> keys) {
  std::uint64_t bytes = 0;
  for (const SegmentKey& key : keys) {
    Row row;
    {
      const std::lock_guard lock(mutex_);
      const auto found = rows_.find(key);
      if (found == rows_.end()) continue;
      row = found->second;
    }
    if (::unlink(path_of(key, row.spilled).c_str()) != 0 && errno != ENOENT) continue;
    const std::lock_guard lock(mutex_);
    rows_.erase(key);
    --counts_.segments;
    (row.spilled ? counts_.spilled_bytes : counts_.buffered_bytes) -= row.bytes;
    counts_.freed_bytes += row.bytes;
    bytes += row.bytes;
  }
  return bytes;
}

bool SegmentStore::is_nearly_full() const {
  if (job_.quota_bytes != 0) {
    const std::lock_guard lock(mutex_);
    return counts_.buffered_bytes > job_.quota_bytes / 4 * 3;
  }
  struct statvfs facts {};
  return ::statvfs(buffer_.c_str(), &facts) == 0 && facts.f_bavail < facts.f_blocks / 8;
}

SegmentStore::Counts SegmentStore::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::filesystem::path life_of(const JobServer& server, std::uint64_t client) {
  return segments_of(server) / fmt::format("{}.lives", client);
}

UniqueFd hold_life(const JobServer& server, std::uint64_t client) {
  UniqueFd file(::open(life_of(server, client).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  // An agent that looks has it for an instant.
  while (file && ::flock(file.get(), LOCK_SH) != 0 && errno == EINTR) {
  }
  return file;
}

bool holder_lives(const JobServer& server, std::uint64_t client) {
  const UniqueFd file(::open(life_of(server, client).c_str(), O_RDWR | O_CLOEXEC));
  if (!file) return errno != ENOENT;
  return ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

}  // namespace weir::burst
