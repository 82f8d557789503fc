#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "semantics/detail/collected.hpp"
#include "semantics/detail/datatype.hpp"

namespace weir::semantics::detail {

// An open file description: what descriptors share after dup() and fork().
struct Description {
  std::uint32_t opening = kNone;
  std::int64_t position = 0;  // from the file's end where that is all that is known
  bool from_end = false;
  bool append = false;
};

// A handle of a process: a descriptor, a stream, an MPI file.
struct Slot {
  std::uint32_t description = kNone;
  std::uint32_t use = kNone;  // kNone: no file
  std::int32_t number = -1;   // the descriptor
  std::uint16_t buffer = 0;   // of a stream
  bool open = false;
  bool stream = false;
  bool unbuffered = false;
  // What a stream may have read at once, and when: in which turn of the process.
  std::int64_t ahead_from = 0;
  std::int64_t ahead_to = 0;
  std::uint64_t ahead_turn = 0;
};

struct Mapping {
  std::uint32_t use = kNone;
  std::int64_t offset = 0;  // in the file
  std::int64_t length = 0;
  std::uint16_t buffer = 0;
  bool reads = false;
  bool writes = false;
};

// An asynchronous request that has been made and whose outcome nobody has fetched.
struct Request {
  std::uint32_t use = kNone;
  std::size_t access = 0;  // of the use
  std::uint16_t buffer = 0;
  bool complete = false;
};

// One that MPI made of the C library inside a call of its own.
struct InnerRequest {
  std::int64_t address = 0;  // of its aiocb
  std::uint16_t buffer = 0;
};

// A request of MPI: an access that it may make at any time, or the requests that it made of the C library.
struct MpiRequest {
  std::uint32_t use = kNone;
  std::uint16_t buffer = 0;
  std::vector<InnerRequest> inside;
};

// An open MPI file.
struct MpiFile {
  FileView view;
  std::int64_t position = 0;  // in etypes
  bool view_known = true;
  bool position_known = true;
  bool seen_below = false;  // MPI's POSIX calls on it are in the trace
  std::uint16_t split = 0;  // what MPI_File_read_all_begin and its like have begun
};

// What was opened or done inside a call that has not ended: whether that is MPI's is not known yet.
struct Pending {
  enum class What : std::uint8_t { opening, change, metadata, request };

  What what = What::opening;
  std::uint32_t index = 0;
  std::uint32_t depth = 0;
};

// What a process has open, by the symbolic ids of its handles.
struct ProcessTable {
  std::vector<Slot> slots;
  std::vector<Slot> inherited;                            // from the program that this one replaced
  std::unordered_map<std::int64_t, Mapping> mappings;     // by address
  std::unordered_map<std::int64_t, Request> requests;     // by the address of their aiocb
  std::unordered_map<std::uint32_t, std::uint32_t> uses;  // by opening
  std::unordered_map<std::uint32_t, MpiFile> mpi_files;   // by handle
  std::unordered_map<std::int64_t, MpiRequest> mpi_requests;
  Datatypes datatypes;
  std::vector<std::vector<Pending>> pending;  // by stream; the deepest last, for inner calls end first
  std::uint32_t place = 0;                    // of the next access or sync point
  // The last number given to a stream or a mapping. They may come again: nobody has as many open at once.
  std::uint16_t buffers = 0;
  bool started = false;
  bool replaced = false;  // by another program, which goes on with its descriptors
  Event last;             // its last record
  std::int64_t last_ns = 0;
  std::uint32_t streams_left = 0;  // that are still being read
  std::uint64_t turn = 0;          // calls of MPI so far: others may have been heard of

  Slot& slot(std::uint32_t id) {
    if (id >= slots.size()) slots.resize(id + 1);
    return slots[id];
  }
};

}  // namespace weir::semantics::detail
