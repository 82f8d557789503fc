#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

// What an argument means to the program, whatever its C type. Order is free: traces keep names, not numbers.
enum class Role : std::uint8_t {
  file,
  number,
  stream,
  directory,
  ring,
  object,
  communicator,
  group,
  request,
  window,
  datatype,
  path,
  entry,
  attributes,
  text,
  flags,
  mode,
  whence,
  command,
  buffer,
  vector,
  string,
  character,
  bytes,
  count,
  room,
  offset,
  rank,
  tag,
  color,
  key,
  status,
  info,
  operation,
  property,
  space,
  displacement,
  function,
  owner,
  time,
  varargs,
  value,
};

enum class Direction : std::uint8_t { in, out, inout };

// A handle stands for something that was opened; `by_pointer` ones are pointers that are never written
// through.
enum class HandleKind : std::uint8_t { none, by_value, by_pointer };

struct RoleInfo {
  Role role;
  std::string_view name;
  HandleKind handle;
  std::string_view what;
};

// One line per role, in the order of the enum: the table parser, the guide and the traces read this list.
inline constexpr std::array kRoles = {
    RoleInfo{Role::file, "file", HandleKind::by_value, "an open file: a descriptor or an MPI file"},
    RoleInfo{Role::number, "number", HandleKind::none,
             "a descriptor's number, whether it is open or not (dup2, close_range)"},
    RoleInfo{Role::stream, "stream", HandleKind::by_pointer, "an open stdio stream"},
    RoleInfo{Role::directory, "directory", HandleKind::by_pointer,
             "an open directory: a descriptor or a stream"},
    RoleInfo{Role::ring, "ring", HandleKind::by_pointer, "an open io_uring"},
    RoleInfo{Role::object, "object", HandleKind::by_value,
             "an object of a library: an HDF5 file or dataset, an MPI message or error handler"},
    RoleInfo{Role::communicator, "communicator", HandleKind::by_value, "an MPI communicator"},
    RoleInfo{Role::group, "group", HandleKind::by_value, "an MPI group"},
    RoleInfo{Role::request, "request", HandleKind::by_value,
             "an operation that was started and not yet completed"},
    RoleInfo{Role::window, "window", HandleKind::by_value, "an MPI window"},
    RoleInfo{Role::datatype, "datatype", HandleKind::by_value, "the type of the items in a buffer"},
    RoleInfo{Role::path, "path", HandleKind::none, "a file name"},
    RoleInfo{Role::entry, "entry", HandleKind::none, "an entry of a directory, with its name"},
    RoleInfo{Role::attributes, "attributes", HandleKind::none,
             "what a file or a file system is: size, owner, times (struct stat and its like)"},
    RoleInfo{Role::text, "text", HandleKind::none, "a string or strings that name no file"},
    RoleInfo{Role::flags, "flags", HandleKind::none, "bits that choose a behaviour"},
    RoleInfo{Role::mode, "mode", HandleKind::none, "permissions of a new file"},
    RoleInfo{Role::whence, "whence", HandleKind::none, "where an offset is counted from"},
    RoleInfo{Role::command, "command", HandleKind::none, "which operation (fcntl, ioctl)"},
    RoleInfo{Role::buffer, "buffer", HandleKind::none, "memory the data is read into or written from"},
    RoleInfo{Role::vector, "vector", HandleKind::none, "a list of buffers"},
    RoleInfo{Role::string, "string", HandleKind::none, "data that is moved and ends at its null character"},
    RoleInfo{Role::character, "character", HandleKind::none,
             "one character that is moved, by value; -1 is the end or a failure"},
    RoleInfo{Role::bytes, "bytes", HandleKind::none, "a size in bytes"},
    RoleInfo{Role::count, "count", HandleKind::none, "a number of items"},
    RoleInfo{Role::room, "room", HandleKind::none, "how much a buffer could hold; never moved"},
    RoleInfo{Role::offset, "offset", HandleKind::none, "a position in a file"},
    RoleInfo{Role::rank, "rank", HandleKind::none, "an MPI rank"},
    RoleInfo{Role::tag, "tag", HandleKind::none, "an MPI tag"},
    RoleInfo{Role::color, "color", HandleKind::none, "an MPI colour"},
    RoleInfo{Role::key, "key", HandleKind::none, "an MPI key"},
    RoleInfo{Role::status, "status", HandleKind::none, "how an operation ended"},
    RoleInfo{Role::info, "info", HandleKind::by_value, "MPI hints"},
    RoleInfo{Role::operation, "operation", HandleKind::by_value, "an MPI reduction"},
    RoleInfo{Role::property, "property", HandleKind::by_value, "an HDF5 property list"},
    RoleInfo{Role::space, "space", HandleKind::by_value, "an HDF5 dataspace"},
    RoleInfo{Role::displacement, "displacement", HandleKind::none,
             "a distance in memory or within a datatype, or an address"},
    RoleInfo{Role::function, "function", HandleKind::none, "a function of the program"},
    RoleInfo{Role::owner, "owner", HandleKind::none, "a user or a group of users"},
    RoleInfo{Role::time, "time", HandleKind::none, "a time stamp or a duration"},
    RoleInfo{Role::varargs, "varargs", HandleKind::none, "what C passes in place of '...'"},
    RoleInfo{Role::value, "value", HandleKind::none, "a plain value"},
};

constexpr const RoleInfo& info(Role role) { return kRoles[static_cast<std::size_t>(role)]; }
constexpr std::string_view name(Role role) { return info(role).name; }

// Roles of objects that belong to a library, MPI or HDF5, and that only it can look into.
constexpr bool is_library_object(Role role) {
  switch (role) {
    case Role::object:
    case Role::communicator:
    case Role::group:
    case Role::window:
    case Role::datatype:
    case Role::info:
    case Role::operation:
    case Role::property:
    case Role::space:
      return true;
    default:
      return false;
  }
}

constexpr std::string_view name(Direction direction) {
  constexpr std::array<std::string_view, 3> names = {"in", "out", "inout"};
  return names[static_cast<std::size_t>(direction)];
}

constexpr std::optional<Role> find_role(std::string_view wanted) {
  for (const RoleInfo& role : kRoles)
    if (role.name == wanted) return role.role;
  return std::nullopt;
}

namespace detail {
constexpr bool roles_are_in_order() {
  for (std::size_t i = 0; i < kRoles.size(); ++i)
    if (kRoles[i].role != static_cast<Role>(i)) return false;
  return kRoles.back().role == Role::value;
}
static_assert(roles_are_in_order(), "kRoles must list every Role once, in the order of the enum");
}  // namespace detail

}  // namespace weir
