#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <sys/types.h>

#include "burst/preload/open_file.hpp"

namespace weir::burst::preload {

// Files in memory: copies of theirs. What was changed in shared ones goes back when the program says so, and
// when it ends.
class Mappings {
 public:
  static Mappings& current();
  static bool any() { return count_.load(std::memory_order_relaxed) > 0; }

  // A new mapping; MAP_FAILED in the value and an errno on failure.
  Answer map(OpenFile& file, void* address, std::size_t length, int protection, int flags, off_t offset);
  // What was changed in these pages goes to the file. An errno.
  int write_back(void* address, std::size_t length);
  int write_back(FileId file);
  void write_back_all();
  // These pages are no more; written back before.
  void forget(void* address, std::size_t length);
  void begin_again();  // in a forked child: files are its parent's
  void find_again();   // and opened anew
  bool covers(const void* address, std::size_t length);

  std::mutex& mutex() { return mutex_; }

 private:
  struct Area {
    std::size_t length = 0;
    off_t offset = 0;
    std::shared_ptr<File> file;  // an open of its own
    FileId id = {};
    std::shared_ptr<const std::byte> now;  // what the program sees at its own addresses
    std::vector<std::byte> before;         // as it was read or last written back
  };
  int write_back_area(Area& area);
  template <class F>
  int for_overlapping(void* address, std::size_t length, F&& f);

  static constinit std::atomic<int> count_;
  std::mutex mutex_;
  std::map<std::byte*, Area> areas_;  // of shared ones that may be written
};

}  // namespace weir::burst::preload
