#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace weir::burst {

// A file of a node's buffer directory that several processes map and write. It outlives all of them. Its
// space is taken before it is mapped, so that no store can end in SIGBUS.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept
      : fd_(std::move(other.fd_)), bytes_(std::exchange(other.bytes_, {})) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedMemory();

  // Whole and zeroed when it appears under its name, in place of one that was there.
  static Result<SharedMemory> create(const std::filesystem::path& path, std::size_t bytes);
  static Result<SharedMemory> open(const std::filesystem::path& path);
  // Stores to its bytes are not allowed.
  static Result<SharedMemory> open_to_read(const std::filesystem::path& path);

  std::span<std::byte> bytes() const { return bytes_; }
  bool is_at(const std::filesystem::path& path) const;  // still

  // The process that holds it is alive. Given up with the object, or when the process ends, however it ends.
  bool hold();
  bool is_held_elsewhere() const;

 private:
  SharedMemory(UniqueFd fd, std::span<std::byte> bytes) : fd_(std::move(fd)), bytes_(bytes) {}
  static Result<SharedMemory> map(UniqueFd fd, const std::filesystem::path& path, int protection);

  UniqueFd fd_;
  std::span<std::byte> bytes_;
};

}  // namespace weir::burst
