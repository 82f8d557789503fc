#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace weir {

// open() that retries on EINTR, closes on exec, and whose errors name the path and, when the file is
// missing, the nearest name in the same directory.
Result<UniqueFd> open_file(const std::filesystem::path& path, int flags, mode_t mode = 0666);

// Writes all of `bytes`, however often write() returns short.
Result<void> write_all(int fd, ByteSpan bytes);

// The whole file as text. Also reads what has no size (/proc, pipes); `path` "-" is standard input.
// More than `limit` bytes is an error, never a truncation.
Result<std::string> read_text(const std::filesystem::path& path,
                              std::uint64_t limit = std::uint64_t{1} << 34);

// Replaces a file as a whole: readers see the old content or the new, and after a crash or a full disk
// one of the two is there. Written beside it, synced, renamed; nothing is left behind on failure.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path, mode_t mode = 0666);
  AtomicFile(AtomicFile&&) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) noexcept = default;
  ~AtomicFile();  // without commit() the old file stays

  Result<void> write(ByteSpan bytes) { return write_all(fd_.get(), bytes); }
  // write() so far becomes the file: fsync, rename, fsync of the directory.
  Result<void> commit();

 private:
  AtomicFile(UniqueFd fd, std::filesystem::path temporary, std::filesystem::path target);

  UniqueFd fd_;
  std::filesystem::path temporary_;
  std::filesystem::path target_;
};

Result<void> replace_file(const std::filesystem::path& path, ByteSpan bytes, mode_t mode = 0666);

}  // namespace weir
