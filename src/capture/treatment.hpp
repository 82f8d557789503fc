#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <aio.h>

#include "calls/call.hpp"

namespace weir::capture {

// What the recorder does with one argument of a call, decided while compiling from its role and its C type.
enum class Treatment {
  number,          // kept as it is
  address,         // kept as a number of each record: mappings are told apart by it
  descriptor,      // an open descriptor, by its symbolic id
  directory,       // likewise, but may be AT_FDCWD
  object,          // a FILE* or DIR*, by its symbolic id
  path,            // a name
  text,            // a string
  texts,           // a null-terminated list of strings
  lengths,         // an iovec array: its lengths
  times,           // a pair of time stamps to be set
  offset,          // a position in a file
  offset_pointer,  // likewise, where the call also leaves the new one
  request,         // an asynchronous request: what it asks for
  requests,        // likewise, of a list of them
  ring,            // an io_uring: what is about to be submitted
  changing,        // a number that is another one each time: a process
  written,         // likewise, where the call has put it
  thread,          // what the C library calls a thread, by the kernel's number
  new_thread,      // likewise, where the call has put it
  new_pair,        // where two new descriptors are put
  string,          // data that ends at its null character: how long it is
  nothing,         // data itself
  memory,          // data's place, if the user wants to know it
  pointer,         // only whether it is null
};

constexpr bool is(Call call, std::string_view wanted) { return name(info(call).means) == wanted; }

template <class... Names>
constexpr bool is_one_of(Call call, Names... names) {
  return (is(call, names) || ...);
}

// Calls on mapped memory, whose address says which mapping is meant.
constexpr bool maps_memory(Call call) {
  return is_one_of(call, "mmap", "munmap", "mremap", "msync", "madvise", "posix_madvise");
}

constexpr bool waits_for_child(Call call) {
  return is_one_of(call, "wait", "waitpid", "wait3", "wait4", "waitid");
}
constexpr bool makes_thread(Call call) { return is_one_of(call, "pthread_create", "thrd_create"); }
constexpr bool joins_thread(Call call) {
  return is_one_of(call, "pthread_join", "pthread_tryjoin_np", "pthread_timedjoin_np", "pthread_clockjoin_np",
                   "thrd_join");
}

template <Call C, std::size_t I, class T>
constexpr Treatment treatment() {
  constexpr const Argument& argument = arguments(C)[I];
  constexpr Role role = argument.role;
  constexpr bool in = argument.direction == Direction::in;
  if constexpr (role == Role::varargs) {
    return Treatment::pointer;
  } else if constexpr (makes_thread(C) && I == 0) {
    return Treatment::new_thread;
  } else if constexpr (joins_thread(C) && I == 0) {
    return Treatment::thread;
  } else if constexpr (waits_for_child(C) && argument.name == "child") {
    return Treatment::changing;
  } else if constexpr ((waits_for_child(C) && (argument.name == "status" || argument.name == "ended")) ||
                       (is_one_of(C, "posix_spawn", "posix_spawnp") && argument.name == "child")) {
    return Treatment::written;
  } else if constexpr (!std::is_pointer_v<T>) {
    if constexpr (role == Role::file) return Treatment::descriptor;
    if constexpr (role == Role::directory) return Treatment::directory;
    if constexpr (role == Role::offset) return Treatment::offset;
    if constexpr (role == Role::character) return Treatment::nothing;
    return Treatment::number;
  } else {
    using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
    constexpr bool is_chars = std::is_same_v<Target, char>;
    if constexpr (role == Role::stream || role == Role::directory)
      return in ? Treatment::object : Treatment::pointer;
    if constexpr (role == Role::path && is_chars) return Treatment::path;
    if constexpr (role == Role::text && is_chars && in) return Treatment::text;
    if constexpr (role == Role::text && in && argument.name == "argv") return Treatment::texts;
    if constexpr (role == Role::string && (is_chars || std::is_same_v<Target, wchar_t>))
      return Treatment::string;
    if constexpr (role == Role::vector && in) return Treatment::lengths;
    if constexpr (role == Role::offset && std::is_integral_v<Target>) return Treatment::offset_pointer;
    if constexpr (role == Role::time && in && name(C).find("utim") != std::string_view::npos)
      return Treatment::times;
    if constexpr (role == Role::buffer && maps_memory(C)) return Treatment::address;
    if constexpr (role == Role::buffer && !std::is_pointer_v<Target>) return Treatment::memory;
    if constexpr (role == Role::file && std::is_same_v<Target, int> && info(C).opens && argument.items == 2)
      return Treatment::new_pair;
    if constexpr (role == Role::ring && name(C).starts_with("io_uring_submit")) return Treatment::ring;
    if constexpr (role == Role::request && std::is_same_v<Target, aiocb>) return Treatment::request;
    if constexpr (role == Role::request && std::is_same_v<Target, aiocb*> && in) return Treatment::requests;
    return Treatment::pointer;
  }
}

}  // namespace weir::capture
