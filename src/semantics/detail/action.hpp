#pragma once

#include <cstdint>
#include <vector>

#include "semantics/accesses.hpp"
#include "trace/record.hpp"

namespace weir::semantics::detail {

// Libraries whose calls are traced, and which make calls of their own inside.
using Library = MetadataCount::Library;

// What a call does to files, as far as bytes and their visibility are concerned.
enum class Action : std::uint8_t {
  nothing,
  open,         // a path becomes a descriptor
  open_stream,  // or a stream
  make_stream,  // fdopen: a stream over a descriptor
  reopen,       // freopen
  duplicate,    // dup and its like, fcntl(F_DUPFD)
  close,
  close_stream,
  close_numbers,  // close_range, closefrom
  close_streams,  // fcloseall
  transfer,       // read, write: at the position, which moves
  transfer_at,    // pread, pwrite: at an offset
  transfer_stream,
  begin_request,   // aio_read, aio_write
  begin_requests,  // lio_listio
  end_request,     // aio_return, aio_error: it may be complete
  copy,            // sendfile, copy_file_range, splice: from one file to another
  seek,
  seek_stream,
  tell_stream,
  rewind_stream,
  lose_position,  // fsetpos
  push_back,      // ungetc
  flush_stream,
  set_buffer,
  control,  // fcntl
  sync_data,
  sync_all,
  truncate_name,
  truncate,
  allocate,
  map,
  unmap,
  sync_map,
  move_map,  // mremap
  fork,
  vfork,
  replace_program,  // exec
  rename,
  link,
  soft_link,
  remove_name,
  make_directory,
  look_up,     // stat, access: whether a name is there and what it is
  list_names,  // opendir
  change_mode,
  mpi_open,
  mpi_close,
  mpi_sync,
  mpi_view,
  mpi_seek,
  mpi_tell,
  mpi_transfer,     // at the position, at an offset, or at the shared position
  mpi_begin_split,  // likewise, the first of two calls
  mpi_end_split,
  mpi_complete,  // MPI_Wait and its like
  mpi_resize,
  mpi_delete,
  make_type,
  free_type,
};

// For each function of a trace.
struct CallInfo {
  Action action = Action::nothing;
  std::int8_t moves = 0;         // data to a file (1) or from one (-1)
  std::int8_t handle = -1;       // argument of the file or stream
  std::int8_t path = -1;         // of the first path
  std::int8_t second_path = -1;  // of the second
  std::int8_t directory = -1;    // of the directory the first path starts from
  std::int8_t second_directory = -1;
  std::int8_t offset = -1;
  std::int8_t flags = -1;
  std::int8_t count = -1;
  std::int8_t datatype = -1;
  bool in_mpi = false;              // of MPI or MPI-IO: what is inside it is the library's
  bool metadata = false;            // neither data nor open, close or seek
  bool opens_ring = false;          // what goes through it is not seen
  Library library = Library::none;  // whose call it is
  bool shared = false;              // at the shared position
};

std::vector<CallInfo> call_infos(const std::vector<trace::Function>& functions);

}  // namespace weir::semantics::detail
