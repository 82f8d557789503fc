#include "workload/mpi/mpi_engine.hpp"

#include <cerrno>

#include <mpi.h>

#include "workload/detail/engine_worker.hpp"

namespace weir::workload::detail {
namespace {

// The errno that says best what MPI's error class says.
int as_errno(int code) {
  int error_class = MPI_ERR_IO;
  MPI_Error_class(code, &error_class);
  switch (error_class) {
    case MPI_ERR_NO_SPACE:
      return ENOSPC;
    case MPI_ERR_QUOTA:
      return EDQUOT;
    case MPI_ERR_READ_ONLY:
      return EROFS;
    case MPI_ERR_ACCESS:
      return EACCES;
    case MPI_ERR_NO_SUCH_FILE:
      return ENOENT;
    case MPI_ERR_BAD_FILE:
      return EINVAL;
    case MPI_ERR_NO_MEM:
      return ENOMEM;
    default:
      return EIO;
  }
}

// Independent reads and writes at explicit offsets; every rank opens its file for itself, a shared one as
// well, so that one that fails keeps no other waiting.
class MpiEngine {
 public:
  static constexpr bool kMayFault = false;

  MpiEngine() = default;
  MpiEngine(MpiEngine&& other) noexcept : file_(std::exchange(other.file_, MPI_FILE_NULL)) {}
  MpiEngine& operator=(MpiEngine&&) = delete;
  MpiEngine(const MpiEngine&) = delete;
  MpiEngine& operator=(const MpiEngine&) = delete;
  ~MpiEngine() {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }

  Result<void> open(const Opening& opening) {
    int mode = opening.moves == Moves::read    ? MPI_MODE_RDONLY
               : opening.moves == Moves::write ? MPI_MODE_WRONLY
                                               : MPI_MODE_RDWR;
    if (opening.create) mode |= MPI_MODE_CREATE;
    const int code = MPI_File_open(MPI_COMM_SELF, opening.file.c_str(), mode, MPI_INFO_NULL, &file_);
    if (code != MPI_SUCCESS) return error_of(as_errno(code), "cannot open", opening);
    return {};
  }

  template <Placing P>
  int read(std::byte* into, std::size_t size, std::uint64_t at) {
    MPI_Status status;
    const int code =
        MPI_File_read_at(file_, static_cast<MPI_Offset>(at), into, static_cast<int>(size), MPI_BYTE, &status);
    return moved(code, status, size, kEndsEarly);
  }
  template <Placing P>
  int write(const std::byte* from, std::size_t size, std::uint64_t at) {
    MPI_Status status;
    const int code = MPI_File_write_at(file_, static_cast<MPI_Offset>(at), from, static_cast<int>(size),
                                       MPI_BYTE, &status);
    return moved(code, status, size, ENOSPC);
  }

  int sync_record(std::uint64_t /*at*/, std::size_t /*size*/) { return sync(); }
  int sync() { return result(MPI_File_sync(file_)); }
  int close() { return result(MPI_File_close(&file_)); }

 private:
  static int result(int code) { return code == MPI_SUCCESS ? 0 : as_errno(code); }
  static int moved(int code, const MPI_Status& status, std::size_t size, int when_short) {
    if (code != MPI_SUCCESS) return as_errno(code);
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    return count == static_cast<int>(size) ? 0 : when_short;
  }

  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace

Result<std::unique_ptr<Worker>> make_mpiio_worker(const Task& task) {
  return make_engine_worker<MpiEngine>(task);
}

}  // namespace weir::workload::detail
