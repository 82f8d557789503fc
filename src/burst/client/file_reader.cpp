#include "burst/client/file_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "burst/client/file_system.hpp"

namespace weir::burst {
namespace {

// What one message brings from another node.
constexpr std::uint64_t kLongestFetch = std::uint64_t{16} << 20;
// So many extents are mapped ahead at a time: all the while the file's mutex is held.
constexpr std::size_t kMostAhead = 512;

std::span<std::byte> part(std::span<std::byte> into, std::uint64_t offset, Span bytes) {
  return into.subspan(bytes.begin - offset, bytes.size());
}

}  // namespace

FileReader::Plan FileReader::plan(std::uint64_t length, std::uint64_t offset) {
  Plan plan;
  const std::lock_guard lock(file_.shared_->mutex);
  const std::uint64_t size = file_.size_locked();
  if (offset >= size) return plan;
  plan.bytes = std::min(length, size - offset);
  const Span bytes{offset, offset + plan.bytes};
  assign(bytes, plan);
  const Span next = file_.ahead_.after(bytes, size);
  if (file_.ahead_.has_read_whole()) system_.note_whole_read();
  if (!next.empty()) plan.ahead = look_ahead(next);
  return plan;
}

void FileReader::assign(Span bytes, Plan& plan) {
  for (const Piece& own : file_.shared_->mine.cover(bytes)) {
    if (own.where) {
      plan.buffered.push_back({own.bytes, *own.where});
      continue;
    }
    for (const Piece& seen : file_.seen_.cover(own.bytes)) {
      if (seen.where)
        plan.buffered.push_back({seen.bytes, *seen.where});
      else
        plan.holes.push_back(seen.bytes);
    }
  }
}

// Some of them may have been written over since by this process: mapping too much does no harm.
std::vector<Extent> FileReader::look_ahead(Span bytes) {
  std::vector<Extent> found;
  std::uint64_t end = bytes.end;
  for (const ExtentMap* const map : {&file_.shared_->mine, &file_.seen_}) {
    std::size_t left = kMostAhead;
    map->for_each_in(bytes, [&](Span part, const Place& where) {
      if (where.node == system_.node()) found.push_back({part, where});
      if (--left == 0) end = std::min(end, part.end);
      return left > 0;
    });
  }
  file_.ahead_.mapped_until(end);
  return found;
}

bool FileReader::expect() {
  std::vector<Extent> ahead;
  {
    const std::lock_guard lock(file_.shared_->mutex);
    ahead = look_ahead(ReadAhead::at_open(file_.size_locked()));
  }
  if (ahead.empty()) return false;
  system_.touch_soon(std::move(ahead));
  return true;
}

Transfer FileReader::read(std::span<std::byte> into, std::uint64_t offset, std::vector<Extent>* seen) {
  // A place may be gone when the bytes are wanted: its segment was freed because others have published over
  // it or it was written back. Then the owner knows a newer one.
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    Plan todo = plan(into.size(), offset);
    if (todo.bytes == 0) return {0, 0};
    const auto out = into.first(todo.bytes);
    if (!todo.ahead.empty()) system_.touch_soon(std::move(todo.ahead));
    int error = bring(todo.buffered, out, offset);
    if (error == 0) error = fill_holes(todo.holes, out, offset);
    if (error == 0) {
      if (seen != nullptr) *seen = std::move(todo.buffered);
      return {0, todo.bytes};
    }
    if (error != ESTALE) return {error, 0};
    if (const int failed = file_.policy_.look_again(file_, {offset, offset + todo.bytes}); failed != 0)
      return {failed, 0};
  }
  return {EIO, 0};
}

int FileReader::bring(const std::vector<Extent>& extents, std::span<std::byte> into, std::uint64_t offset) {
  std::map<std::uint32_t, std::vector<Extent>> elsewhere;
  for (const Extent& extent : extents) {
    if (extent.where.node != system_.node()) {
      elsewhere[extent.where.node].push_back(extent);
      continue;
    }
    if (const int error = system_.read_segment(extent.where, part(into, offset, extent.bytes)); error != 0)
      return error;
  }
  for (const auto& [node, wanted] : elsewhere)
    if (const int error = bring_from_peers(node, wanted, into, offset); error != 0) return error;
  return 0;
}

int FileReader::bring_from_peers(std::uint32_t node, const std::vector<Extent>& extents,
                                 std::span<std::byte> into, std::uint64_t offset) {
  Fetch request;
  std::uint64_t bytes = 0;
  const auto ask = [&]() -> int {
    if (request.extents.empty()) return 0;
    const auto answer = system_.fetch(node, request);
    if (!answer) return answer.error;
    if (answer.body.bytes.size() != bytes) return EIO;
    const std::byte* from = answer.body.bytes.data();
    for (const Extent& extent : request.extents) {
      const auto to = part(into, offset, extent.bytes);
      std::memcpy(to.data(), from, to.size());
      from += to.size();
    }
    request.extents.clear();
    bytes = 0;
    return 0;
  };
  for (Extent rest : extents) {
    while (!rest.bytes.empty()) {
      const std::uint64_t now = std::min(rest.bytes.size(), kLongestFetch - bytes);
      request.extents.push_back({{rest.bytes.begin, rest.bytes.begin + now}, rest.where});
      bytes += now;
      rest = {{rest.bytes.begin + now, rest.bytes.end}, rest.where.at(now)};
      if (bytes == kLongestFetch)
        if (const int error = ask(); error != 0) return error;
    }
  }
  return ask();
}

int FileReader::fill_holes(const std::vector<Span>& holes, std::span<std::byte> into, std::uint64_t offset) {
  if (holes.empty()) return 0;
  int backing = -1;
  if (file_.is_in_backing())
    if (const int error = system_.backing_of(*file_.shared_, backing); error != 0) return error;
  for (const Span& hole : holes) {
    auto to = part(into, offset, hole);
    auto from = static_cast<off_t>(hole.begin);
    while (!to.empty() && backing >= 0) {
      const ssize_t got = ::pread(backing, to.data(), to.size(), from);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno;
      if (got == 0) break;
      to = to.subspan(static_cast<std::size_t>(got));
      from += got;
    }
    std::ranges::fill(to, std::byte{0});
  }
  return 0;
}

}  // namespace weir::burst
