#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace weir::burst {

// Bytes of a file, `end` not among them. Never empty where a map takes one.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  bool overlaps(const Span& other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Span&) const = default;
  static constexpr auto fields = std::tuple{&Span::begin, &Span::end};
};

// Where bytes lie: whose agent serves them, in which client's log, and which publication brought them.
struct Place {
  std::uint32_t node = 0;
  std::uint32_t segment = 0;
  std::uint64_t client = 0;
  std::uint64_t position = 0;  // in the segment
  std::uint64_t version = 0;   // the publication's number at the file's owner

  // The place of the byte `bytes` further on.
  Place at(std::uint64_t bytes) const {
    Place moved = *this;
    moved.position += bytes;
    return moved;
  }
  bool operator==(const Place&) const = default;
  static constexpr auto fields =
      std::tuple{&Place::node, &Place::segment, &Place::client, &Place::position, &Place::version};
};

struct Extent {
  Span bytes;
  Place where;
  bool operator==(const Extent&) const = default;
  static constexpr auto fields = std::tuple{&Extent::bytes, &Extent::where};
};

// A part of an asked range: where it is, or a hole.
struct Piece {
  Span bytes;
  std::optional<Place> where;
  bool operator==(const Piece&) const = default;
};

// The bytes of one file and where they are; the newest insert wins. Extents never overlap: insert() cuts
// older ones and merges runs that continue each other in the file and in the log under one version. Not
// thread-safe; the owning file state holds the lock.
//
// Extents lie in sorted chunks of at most kChunk, and the chunks in a std::map. A chunk's key is a lower
// bound of what begins in it, so cutting never moves a key. The last place touched is remembered: a writer
// that goes on where it ended finds its extent without a search (bench/burst_maps_bench.cpp has the figures,
// docs/design/0017 the choice).
class ExtentMap {
 public:
  ExtentMap() = default;
  ExtentMap(const ExtentMap& other) : chunks_(other.chunks_), size_(other.size_) {}
  ExtentMap(ExtentMap&& other) noexcept { swap(other); }
  ExtentMap& operator=(ExtentMap other) noexcept {
    swap(other);
    return *this;
  }
  ~ExtentMap() = default;
  void swap(ExtentMap& other) noexcept;

  void insert(Span bytes, Place where);
  // Many at once, in_order(): linear in both lists when `newer` is not short against the map, else a search
  // each.
  void insert(std::span<const Extent> newer);
  // None empty, ascending and without overlap; what comes from a peer is to be asked before it is inserted.
  static bool in_order(std::span<const Extent> extents);
  void erase(Span bytes);
  void clear();

  // Pieces covering `bytes` in ascending order; holes come back with no place.
  std::vector<Piece> cover(Span bytes) const;
  // visit(Span, const Place&) for each extent, whole, in ascending order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [key, chunk] : chunks_)
      for (const Extent& extent : chunk) visit(extent.bytes, extent.where);
  }
  // visit(Span, const Place&) for what of the extents lies in `bytes`, in ascending order; as long as it says
  // true, where it says anything.
  template <class Visit>
  void for_each_in(Span bytes, const Visit& visit) const {
    if (bytes.empty()) return;
    for (Spot spot = first_ending_after(bytes.begin); spot.chunk != chunks_.end(); advance(spot)) {
      const Extent& extent = spot.chunk->second[spot.index];
      if (extent.bytes.begin >= bytes.end) return;
      const Span part{extent.bytes.begin < bytes.begin ? bytes.begin : extent.bytes.begin,
                      extent.bytes.end > bytes.end ? bytes.end : extent.bytes.end};
      const Place where = extent.where.at(part.begin - extent.bytes.begin);
      if constexpr (std::is_same_v<decltype(visit(part, where)), bool>) {
        if (!visit(part, where)) return;
      } else {
        visit(part, where);
      }
    }
  }

  std::size_t size() const { return size_; }  // extents
  bool empty() const { return size_ == 0; }
  std::uint64_t end() const;  // behind the last mapped byte; 0 of an empty map

 private:
  static constexpr std::size_t kChunk = 128;
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  using Chunk = std::vector<Extent>;
  // A chunk holds what begins from its key up to the next one's. The first key is 0; only that chunk may be
  // empty.
  using Chunks = std::map<std::uint64_t, Chunk>;
  struct Spot {  // an extent; chunk is chunks_.end() behind the last one
    Chunks::const_iterator chunk;
    std::size_t index = 0;
  };
  struct Finger {  // the extent of the last insert and where the one behind it begins
    Chunk* chunk = nullptr;
    std::size_t index = 0;
    std::uint64_t limit = 0;
  };

  Spot first_ending_after(std::uint64_t byte) const;
  void advance(Spot& spot) const;
  Chunks::iterator chunk_for(std::uint64_t begin);
  std::uint64_t begin_behind(Chunks::iterator chunk, std::size_t index) const;
  bool extend_last(Span bytes, const Place& where);
  void put(Extent extent, bool only_room);
  std::size_t cover_from(Chunks::iterator chunk, std::size_t index, Extent& extent, bool takes_in);
  void erase_range(Chunks::iterator chunk, std::size_t first, std::size_t last);
  Finger place_at(Chunks::iterator chunk, std::size_t index, const Extent& extent);
  void rekey(Chunks::iterator chunk);
  void tidy(Chunks::iterator chunk);
  void append(const Extent& extent);

  Chunks chunks_;
  std::size_t size_ = 0;
  Finger finger_;
};

}  // namespace weir::burst
