#include "burst/unpublished.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "burst/segment_store.hpp"

namespace weir::burst {
namespace {

using SpansBySegment = std::map<SegmentKey, std::vector<Span>>;

SpansBySegment places_of(std::uint32_t node, std::span<const ShardState> owners) {
  SpansBySegment places;
  for (const ShardState& owner : owners)
    for (const auto& [id, file] : owner.files())
      file.published.for_each([&](Span bytes, const Place& place) {
        if (place.node == node)
          places[{place.client, place.segment}].push_back({place.position, place.position + bytes.size()});
      });
  for (auto& [key, spans] : places) std::ranges::sort(spans, {}, &Span::begin);
  return places;
}

// From the first byte that is not zero to the last.
std::uint64_t bytes_written(int fd, Span gap) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
  std::vector<std::byte> buffer(std::min(kStep, gap.size()));
  std::uint64_t first = gap.end;
  std::uint64_t last = gap.begin;
  for (std::uint64_t at = gap.begin; at < gap.end;) {
    const ssize_t got = ::pread(fd, buffer.data(), std::min<std::uint64_t>(buffer.size(), gap.end - at),
                                static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[static_cast<std::size_t>(i)] == std::byte{0}) continue;
      first = std::min(first, at + static_cast<std::uint64_t>(i));
      last = at + static_cast<std::uint64_t>(i) + 1;
    }
    at += static_cast<std::uint64_t>(got);
  }
  return first < last ? last - first : 0;
}

std::uint64_t outside(int fd, const std::vector<Span>& places) {
  const off_t size = ::lseek(fd, 0, SEEK_END);
  std::uint64_t bytes = 0;
  std::uint64_t at = kSegmentHeader;
  const auto look = [&](std::uint64_t end) {
    // Holes of the file are passed over.
    while (at < end) {
      const off_t data = ::lseek(fd, static_cast<off_t>(at), SEEK_DATA);
      if (data < 0 || static_cast<std::uint64_t>(data) >= end) break;
      const off_t hole = ::lseek(fd, data, SEEK_HOLE);
      const Span gap{static_cast<std::uint64_t>(data), std::min(end, static_cast<std::uint64_t>(hole))};
      bytes += bytes_written(fd, gap);
      at = gap.end;
    }
    at = end;
  };
  for (const Span& place : places) {
    if (place.begin > at) look(place.begin);
    at = std::max(at, place.end);
  }
  if (size > 0) look(static_cast<std::uint64_t>(size));
  return bytes;
}

}  // namespace

std::map<std::uint64_t, std::uint64_t> unpublished_in(const FoundBuffer& buffer, const Job& job,
                                                      std::span<const ShardState> owners) {
  const SpansBySegment places = places_of(buffer.facts.server, owners);
  std::map<std::uint64_t, std::uint64_t> by_client;
  for (const auto& folder : {segments_of(buffer.server), spill_of(job, buffer.facts.server)}) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      const auto key = segment_key(entry.path().filename().string());
      const UniqueFd fd(key ? ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC) : -1);
      if (!fd) continue;
      const auto known = places.find(*key);
      const std::uint64_t bytes =
          outside(fd.get(), known == places.end() ? std::vector<Span>{} : known->second);
      if (bytes > 0) by_client[key->client] += bytes;
    }
  }
  return by_client;
}

}  // namespace weir::burst
