#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "burst/extent_map.hpp"
#include "burst/file_id.hpp"
#include "transport/wire.hpp"

// The messages of the file system: what a client asks of its node's server, and what servers ask of each
// other. A request is a Header and the body that its kind names; an answer is an errno and, when that is
// zero, the body that the request's type names as its Answer.
namespace weir::burst {

using transport::Bytes;

// A client or server of another number is refused when it connects.
inline constexpr std::uint32_t kProtocolVersion = 1;

enum class Kind : std::uint8_t {
  // to the owner of a name
  open = 1,
  stat_name,
  unlink,
  rename,
  put_name,    // the second half of a rename, between owners of names
  list_names,  // of one worker, below a directory
  // to the owner of a file
  open_file,
  close_file,
  attach,
  query,
  detach,
  truncate,
  reserve,
  stat_file,
  flush,
  set_path,   // the file was renamed, between servers
  drop_name,  // the file has lost its name, between servers
  // to an agent
  segment,
  fetch,
  write_back,
  client_gone,  // from its agent to all owners
  // to any server
  stats,
  flush_all,
  stop,
};

// Whether it matters if a request is done twice.
constexpr bool changes(Kind kind) {
  switch (kind) {
    case Kind::open:
    case Kind::open_file:
    case Kind::close_file:
    case Kind::attach:
    case Kind::detach:
    case Kind::truncate:
    case Kind::reserve:
    case Kind::unlink:
    case Kind::rename:
      return true;
    default:
      return false;
  }
}

// Who asks whom. `sequence` numbers the requests of a client that change something, from one up: an owner
// answers one that it has done already with the same answer. Zero asks for no such care.
struct Header {
  Kind kind{};
  std::uint32_t to_server = 0;
  std::uint64_t client = 0;
  std::uint64_t sequence = 0;

  static constexpr auto fields =
      std::tuple{&Header::kind, &Header::to_server, &Header::client, &Header::sequence};
};

enum class FileKind : std::uint8_t { regular, directory };

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

// Bytes of a client that are about to be published: node and client are those of the message.
struct LogPiece {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint64_t position = 0;
  std::uint64_t segment = 0;

  static constexpr auto fields =
      std::tuple{&LogPiece::begin, &LogPiece::length, &LogPiece::position, &LogPiece::segment};
};

struct Nothing {
  static constexpr auto fields = std::tuple{};
};

struct Opened {
  FileId file;
  bool elsewhere = false;   // the name is here, the file is not: ask its home with OpenFile
  bool in_backing = false;  // the backing directory has bytes of it
  Attributes attributes;
  std::vector<Extent> extents;  // if asked for

  static constexpr auto fields = std::tuple{&Opened::file, &Opened::elsewhere, &Opened::in_backing,
                                            &Opened::attributes, &Opened::extents};
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

  static constexpr auto fields = std::tuple{&Open::path,     &Open::create,       &Open::exclusive,
                                            &Open::truncate, &Open::want_extents, &Open::mode};
};

struct OpenFile {
  static constexpr Kind kKind = Kind::open_file;
  using Answer = Opened;
  FileId file;
  bool truncate = false;
  bool want_extents = false;

  static constexpr auto fields = std::tuple{&OpenFile::file, &OpenFile::truncate, &OpenFile::want_extents};
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
  std::string path;  // in the backing directory, if it is there
  Attributes attributes;

  static constexpr auto fields =
      std::tuple{&Stated::file, &Stated::elsewhere, &Stated::in_backing, &Stated::path, &Stated::attributes};
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

struct Unlink {
  static constexpr Kind kKind = Kind::unlink;
  using Answer = Nothing;
  std::string path;

  static constexpr auto fields = std::tuple{&Unlink::path};
};

struct Rename {
  static constexpr Kind kKind = Kind::rename;
  using Answer = Nothing;
  std::string from;
  std::string to;

  static constexpr auto fields = std::tuple{&Rename::from, &Rename::to};
};

struct PutName {
  static constexpr Kind kKind = Kind::put_name;
  using Answer = Nothing;
  std::string path;
  FileId file;

  static constexpr auto fields = std::tuple{&PutName::path, &PutName::file};
};

struct SetPath {
  static constexpr Kind kKind = Kind::set_path;
  using Answer = Nothing;
  FileId file;
  std::string path;

  static constexpr auto fields = std::tuple{&SetPath::file, &SetPath::path};
};

struct DropName {
  static constexpr Kind kKind = Kind::drop_name;
  using Answer = Nothing;
  FileId file;
  std::string path;

  static constexpr auto fields = std::tuple{&DropName::file, &DropName::path};
};

struct NameRow {
  std::string path;
  FileId file;
  std::uint64_t size = 0;
  std::uint64_t buffered = 0;  // bytes not in the backing directory yet

