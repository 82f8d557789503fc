#pragma once

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include "proxy/runtime/memory.hpp"
#include "proxy/runtime/start.hpp"

namespace weir_proxy {

// Functions of the MPI library itself, past whoever intercepts them: what the proxy asks for its own use is
// not the recorded program's.
inline void* find_in_library(const char* name) {
  static void* const library = [] {
    void* found = nullptr;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* to) {
          const char* const file = std::strrchr(object->dlpi_name, '/');
          if (file == nullptr ||
              (std::strncmp(file, "/libmpi.so", 10) != 0 && std::strncmp(file, "/libmpich.so", 12) != 0))
            return 0;
          *static_cast<void**>(to) = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
          return 1;
        },
        &found);
    return found;
  }();
  return library != nullptr ? dlsym(library, name) : nullptr;
}
template <class Function>
Function* quietly(const char* name, Function* otherwise) {
  void* const found = find_in_library(name);
  return found != nullptr ? reinterpret_cast<Function*>(found) : otherwise;
}
#define WEIR_QUIET(name) quietly("P" #name, &name)

inline thread_local MPI_Status last_status{};

inline MPI_File& mpi_file(i64 id) {
  static Pool<MPI_File> files(MPI_FILE_NULL);
  return files(id);
}

// Communicators that a request has yet to make (MPI_Comm_idup): their numbers first come up where they are
// used.
inline std::deque<MPI_Comm> later_comms;
inline MPI_Comm* later_comm() {
  const std::lock_guard guard(world.lock);
  later_comms.push_back(MPI_COMM_NULL);
  return &later_comms.back();
}
inline MPI_Comm& known_comm(MPI_Comm& comm) {
  const std::lock_guard guard(world.lock);
  if (comm == MPI_COMM_NULL && !later_comms.empty()) {
    comm = later_comms.front();
    later_comms.pop_front();
  }
  return comm;
}

inline i64 rank_in(MPI_Comm comm) {
  static auto* const ask = WEIR_QUIET(MPI_Comm_rank);
  int rank = 0;
  ask(comm, &rank);
  return rank;
}

inline i64 error_class(int code) {
  static auto* const ask = WEIR_QUIET(MPI_Error_class);
  int found = 0;
  return ask(code, &found) == MPI_SUCCESS ? found : code;
}

inline int whence(i64 recorded) {
  return recorded == 0   ? MPI_SEEK_SET
         : recorded == 1 ? MPI_SEEK_CUR
         : recorded == 2 ? MPI_SEEK_END
                         : static_cast<int>(recorded);
}

// Addresses become places in memory of our own.
inline i64 memory_at(i64 recorded) {
  return recorded > (i64{1} << 40) ? reinterpret_cast<i64>(world.windows) + recorded % (1 << 20) : recorded;
}
inline thread_local std::vector<void*> allocated;
inline void* new_memory() {
  allocated.push_back(nullptr);
  return &allocated.back();
}
inline void* allocated_memory() {
  if (allocated.empty()) return nullptr;
  void* const last = allocated.back();
  allocated.pop_back();
  return last;
}

inline int& keyval(i64 recorded) {
  static Pool<int> made(INT32_MIN);
  int& known = made(recorded);
  if (known == INT32_MIN) known = static_cast<int>(recorded);
  return known;
}

inline char*** arguments() {
  static char name[] = "proxy";
  static std::vector<char*> words(256, name);
  static char** list = words.data();
  return &list;
}

template <class Object>
void ignore_error(Object*, int*, ...) {}

// Before a call that found a message when it was recorded: until there is one.
inline void wait_for_message(int source, int tag, MPI_Comm comm) {
  static auto* const ask = WEIR_QUIET(MPI_Iprobe);
  int there = 0;
  while (ask(source, tag, comm, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there == 0) pause_a_moment();
}

// Before a call that tells which requests are over: until those are that were over when it was recorded; all
// if nothing says which.
inline void wait_until_over(MPI_Request* requests, int count, const i64* which, std::size_t which_count) {
  static auto* const ask = WEIR_QUIET(MPI_Request_get_status);
  const auto wait_for = [&](i64 at) {
    int over = at < 0 || at >= count || requests[at] == MPI_REQUEST_NULL ? 1 : 0;
    while (over == 0) {
      if (ask(requests[at], &over, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
      if (over == 0) pause_a_moment();
    }
  };
  if (which_count == 0)
    for (int i = 0; i < count; ++i) wait_for(i);
  for (std::size_t i = 0; i < which_count; ++i) wait_for(which[i]);
}
inline void wait_until_over(MPI_Request* requests, int count, std::initializer_list<i64> which) {
  wait_until_over(requests, count, which.begin(), which.size());
}

}  // namespace weir_proxy
