#include "burst/agent.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace weir::burst {
namespace {

// As much as is read at once on the way to the backing directory.
constexpr std::uint64_t kStep = std::uint64_t{4} << 20;
constexpr std::uint64_t kLargestSegment = std::uint64_t{1} << 30;

int write_at(int fd, ByteSpan bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

}  // namespace

Agent::Agent(const Job& job, std::uint32_t number, const Backing& backing)
    : job_(job),
      number_(number),
      backing_(backing),
      segments_({segments_of(job.servers[number]), spill_of(job, number)}, {.maps = false, .kept = 256}) {}

Outcome<GrantedSegment> Agent::grant(std::uint64_t client, const GrantSegment& request) {
  const SegmentHeader header{.job = job_.id,
                             .node = number_,
                             .number = static_cast<std::uint32_t>(request.number),
                             .client = client,
                             .bytes = std::clamp(request.bytes, kSmallestSegment, kLargestSegment)};
  const std::string name = segment_name(client, header.number);
  if (job_.quota_bytes == 0 || buffered_ + header.bytes <= job_.quota_bytes) {
    auto granted = make_segment(segments_of(job_.servers[number_]) / name, header, buffered_);
    if (granted || granted.error != ENOSPC) return granted;
  }
  if (job_.when_full == WhenFull::fail) return {ENOSPC, {}};
  return make_segment(spill_of(job_, number_) / name, header, spilled_);
}

Outcome<GrantedSegment> Agent::make_segment(const std::filesystem::path& path, const SegmentHeader& header,
                                            std::atomic<std::uint64_t>& bytes) {
  const int error = create_segment(path, header, Reserve::lazily);
  if (error == EEXIST) {
    // Granted before, and the answer was lost.
    const auto before = read_segment_header(path);
    if (!before || before->client != header.client) return {EIO, {}};
    return {0, {path.string(), before->bytes}};
  }
  if (error != 0) return {error, {}};
  bytes += header.bytes;
  ++granted_;
  return {0, {path.string(), header.bytes}};
}

Outcome<Content> Agent::fetch(const Fetch& request) {
  std::uint64_t total = 0;
  for (const Extent& extent : request.extents) {
    if (extent.bytes.empty() || extent.bytes.size() > transport::kLongestMessage - total)
      return {EMSGSIZE, {}};
    total += extent.bytes.size();
  }
  Content content;
  content.bytes.resize(total);
  std::span<std::byte> into(content.bytes);
  for (const Extent& extent : request.extents) {
    if (const int error = segments_.read(extent.where, into.first(extent.bytes.size())); error != 0)
      return {error, {}};
    into = into.subspan(extent.bytes.size());
  }
  fetched_ += total;
  return {0, std::move(content)};
}

void Agent::write_back(WriteBack request, std::function<void(Outcome<Flushed>)> done) {
  threads_.run(
      [this, request = std::move(request), done = std::move(done)] { done(write_back_now(request)); });
}

Outcome<Flushed> Agent::write_back_now(const WriteBack& request) {
  if (!is_clean_path(request.path)) return {EINVAL, {}};
  const UniqueFd file = backing_.open_file(request.path, O_WRONLY | O_CREAT, request.mode);
  if (!file) return {errno, {}};
  Flushed flushed;
  std::vector<std::byte> buffer(std::min<std::uint64_t>(kStep, request.size));
  for (Extent rest : request.extents) {
    while (!rest.bytes.empty()) {
      const auto part = std::span(buffer).first(std::min<std::uint64_t>(rest.bytes.size(), buffer.size()));
      if (part.empty()) return {EINVAL, {}};
      if (const int error = segments_.read(rest.where, part); error != 0) return {error, {}};
      if (const int error = write_at(file.get(), part, rest.bytes.begin); error != 0) return {error, {}};
      flushed.bytes += part.size();
      rest = {{rest.bytes.begin + part.size(), rest.bytes.end}, rest.where.at(part.size())};
    }
  }
  // A hole at the end has no extent that would make the file so long.
  const off_t end = ::lseek(file.get(), 0, SEEK_END);
  if (end >= 0 && static_cast<std::uint64_t>(end) < request.size &&
      ::ftruncate(file.get(), static_cast<off_t>(request.size)) != 0)
    return {errno, {}};
  if (::fsync(file.get()) != 0) return {errno, {}};
  written_back_ += flushed.bytes;
  return {0, flushed};
}

Agent::Counts Agent::counts() const {
  return {.buffered_bytes = buffered_,
          .spilled_bytes = spilled_,
          .segments = granted_,
          .fetched_bytes = fetched_,
          .written_back_bytes = written_back_};
}

}  // namespace weir::burst
