#pragma once

#include <optional>
#include <string_view>

#include "calls/call.hpp"
#include "trace/slice_file.hpp"

namespace weir::capture {

// How slices count a call; nothing for calls that are no I/O of files.
struct SliceKind {
  trace::slices::Layer layer;
  trace::slices::Operation operation;
};

constexpr bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  for (const std::string_view each : names)
    if (each == name) return true;
  return false;
}

constexpr bool names_a_file(Call call) {
  for (const Argument& argument : arguments(call))
    if (argument.role == Role::path) return true;
  return false;
}

// Where the descriptor or stream stands that a call acts on; argument_count for none.
constexpr std::size_t descriptor_argument(Call call) {
  for (const std::string_view each : {"stream", "out_fd", "fd"})
    if (const std::size_t at = find_argument(call, each); at < arguments(call).size()) return at;
  return arguments(call).size();
}

constexpr std::optional<SliceKind> slice_kind(Call call) {
  using trace::slices::Layer;
  using trace::slices::Operation;
  const std::string_view meant = name(info(call).means);
  const Layer layer = name(info(call).layer) == "stdio" ? Layer::stdio : Layer::posix;
  if (is_one_of(meant, {"read", "pread", "readv", "preadv", "preadv2", "fread", "fread_unlocked", "fgets",
                        "getline", "getdelim"}))
    return SliceKind{layer, Operation::read};
  if (is_one_of(meant, {"write", "pwrite", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range",
                        "splice", "fwrite", "fwrite_unlocked", "fprintf", "vfprintf", "fputs"}))
    return SliceKind{layer, Operation::write};
  if (is_one_of(meant, {"fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync", "fflush"}))
    return SliceKind{layer, Operation::sync};
  if (info(call).leaves) return std::nullopt;
  if (info(call).closes && descriptor_argument(call) < arguments(call).size())
    return SliceKind{layer, Operation::close};
  if (info(call).opens && names_a_file(call)) return SliceKind{layer, Operation::open};
  if (names_a_file(call)) return SliceKind{layer, Operation::names};
  return std::nullopt;
}

// Calls that are not counted but followed: they move a position, or give a number another meaning.
constexpr bool moves_descriptor(Call call) {
  if (name(info(call).layer) != "posix" && name(info(call).layer) != "stdio") return false;
  return !info(call).leaves &&
         (info(call).opens ||
          is_one_of(name(info(call).means), {"lseek", "fseek", "fseeko", "rewind", "fsetpos", "fcntl"}));
}

}  // namespace weir::capture
