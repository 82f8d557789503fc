#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "burst/file_id.hpp"
#include "burst/protocol.hpp"

// To the owners of names, and between them and the owners of files.
namespace weir::burst {

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

struct PathWasSet {
  bool has_both = false;  // both are names of the file, and stay so

  static constexpr auto fields = std::tuple{&PathWasSet::has_both};
};

// The name leads to the file, and the file has it in place of `from`, when it is answered.
struct PutName {
  static constexpr Kind kKind = Kind::put_name;
  using Answer = PathWasSet;
  std::string path;
  std::string from;
  FileId file;

  static constexpr auto fields = std::tuple{&PutName::path, &PutName::from, &PutName::file};
};

// One of the file's names becomes another.
struct SetPath {
  static constexpr Kind kKind = Kind::set_path;
  using Answer = PathWasSet;
  FileId file;
  std::string from;
  std::string path;

  static constexpr auto fields = std::tuple{&SetPath::file, &SetPath::from, &SetPath::path};
};

// How the name begins under which a file is made that is to have none: it may be given one later.
inline constexpr std::string_view kUnnamed = ".weir-unnamed-";

// One more name for a file; EEXIST where something has it.
struct LinkName {
  static constexpr Kind kKind = Kind::link_name;
  using Answer = Nothing;
  std::string path;
  FileId file;

  static constexpr auto fields = std::tuple{&LinkName::path, &LinkName::file};
};

struct AddName {
  static constexpr Kind kKind = Kind::add_name;
  using Answer = Nothing;
  FileId file;
  std::string path;

  static constexpr auto fields = std::tuple{&AddName::file, &AddName::path};
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

// The owner of the file knows it no more: the name goes, unless it leads to another file by now or the owner
// says otherwise. A server that died in the middle of an unlink can leave such a name.
struct CheckName {
  static constexpr Kind kKind = Kind::check_name;
  using Answer = Nothing;
  std::string path;
  FileId file;

  static constexpr auto fields = std::tuple{&CheckName::path, &CheckName::file};
};

}  // namespace weir::burst
