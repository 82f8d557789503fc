#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "burst/extent_map.hpp"
#include "burst/file_id.hpp"
#include "burst/protocol.hpp"

// To the owner of a file, or of the name by which it is opened and asked about: bytes published and looked
// for, its size and its attributes.
namespace weir::burst {

enum class FileKind : std::uint8_t { regular, directory };
constexpr bool is_known(FileKind kind) { return kind <= FileKind::directory; }

struct Attributes {
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  FileKind kind = FileKind::regular;
  std::int64_t modified_ns = 0;  // since 1970
  std::int64_t changed_ns = 0;

  static constexpr auto fields =
      std::tuple{&Attributes::size, &Attributes::mode,        &Attributes::uid,       &Attributes::gid,
                 &Attributes::kind, &Attributes::modified_ns, &Attributes::changed_ns};
};

// Bytes of a client that are about to be published: the node is the message's, the client who asks.
struct LogPiece {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint64_t position = 0;
  std::uint64_t segment = 0;

  static constexpr auto fields =
      std::tuple{&LogPiece::begin, &LogPiece::length, &LogPiece::position, &LogPiece::segment};
};

// Whether a file can have these bytes: no offset is beyond off_t.
constexpr bool is_sane(const LogPiece& piece) {
  constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max();
  return piece.length > 0 && piece.begin <= kLongest && piece.length <= kLongest - piece.begin &&
         piece.segment <= std::numeric_limits<std::uint32_t>::max();
}

struct Opened {
  FileId file;
  bool elsewhere = false;   // the name is here, the file is not: ask its home with OpenFile
  bool in_backing = false;  // the backing directory has bytes of it
  Attributes attributes;
  bool has_more = false;        // extents than an answer holds: they are to be queried
  std::vector<Extent> extents;  // if asked for

  static constexpr auto fields = std::tuple{&Opened::file,       &Opened::elsewhere, &Opened::in_backing,
                                            &Opened::attributes, &Opened::has_more,  &Opened::extents};
};

struct Open {
  static constexpr Kind kKind = Kind::open;
  using Answer = Opened;
  std::string path;
  bool create = false;
  bool exclusive = false;
  bool truncate = false;
  bool want_extents = false;
  std::uint32_t mode = 0600;
  std::uint32_t access = 0;  // R_OK, W_OK: EACCES where the file's mode denies its owner that

  static constexpr auto fields =
      std::tuple{&Open::path,         &Open::create, &Open::exclusive, &Open::truncate,
                 &Open::want_extents, &Open::mode,   &Open::access};
};

struct OpenFile {
  static constexpr Kind kKind = Kind::open_file;
  using Answer = Opened;
  FileId file;
  bool truncate = false;
  bool want_extents = false;
  std::uint32_t access = 0;

  static constexpr auto fields =
      std::tuple{&OpenFile::file, &OpenFile::truncate, &OpenFile::want_extents, &OpenFile::access};
};

struct CloseFile {
  static constexpr Kind kKind = Kind::close_file;
  using Answer = Nothing;
  FileId file;

  static constexpr auto fields = std::tuple{&CloseFile::file};
};

struct Stated {
  FileId file;
  bool elsewhere = false;
  bool in_backing = false;
  std::string path;  // one of its names; the last one, if it has none any more
  Attributes attributes;
  std::uint32_t names = 1;  // how many it has

  static constexpr auto fields = std::tuple{&Stated::file, &Stated::elsewhere,  &Stated::in_backing,
                                            &Stated::path, &Stated::attributes, &Stated::names};
};

struct StatName {
  static constexpr Kind kKind = Kind::stat_name;
  using Answer = Stated;
  std::string path;

  static constexpr auto fields = std::tuple{&StatName::path};
};

struct StatFile {
  static constexpr Kind kKind = Kind::stat_file;
  using Answer = Stated;
  FileId file;

  static constexpr auto fields = std::tuple{&StatFile::file};
};

struct Attached {
  std::uint64_t version = 0;
  std::uint64_t size = 0;

  static constexpr auto fields = std::tuple{&Attached::version, &Attached::size};
};

struct Attach {
  static constexpr Kind kKind = Kind::attach;
  using Answer = Attached;
  FileId file;
  std::uint32_t node = 0;
  bool close = false;  // and close the file
  std::vector<LogPiece> pieces;

  static constexpr auto fields = std::tuple{&Attach::file, &Attach::node, &Attach::close, &Attach::pieces};
};

struct Appended {
  std::uint64_t begin = 0;
  std::uint64_t version = 0;

  static constexpr auto fields = std::tuple{&Appended::begin, &Appended::version};
};

// Bytes are put at the end of the file and published there, in one step: nobody sees the file longer and
// without them.
struct Append {
  static constexpr Kind kKind = Kind::append;
  using Answer = Appended;
  FileId file;
  std::uint32_t node = 0;
  std::vector<LogPiece> pieces;  // their beginnings count from the end of the file

  static constexpr auto fields = std::tuple{&Append::file, &Append::node, &Append::pieces};
};

struct Queried {
  std::uint64_t version = 0;  // of the file: the more has happened to it, the larger
  std::uint64_t size = 0;
  bool in_backing = false;
  std::uint64_t end = 0;  // of what is told: the rest is to be queried by itself
  std::vector<Extent> extents;

  static constexpr auto fields =
      std::tuple{&Queried::version, &Queried::size, &Queried::in_backing, &Queried::end, &Queried::extents};
};

struct Query {
  static constexpr Kind kKind = Kind::query;
  using Answer = Queried;
  FileId file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  static constexpr auto fields = std::tuple{&Query::file, &Query::begin, &Query::end};
};

// Takes back what the client published in the range, as far as nobody has published over it. File zero: all
// files.
struct Detach {
  static constexpr Kind kKind = Kind::detach;
  using Answer = Nothing;
  FileId file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  static constexpr auto fields = std::tuple{&Detach::file, &Detach::begin, &Detach::end};
};

struct Truncate {
  static constexpr Kind kKind = Kind::truncate;
  using Answer = Nothing;
  FileId file;
  std::uint64_t size = 0;
  bool only_grow = false;  // a file that is longer by then stays as it is

  static constexpr auto fields = std::tuple{&Truncate::file, &Truncate::size, &Truncate::only_grow};
};

// What chmod, chown and utimens change; what is not named stays.
struct SetAttributes {
  static constexpr Kind kKind = Kind::set_attributes;
  using Answer = Nothing;
  FileId file;
  bool with_mode = false;
  bool with_owner = false;
  bool with_time = false;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int64_t modified_ns = 0;

  static constexpr auto fields =
      std::tuple{&SetAttributes::file,      &SetAttributes::with_mode,  &SetAttributes::with_owner,
                 &SetAttributes::with_time, &SetAttributes::mode,       &SetAttributes::uid,
                 &SetAttributes::gid,       &SetAttributes::modified_ns};
};

struct Reserved {
  std::uint64_t begin = 0;

  static constexpr auto fields = std::tuple{&Reserved::begin};
};

// Room for an append: bytes at the end of the file that nobody else gets.
struct ReserveEnd {
  static constexpr Kind kKind = Kind::reserve;
  using Answer = Reserved;
  FileId file;
  std::uint64_t length = 0;
  std::uint64_t own_end = 0;  // where the client's unpublished bytes end

  static constexpr auto fields = std::tuple{&ReserveEnd::file, &ReserveEnd::length, &ReserveEnd::own_end};
};

}  // namespace weir::burst
