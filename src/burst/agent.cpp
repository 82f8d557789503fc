#include "burst/agent.hpp"

#include <cerrno>

#include "burst/write_out.hpp"

namespace weir::burst {

Agent::Agent(const Job& job, std::uint32_t number, const Backing& backing)
    : backing_(backing),
      store_(job, number),
      segments_({segments_of(job.servers[number]), spill_of(job, number)}, {.maps = false, .kept = 256}) {}

void Agent::remove(std::vector<SegmentKey> segments, std::function<void(std::uint64_t)> done) {
  threads_.run([this, segments = std::move(segments), done = std::move(done)] {
    for (const SegmentKey& key : segments) segments_.forget(key.client, key.number);
    done(store_.remove(segments));
  });
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

// Those of one file one after the other, in the order in which they came: an older one that was asked for
// twice never writes over a newer one.
void Agent::write_back(WriteBack request, std::function<void(Outcome<Flushed>)> done) {
  const std::string path = request.path;
  threads_.run_in_turn(
      path, [this, request = std::move(request), done = std::move(done)] { done(write_back_now(request)); });
}

Outcome<Flushed> Agent::write_back_now(const WriteBack& request) {
  if (!is_clean_path(request.path)) return {EINVAL, {}};
  const FileToWrite file{
      .path = request.path, .attributes = request.attributes, .in_backing = request.in_backing};
  if (const int error = write_out(backing_, file, request.extents, segments_); error != 0) return {error, {}};
  Flushed flushed;
  for (const Extent& extent : request.extents) flushed.bytes += extent.bytes.size();
  written_back_ += flushed.bytes;
  return {0, flushed};
}

Agent::Counts Agent::counts() const {
  return {.fetched_bytes = fetched_, .written_back_bytes = written_back_};
}

}  // namespace weir::burst
