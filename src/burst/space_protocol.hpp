#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "burst/extent_map.hpp"
#include "burst/file_id.hpp"
#include "burst/file_protocol.hpp"
#include "burst/protocol.hpp"

// Where bytes lie: segments for clients, their content for others, to the backing directory and free again.
namespace weir::burst {

struct Flushed {
  std::uint64_t bytes = 0;

  static constexpr auto fields = std::tuple{&Flushed::bytes};
};

// What is published of the file when this arrives is in the backing directory, synced, when it is answered.
struct Flush {
  static constexpr Kind kKind = Kind::flush;
  using Answer = Flushed;
  FileId file;

  static constexpr auto fields = std::tuple{&Flush::file};
};

struct FlushAll {
  static constexpr Kind kKind = Kind::flush_all;
  using Answer = Flushed;
  static constexpr auto fields = std::tuple{};
};

// The node's bytes of a file go to the backing directory, synced.
struct WriteBack {
  static constexpr Kind kKind = Kind::write_back;
  using Answer = Flushed;
  std::string path;
  Attributes attributes;    // the file gets them
  bool in_backing = false;  // it is known to be there, and its name to be synced
  std::vector<Extent> extents;

  static constexpr auto fields =
      std::tuple{&WriteBack::path, &WriteBack::attributes, &WriteBack::in_backing, &WriteBack::extents};
};

// What the asking client has published of the file came from the backing file, which has it still. The file
// has that one's time of modification again.
struct MarkClean {
  static constexpr Kind kKind = Kind::mark_clean;
  using Answer = Nothing;
  FileId file;

  static constexpr auto fields = std::tuple{&MarkClean::file};
};

struct Content {
  Bytes bytes;

  static constexpr auto fields = std::tuple{&Content::bytes};
};

// The bytes of these places, one after the other; all of them are on the node of the server asked.
struct Fetch {
  static constexpr Kind kKind = Kind::fetch;
  using Answer = Content;
  std::vector<Extent> extents;

  static constexpr auto fields = std::tuple{&Fetch::extents};
};

// Which segments of its log a client still needs of those up to `through`: they hold bytes that it has not
// published. Of later ones it says nothing.
struct LogUse {
  static constexpr Kind kKind = Kind::log_use;
  using Answer = Nothing;
  std::uint64_t through = 0;
  std::vector<std::uint64_t> needed;  // ascending

  static constexpr auto fields = std::tuple{&LogUse::through, &LogUse::needed};
  bool operator==(const LogUse&) const = default;
};

struct GrantedSegment {
  std::string path;
  std::uint64_t bytes = 0;

  static constexpr auto fields = std::tuple{&GrantedSegment::path, &GrantedSegment::bytes};
};

// A new segment for the client's log, at least `bytes` long.
struct GrantSegment {
  static constexpr Kind kKind = Kind::segment;
  using Answer = GrantedSegment;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  LogUse use;

  static constexpr auto fields = std::tuple{&GrantSegment::number, &GrantSegment::bytes, &GrantSegment::use};
};

// A segment of a node.
struct SegmentKey {
  std::uint64_t client = 0;
  std::uint32_t number = 0;

  static constexpr auto fields = std::tuple{&SegmentKey::client, &SegmentKey::number};
  friend auto operator<=>(const SegmentKey&, const SegmentKey&) = default;
};

// How far one goes to get space back.
enum class Reclaim : std::uint8_t {
  unused,   // what nobody reads any more
  flushed,  // and what the backing directory has too
  all,      // and the rest, once it is flushed
};
constexpr bool is_known(Reclaim how) { return how <= Reclaim::all; }

struct StillNeeded {
  std::vector<SegmentKey> segments;

  static constexpr auto fields = std::tuple{&StillNeeded::segments};
};

// The node wants these segments back. What of them the owner no longer needs, it will never name again.
struct GiveUp {
  static constexpr Kind kKind = Kind::give_up;
  using Answer = StillNeeded;
  std::uint32_t node = 0;
  Reclaim how = Reclaim::unused;
  std::vector<SegmentKey> segments;  // ascending

  static constexpr auto fields = std::tuple{&GiveUp::node, &GiveUp::how, &GiveUp::segments};
};

struct Reclaimed {
  std::uint64_t bytes = 0;

  static constexpr auto fields = std::tuple{&Reclaimed::bytes};
};

// Asks an agent for a round of this kind.
struct AskReclaim {
  static constexpr Kind kKind = Kind::reclaim;
  using Answer = Reclaimed;
  Reclaim how = Reclaim::unused;

  static constexpr auto fields = std::tuple{&AskReclaim::how};
};

}  // namespace weir::burst
