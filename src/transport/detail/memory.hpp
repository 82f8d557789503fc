#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace weir::transport::detail {

// The one owner of a mapping of shared memory.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  enum class Access { read, write };
  // The file must be at least as long: a shorter one would end in SIGBUS.
  static Result<Mapping> map(int fd, std::size_t bytes, Access access);

  std::span<std::byte> bytes() const { return bytes_; }
  template <class T>
  T& as() const {
    return *reinterpret_cast<T*>(bytes_.data());
  }

 private:
  explicit Mapping(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

// Memory without a name that can be passed on and neither shrinks nor grows.
Result<UniqueFd> make_memory(const char* name, std::size_t bytes);
// From now on others can map it for reading only.
Result<void> seal_against_writers(int fd);

}  // namespace weir::transport::detail