  static constexpr auto fields =
      std::tuple{&NameRow::path, &NameRow::file, &NameRow::size, &NameRow::buffered};
};

struct Names {
  std::vector<NameRow> rows;

  static constexpr auto fields = std::tuple{&Names::rows};
};

struct ListNames {
  static constexpr Kind kKind = Kind::list_names;
  using Answer = Names;
  std::string below;

  static constexpr auto fields = std::tuple{&ListNames::below};
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
  std::uint64_t client = 0;
  bool close = false;  // and close the file
  std::vector<LogPiece> pieces;

  static constexpr auto fields =
      std::tuple{&Attach::file, &Attach::node, &Attach::client, &Attach::close, &Attach::pieces};
};

struct Queried {
  std::uint64_t size = 0;
  bool in_backing = false;
  std::vector<Extent> extents;

  static constexpr auto fields = std::tuple{&Queried::size, &Queried::in_backing, &Queried::extents};
};

struct Query {
  static constexpr Kind kKind = Kind::query;
  using Answer = Queried;
  FileId file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  static constexpr auto fields = std::tuple{&Query::file, &Query::begin, &Query::end};
};

// Takes back what `client` published in the range, as far as nobody has published over it. File zero: all
// files.
struct Detach {
  static constexpr Kind kKind = Kind::detach;
  using Answer = Nothing;
  FileId file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t client = 0;

  static constexpr auto fields = std::tuple{&Detach::file, &Detach::begin, &Detach::end, &Detach::client};
};

struct Truncate {
  static constexpr Kind kKind = Kind::truncate;
  using Answer = Nothing;
  FileId file;
  std::uint64_t size = 0;

  static constexpr auto fields = std::tuple{&Truncate::file, &Truncate::size};
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

  static constexpr auto fields = std::tuple{&GrantSegment::number, &GrantSegment::bytes};
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

// The node's bytes of a file go to the backing directory, synced.
struct WriteBack {
  static constexpr Kind kKind = Kind::write_back;
  using Answer = Flushed;
  std::string path;
  std::uint32_t mode = 0600;
  std::uint64_t size = 0;
  std::vector<Extent> extents;

  static constexpr auto fields =
      std::tuple{&WriteBack::path, &WriteBack::mode, &WriteBack::size, &WriteBack::extents};
};

struct ClientGone {
  static constexpr Kind kKind = Kind::client_gone;
  using Answer = Nothing;
  std::uint64_t client = 0;

  static constexpr auto fields = std::tuple{&ClientGone::client};
};

struct Counter {
  std::string name;
  std::uint64_t value = 0;

  static constexpr auto fields = std::tuple{&Counter::name, &Counter::value};
};

struct Counters {
  std::vector<Counter> rows;

  static constexpr auto fields = std::tuple{&Counters::rows};
};

// Of one worker.
struct GetStats {
  static constexpr Kind kKind = Kind::stats;
  using Answer = Counters;
  static constexpr auto fields = std::tuple{};
};

struct Stop {
  static constexpr Kind kKind = Kind::stop;
  using Answer = Nothing;
  bool remove = false;  // and leave nothing behind: everything was flushed

  static constexpr auto fields = std::tuple{&Stop::remove};
};

// --- requests and answers as bytes ---

// Another owner is changing this name at the moment; ask again shortly. Not an errno that a file system
// gives.
inline constexpr int kAskAgain = 100'000;

Bytes join(Bytes first, const Bytes& second);

template <class Body>
Bytes encode_request(Header header, const Body& body) {
  header.kind = Body::kKind;
  return join(transport::pack(header), transport::pack(body));
}

Result<Header> decode_header(ByteSpan& request);  // what is left is the body

template <class Body>
Bytes encode_answer(const Body& body) {
  return join(transport::pack(std::int32_t{0}), transport::pack(body));
}

Bytes encode_failure(int error);

// The body of an answer; an errno that the other side gave, EIO where the bytes are no answer.
template <class Body>
struct Outcome {
  int error = EIO;
  Body body;
  explicit operator bool() const { return error == 0; }
};

int decode_status(ByteSpan& answer);

template <class Body>
Outcome<Body> decode_answer(ByteSpan answer) {
  const int error = decode_status(answer);
  if (error != 0) return {error, {}};
  auto body = transport::unpack<Body>(answer);
  if (!body) return {EIO, {}};
  return {0, std::move(*body)};
}

template <class Body>
Outcome<Body> decode_answer(const Result<Bytes>& answer) {
  if (!answer) return {EIO, {}};
  return decode_answer<Body>(ByteSpan(*answer));
}

}  // namespace weir::burst
