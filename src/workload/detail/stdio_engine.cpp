#include <cerrno>
#include <cstdio>
#include <vector>

#include <unistd.h>

#include "base/unique_fd.hpp"
#include "workload/detail/engine_worker.hpp"

namespace weir::workload::detail {
namespace {

// fread and fwrite through a stream whose buffer holds one record, as in IOzone.
class StdioEngine {
 public:
  static constexpr bool kMayFault = false;

  StdioEngine() = default;
  StdioEngine(StdioEngine&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  StdioEngine& operator=(StdioEngine&&) = delete;
  StdioEngine(const StdioEngine&) = delete;
  StdioEngine& operator=(const StdioEngine&) = delete;
  ~StdioEngine() {
    if (stream_ != nullptr) std::fclose(stream_);
  }

  Result<void> open(const Opening& opening) {
    auto opened = open_for(opening);
    if (!opened) return opened.error();
    UniqueFd fd(*opened);
    stream_ = ::fdopen(fd.get(), opening.moves == Moves::read    ? "r"
                                 : opening.moves == Moves::write ? "w"
                                                                 : "r+");
    if (stream_ == nullptr) return error_of(errno, "cannot make a stream", opening);
    (void)fd.release();
    buffer_.resize(opening.record_size);
    if (std::setvbuf(stream_, buffer_.data(), _IOFBF, buffer_.size()) != 0)
      return error_of(EINVAL, "cannot set the stream's buffer", opening);
    if (opening.position != 0 && ::fseeko(stream_, static_cast<off_t>(opening.position), SEEK_SET) != 0)
      return error_of(errno, "cannot seek", opening);
    return {};
  }

  template <Placing P>
  int read(std::byte* into, std::size_t size, std::uint64_t at) {
    if (const int error = place<P>(at); error != 0) return error;
    if (std::fread(into, 1, size, stream_) == size) [[likely]]
      return 0;
    return std::ferror(stream_) != 0 ? errno : kEndsEarly;
  }
  template <Placing P>
  int write(const std::byte* from, std::size_t size, std::uint64_t at) {
    if (const int error = place<P>(at); error != 0) return error;
    return std::fwrite(from, 1, size, stream_) == size ? 0 : errno;
  }

  int sync_record(std::uint64_t /*at*/, std::size_t /*size*/) { return sync(); }
  int sync() {
    if (std::fflush(stream_) != 0) return errno;
    return ::fsync(::fileno(stream_)) == 0 ? 0 : errno;
  }
  int close() { return std::fclose(std::exchange(stream_, nullptr)) == 0 ? 0 : errno; }

 private:
  template <Placing P>
  int place(std::uint64_t at) {
    if constexpr (P == Placing::stream) return 0;
    return ::fseeko(stream_, static_cast<off_t>(at), SEEK_SET) == 0 ? 0 : errno;
  }

  std::FILE* stream_ = nullptr;
  std::vector<char> buffer_;
};

}  // namespace

Result<std::unique_ptr<Worker>> make_stdio_worker(const Task& task) {
  return make_engine_worker<StdioEngine>(task);
}

}  // namespace weir::workload::detail
