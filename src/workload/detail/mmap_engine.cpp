#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "workload/detail/engine_worker.hpp"

namespace weir::workload::detail {
namespace {

// Copies to and from a mapping of the worker's part; msync makes it durable.
class MmapEngine {
 public:
  static constexpr bool kMayFault = true;

  MmapEngine() = default;
  MmapEngine(MmapEngine&& other) noexcept
      : fd_(std::move(other.fd_)),
        map_(std::exchange(other.map_, nullptr)),
        length_(other.length_),
        first_(other.first_) {}
  MmapEngine& operator=(MmapEngine&&) = delete;
  MmapEngine(const MmapEngine&) = delete;
  MmapEngine& operator=(const MmapEngine&) = delete;
  ~MmapEngine() { unmap(); }

  Result<void> open(const Opening& opening) {
    const bool writes = opening.moves != Moves::read;
    Opening widened = opening;
    if (writes) widened.moves = Moves::both;  // a writable mapping must be readable as well
    auto fd = open_for(widened);
    if (!fd) return fd.error();
    fd_.reset(*fd);
    // A shared file has its size already: who made it smaller here would cut off the others.
    if (opening.create && !opening.shared && ::ftruncate(fd_.get(), static_cast<off_t>(opening.end)) != 0)
      return error_of(errno, "cannot give it its size", opening);
    first_ = opening.begin / page_ * page_;
    length_ = opening.end - first_;
    void* const map = ::mmap(nullptr, length_, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                             fd_.get(), static_cast<off_t>(first_));
    if (map == MAP_FAILED) return error_of(errno, "cannot map", opening);
    map_ = static_cast<std::byte*>(map);
    return {};
  }

  template <Placing P>
  int read(std::byte* into, std::size_t size, std::uint64_t at) {
    std::memcpy(into, map_ + (at - first_), size);
    return 0;
  }
  template <Placing P>
  int write(const std::byte* from, std::size_t size, std::uint64_t at) {
    std::memcpy(map_ + (at - first_), from, size);
    return 0;
  }

  int sync_record(std::uint64_t at, std::size_t size) {
    const std::uint64_t from = (at - first_) / page_ * page_;
    return ::msync(map_ + from, at - first_ + size - from, MS_SYNC) == 0 ? 0 : errno;
  }
  int sync() { return ::msync(map_, length_, MS_SYNC) == 0 ? 0 : errno; }
  int close() {
    unmap();
    return ::close(fd_.release()) == 0 ? 0 : errno;
  }

 private:
  void unmap() {
    if (map_ != nullptr) ::munmap(std::exchange(map_, nullptr), length_);
  }

  std::uint64_t page_ = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  UniqueFd fd_;
  std::byte* map_ = nullptr;
  std::uint64_t length_ = 0;
  std::uint64_t first_ = 0;  // offset of the mapping
};

}  // namespace

Result<std::unique_ptr<Worker>> make_mmap_worker(const Task& task) {
  return make_engine_worker<MmapEngine>(task);
}

}  // namespace weir::workload::detail
