#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "burst/file_protocol.hpp"

// What can happen to the names and files of a shard. A shard does nothing to its state but by one of these;
// the journal holds them in the order in which they were done, so that doing them again gives the same state.
namespace weir::burst {

struct FileMade {
  FileId file;
  std::string path;
  Attributes attributes;
  bool in_backing = false;  // the backing directory has a file of this name

  static constexpr auto fields =
      std::tuple{&FileMade::file, &FileMade::path, &FileMade::attributes, &FileMade::in_backing};
};

struct NamePut {
  std::string path;
  FileId file;

  static constexpr auto fields = std::tuple{&NamePut::path, &NamePut::file};
};

struct NameGone {
  std::string path;

  static constexpr auto fields = std::tuple{&NameGone::path};
};

// A file has another path, or none any more: then it lives as long as somebody has it open.
struct PathSet {
  FileId file;
  std::string path;
  bool named = true;

  static constexpr auto fields = std::tuple{&PathSet::file, &PathSet::path, &PathSet::named};
};

struct FileGone {
  FileId file;

  static constexpr auto fields = std::tuple{&FileGone::file};
};

struct Published {
  FileId file;
  std::uint32_t node = 0;
  std::uint64_t client = 0;
  std::uint64_t version = 0;
  std::int64_t time_ns = 0;
  std::vector<LogPiece> pieces;

  static constexpr auto fields = std::tuple{&Published::file,    &Published::node,    &Published::client,
                                            &Published::version, &Published::time_ns, &Published::pieces};
};

struct Withdrawn {
  FileId file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t client = 0;

  static constexpr auto fields =
      std::tuple{&Withdrawn::file, &Withdrawn::begin, &Withdrawn::end, &Withdrawn::client};
};

struct Resized {
  FileId file;
  std::uint64_t size = 0;
  std::int64_t time_ns = 0;

  static constexpr auto fields = std::tuple{&Resized::file, &Resized::size, &Resized::time_ns};
};

struct EndReserved {
  FileId file;
  std::uint64_t end = 0;

  static constexpr auto fields = std::tuple{&EndReserved::file, &EndReserved::end};
};

// These places are in the backing file; what was published over them since is not.
struct WrittenBack {
  FileId file;
  std::vector<Extent> extents;

  static constexpr auto fields = std::tuple{&WrittenBack::file, &WrittenBack::extents};
};

// How often a client has the file open.
struct OpenCount {
  FileId file;
  std::uint64_t client = 0;
  std::uint32_t count = 0;

  static constexpr auto fields = std::tuple{&OpenCount::file, &OpenCount::client, &OpenCount::count};
};

struct Answered {
  std::uint64_t client = 0;
  std::uint64_t sequence = 0;
  Bytes answer;

  static constexpr auto fields = std::tuple{&Answered::client, &Answered::sequence, &Answered::answer};
};

struct ClientForgotten {
  std::uint64_t client = 0;

  static constexpr auto fields = std::tuple{&ClientForgotten::client};
};

// So many files were made, gone ones included: their numbers are not given again.
struct FilesCounted {
  std::uint64_t count = 0;

  static constexpr auto fields = std::tuple{&FilesCounted::count};
};

// These places are no longer read from the buffer: the backing file has the bytes.
struct GivenUp {
  FileId file;
  std::vector<Extent> extents;

  static constexpr auto fields = std::tuple{&GivenUp::file, &GivenUp::extents};
};

// Whole: mode, owner and times, not the size.
struct AttributesSet {
  FileId file;
  Attributes attributes;

  static constexpr auto fields = std::tuple{&AttributesSet::file, &AttributesSet::attributes};
};

// A name more besides the file's path, and one less.
struct NameAdded {
  FileId file;
  std::string path;

  static constexpr auto fields = std::tuple{&NameAdded::file, &NameAdded::path};
};

struct NameTaken {
  FileId file;
  std::string path;

  static constexpr auto fields = std::tuple{&NameTaken::file, &NameTaken::path};
};

// The order is the journal's numbering: new ones go to the end.
using Change = std::variant<FileMade, NamePut, NameGone, PathSet, FileGone, Published, Withdrawn, Resized,
                            EndReserved, WrittenBack, OpenCount, Answered, ClientForgotten, FilesCounted,
                            GivenUp, AttributesSet, NameAdded, NameTaken>;

// Whether it lets something go, so that space comes back, or ends what did.
bool brings_space(const Change& change);

Bytes encode_change(const Change& change);  // the body; change.index() is the journal's record type
Result<Change> decode_change(std::uint64_t type, ByteSpan body);

}  // namespace weir::burst
