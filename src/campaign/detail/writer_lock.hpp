#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace weir::campaign::detail {

// Held by the one process that writes to a store, from opening to closing: SQLite's own locks last a
// transaction only, and two campaigns that took turns would disturb each other's measurements. A file
// STORE-lock beside the store with a POSIX lock on it: it ends with the process however that dies, forked
// workers do not inherit it, and the file is removed with it. (Not a lock on the store: closing a second
// descriptor of that file would drop the locks SQLite holds there.)
class WriterLock {
 public:
  static Result<WriterLock> take(const std::filesystem::path& store);
  WriterLock(WriterLock&&) noexcept = default;
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();

 private:
  WriterLock(UniqueFd fd, std::filesystem::path file);
  UniqueFd fd_;
  std::filesystem::path file_;
  int owner_;  // process; a forked child leaves the file alone
};

}  // namespace weir::campaign::detail
