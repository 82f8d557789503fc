#include <cerrno>

#include <unistd.h>

#include "base/unique_fd.hpp"
#include "workload/detail/engine_worker.hpp"

namespace weir::workload::detail {
namespace {

// read and write, after lseek where the mode goes out of order, and pread and pwrite.
class PosixEngine {
 public:
  static constexpr bool kMayFault = false;

  Result<void> open(const Opening& opening) {
    auto fd = open_for(opening);
    if (!fd) return fd.error();
    fd_.reset(*fd);
    if (opening.position != 0 && ::lseek(fd_.get(), static_cast<off_t>(opening.position), SEEK_SET) < 0)
      return error_of(errno, "cannot seek", opening);
    return {};
  }

  template <Placing P>
  int read(std::byte* into, std::size_t size, std::uint64_t at) {
    return move<P>(into, size, at, ::read, ::pread);
  }
  template <Placing P>
  int write(const std::byte* from, std::size_t size, std::uint64_t at) {
    return move<P>(from, size, at, ::write, ::pwrite);
  }

  int sync_record(std::uint64_t /*at*/, std::size_t /*size*/) { return sync(); }
  int sync() { return ::fsync(fd_.get()) == 0 ? 0 : errno; }
  int close() { return ::close(fd_.release()) == 0 ? 0 : errno; }

 private:
  // Goes on where a call moved less than it should.
  template <Placing P, class Byte, class Call, class CallAt>
  int move(Byte* bytes, std::size_t size, std::uint64_t at, Call call, CallAt call_at) {
    if constexpr (P == Placing::seek)
      if (::lseek(fd_.get(), static_cast<off_t>(at), SEEK_SET) < 0) return errno;
    for (std::size_t done = 0; done < size;) {
      ssize_t moved = 0;
      if constexpr (P == Placing::explicit_offset)
        moved = call_at(fd_.get(), bytes + done, size - done, static_cast<off_t>(at + done));
      else
        moved = call(fd_.get(), bytes + done, size - done);
      if (moved > 0) [[likely]]
        done += static_cast<std::size_t>(moved);
      else if (moved == 0)
        return kEndsEarly;
      else if (errno != EINTR)
        return errno;
    }
    return 0;
  }

  UniqueFd fd_;
};

}  // namespace

Result<std::unique_ptr<Worker>> make_posix_worker(const Task& task) {
  return make_engine_worker<PosixEngine>(task);
}

}  // namespace weir::workload::detail
