#include "burst/extent_map.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"

namespace weir::burst {
namespace {

// Whether bytes at `next` go on in the log where those of `before` end.
bool continues(const Extent& before, const Place& next) {
  const Place& where = before.where;
  return where.segment == next.segment && where.position + before.bytes.size() == next.position &&
         where.client == next.client && where.version == next.version && where.node == next.node;
}

std::size_t first_ending_at_or_after(const std::vector<Extent>& chunk, std::uint64_t byte) {
  const auto found = std::partition_point(chunk.begin(), chunk.end(),
                                          [&](const Extent& extent) { return extent.bytes.end < byte; });
  return static_cast<std::size_t>(found - chunk.begin());
}

auto iterator_at(std::vector<Extent>& chunk, std::size_t index) {
  return chunk.begin() + static_cast<std::ptrdiff_t>(index);
}

void drop_front(Extent& extent, std::uint64_t new_begin) {
  extent.where.position += new_begin - extent.bytes.begin;
  extent.bytes.begin = new_begin;
}

}  // namespace

void ExtentMap::swap(ExtentMap& other) noexcept {
  chunks_.swap(other.chunks_);
  std::swap(size_, other.size_);
  finger_ = other.finger_ = {};
}

void ExtentMap::clear() {
  chunks_.clear();
  size_ = 0;
  finger_ = {};
}

std::uint64_t ExtentMap::end() const {
  return size_ == 0 ? 0 : std::prev(chunks_.end())->second.back().bytes.end;
}

// The chunk that what begins at `begin` belongs to.
ExtentMap::Chunks::iterator ExtentMap::chunk_for(std::uint64_t begin) {
  if (chunks_.empty()) return chunks_.try_emplace(0).first;
  return std::prev(chunks_.upper_bound(begin));
}

ExtentMap::Spot ExtentMap::first_ending_after(std::uint64_t byte) const {
  if (chunks_.empty()) return {chunks_.end(), 0};
  const auto chunk = std::prev(chunks_.upper_bound(byte));
  Spot spot{chunk, first_ending_at_or_after(chunk->second, byte + 1)};
  if (spot.index == chunk->second.size()) spot = {std::next(chunk), 0};
  return spot;
}

void ExtentMap::advance(Spot& spot) const {
  if (++spot.index == spot.chunk->second.size()) spot = {std::next(spot.chunk), 0};
}

// The common case of a writer that goes on: the extent of the last insert grows.
bool ExtentMap::extend_last(Span bytes, const Place& where) {
  if (finger_.chunk == nullptr) return false;
  Extent& last = (*finger_.chunk)[finger_.index];
  if (last.bytes.end != bytes.begin || bytes.end >= finger_.limit || !continues(last, where)) return false;
  last.bytes.end = bytes.end;
  return true;
}

// Where the extent behind this one begins.
std::uint64_t ExtentMap::begin_behind(Chunks::iterator chunk, std::size_t index) const {
  if (index + 1 < chunk->second.size()) return chunk->second[index + 1].bytes.begin;
  const auto next = std::next(chunk);
  return next == chunks_.end() ? kNoLimit : next->second.front().bytes.begin;
}

// Puts an extent where none is; `index` is its place in `chunk`, which is the one its begin belongs to.
ExtentMap::Finger ExtentMap::place_at(Chunks::iterator chunk, std::size_t index, const Extent& extent) {
  chunk->second.insert(iterator_at(chunk->second, index), extent);
  ++size_;
  if (chunk->second.size() > kChunk) {
    // A file that grows at its end fills its chunks.
    const bool at_the_end = index == kChunk && std::next(chunk) == chunks_.end();
    const std::size_t kept = at_the_end ? kChunk : kChunk / 2;
    const auto from = iterator_at(chunk->second, kept);
    const auto right = chunks_.try_emplace(std::next(chunk), from->bytes.begin);
    right->second.reserve(kChunk + 1);
    right->second.assign(from, chunk->second.end());
    chunk->second.erase(from, chunk->second.end());
    if (index >= kept) {
      chunk = right;
      index -= kept;
    }
  }
  return {&chunk->second, index, begin_behind(chunk, index)};
}

void ExtentMap::erase_range(Chunks::iterator chunk, std::size_t first, std::size_t last) {
  chunk->second.erase(iterator_at(chunk->second, first), iterator_at(chunk->second, last));
  size_ -= last - first;
}

// After a change of its front: an emptied chunk goes, others get the key of what is now first.
void ExtentMap::rekey(Chunks::iterator chunk) {
  if (chunk == chunks_.begin()) return;
  if (chunk->second.empty()) {
    chunks_.erase(chunk);
  } else if (const std::uint64_t first = chunk->second.front().bytes.begin; first != chunk->first) {
    const auto next = std::next(chunk);
    auto node = chunks_.extract(chunk);
    node.key() = first;
    chunks_.insert(next, std::move(node));
  }
}

// A thin chunk takes in its neighbour.
void ExtentMap::tidy(Chunks::iterator chunk) {
  const auto next = std::next(chunk);
  if (next == chunks_.end() || chunk->second.size() >= kChunk / 4 ||
      chunk->second.size() + next->second.size() > kChunk / 2)
    return;
  chunk->second.insert(chunk->second.end(), next->second.begin(), next->second.end());
  chunks_.erase(next);
}

// What lies under `extent` from `index` of `chunk` on: the front of the last one is cut, or taken in where it
// goes on behind `extent`, which then grows. Returns the end of what is covered in `chunk` and left to the
// caller; what is covered in later chunks is gone.
std::size_t ExtentMap::cover_from(Chunks::iterator chunk, std::size_t index, Extent& extent, bool takes_in) {
  std::size_t in_first = chunk->second.size();
  for (auto at = chunk; at != chunks_.end(); index = 0) {
    std::vector<Extent>& extents = at->second;
    std::size_t last = index;
    while (last < extents.size() && extents[last].bytes.end <= extent.bytes.end) ++last;
    const bool reached = last < extents.size();
    if (reached && extents[last].bytes.begin < extent.bytes.end) drop_front(extents[last], extent.bytes.end);
    if (reached && takes_in && extents[last].bytes.begin == extent.bytes.end &&
        continues(extent, extents[last].where))
      extent.bytes.end = extents[last++].bytes.end;
    const auto next = std::next(at);
    if (at == chunk) {
      in_first = last;
    } else {
      erase_range(at, 0, last);
      rekey(at);
    }
    if (reached) break;
    at = next;
  }
  return in_first;
}

// Makes room for `extent` and, unless that is all, puts it there.
void ExtentMap::put(Extent extent, bool only_room) {
  finger_ = {};
  const std::uint64_t begin = extent.bytes.begin;
  const auto chunk = chunk_for(begin);
  std::size_t index = first_ending_at_or_after(chunk->second, begin);

  // The extent that begins before and reaches here, if there is one.
  Extent* left = nullptr;
  const bool left_is_here = index < chunk->second.size() && chunk->second[index].bytes.begin < begin;
  if (left_is_here)
    left = &chunk->second[index++];
  else if (index == 0 && chunk != chunks_.begin()) {
    Chunk& before = std::prev(chunk)->second;
    if (!before.empty() && before.back().bytes.end >= begin) left = &before.back();
  }

  std::optional<Extent> tail;  // of an extent that reaches beyond both ends
  std::size_t covered = index;
  if (left != nullptr && left->bytes.end > extent.bytes.end) {
    tail = *left;
    drop_front(*tail, extent.bytes.end);
  }
  if (left != nullptr) left->bytes.end = begin;
  if (tail && !only_room && continues(extent, tail->where)) {
    extent.bytes.end = tail->bytes.end;
    tail.reset();
  } else if (!tail) {
    covered = cover_from(chunk, index, extent, !only_room);
  }

  if (only_room || (left != nullptr && continues(*left, extent.where))) {
    if (!only_room) left->bytes.end = extent.bytes.end;
    if (covered != index) erase_range(chunk, index, covered);
    if (!only_room && left_is_here)
      finger_ = {&chunk->second, index - 1, tail ? 0 : begin_behind(chunk, index - 1)};
    if (only_room && !tail) tidy(chunk);
    if (index == 0) rekey(chunk);
  } else if (covered != index) {
    chunk->second[index] = extent;
    erase_range(chunk, index + 1, covered);
    finger_ = {&chunk->second, index, begin_behind(chunk, index)};
  } else {
    finger_ = place_at(chunk, index, extent);
  }
  if (tail) {
    finger_ = {};
    const auto its_chunk = chunk_for(tail->bytes.begin);  // `chunk` may have been split
    place_at(its_chunk, first_ending_at_or_after(its_chunk->second, tail->bytes.end), *tail);
  }
}

void ExtentMap::insert(Span bytes, Place where) {
  if (bytes.empty() || extend_last(bytes, where)) return;
  put({bytes, where}, false);
}

void ExtentMap::erase(Span bytes) {
  if (!bytes.empty() && size_ != 0) put({bytes, {}}, true);
}

bool ExtentMap::in_order(std::span<const Extent> extents) {
  std::uint64_t end = 0;
  for (const Extent& extent : extents) {
    if (extent.bytes.empty() || extent.bytes.begin < end) return false;
    end = extent.bytes.end;
  }
  return true;
}

// Behind all there is.
void ExtentMap::append(const Extent& extent) {
  const auto last = chunks_.empty() ? chunks_.try_emplace(0).first : std::prev(chunks_.end());
  Chunk& chunk = last->second;
  if (!chunk.empty() && chunk.back().bytes.end == extent.bytes.begin &&
      continues(chunk.back(), extent.where)) {
    chunk.back().bytes.end = extent.bytes.end;
    return;
  }
  constexpr std::size_t kFilled = kChunk / 4 * 3;  // room for what comes in between later
  if (chunk.size() < kFilled) {
    chunk.push_back(extent);
  } else {
    Chunk& fresh = chunks_.try_emplace(chunks_.end(), extent.bytes.begin)->second;
    fresh.reserve(kChunk + 1);
    fresh.push_back(extent);
  }
  ++size_;
}

void ExtentMap::insert(std::span<const Extent> newer) {
  WEIR_CHECK(in_order(newer), "extents are not in order");
  if (newer.size() < size_ / 16) {
    for (const Extent& extent : newer) put(extent, false);
    return;
  }
  ExtentMap merged;
  std::size_t next = 0;
  for_each([&](Span bytes, const Place& where) {
    Extent old{bytes, where};
    while (next < newer.size() && newer[next].bytes.begin < old.bytes.end) {
      if (old.bytes.begin < newer[next].bytes.begin)
        merged.append({{old.bytes.begin, newer[next].bytes.begin}, old.where});
      if (newer[next].bytes.end >= old.bytes.end) {
        old.bytes.begin = old.bytes.end;
        break;
      }
      merged.append(newer[next]);
      drop_front(old, std::max(old.bytes.begin, newer[next].bytes.end));
      ++next;
    }
    if (!old.bytes.empty()) merged.append(old);
  });
  for (; next < newer.size(); ++next) merged.append(newer[next]);
  swap(merged);
}

std::vector<Piece> ExtentMap::cover(Span bytes) const {
  std::vector<Piece> pieces;
  std::uint64_t at = bytes.begin;
  for_each_in(bytes, [&](Span part, const Place& where) {
    if (at < part.begin) pieces.push_back({{at, part.begin}, std::nullopt});
    pieces.push_back({part, where});
    at = part.end;
  });
  if (at < bytes.end) pieces.push_back({{at, bytes.end}, std::nullopt});
  return pieces;
}

}  // namespace weir::burst
