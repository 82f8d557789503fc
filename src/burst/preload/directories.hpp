#pragma once

#include <atomic>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <dirent.h>

namespace weir::burst::preload {

// A directory that is being read: what the backing directory has, then what only the name space knows.
struct Listing {
  std::string name;
  std::vector<std::string> buffered;   // names that were not met in the backing directory yet
  std::vector<std::uint64_t> numbers;  // of their files
  std::size_t next = 0;
  bool at_buffered = false;
  int error = 0;  // why the owners could not be asked: what is listed is not all
  dirent entry{};

  int refresh();  // asks the owners; gives `error`
  // Whether the program gets to see this entry of the backing directory.
  bool shows(const dirent& real);
  // The next name that only the name space has; null at the end.
  dirent* next_buffered();
};

// Directories below the mount that the program has open.
class Directories {
 public:
  static Directories& current();

  // Whether any is open: others cost a load.
  static bool any() { return open_.load(std::memory_order_relaxed) > 0; }
  // What the owners know of a directory that is about to be opened; nothing if it is not below the mount. An
  // errno.
  static int look(int at, const char* path, std::optional<Listing>& listing);
  static int look(int fd, std::optional<Listing>& listing);
  void opened(DIR* directory, Listing listing);
  void closed(DIR* directory);
  Listing* find(DIR* directory);

  // Where the buffered names begin: a file system's own places are not negative, and ext4's go up to the end.
  static constexpr long kBufferedPosition = std::numeric_limits<long>::min();

 private:
  static constinit std::atomic<int> open_;
  std::mutex mutex_;
  std::unordered_map<DIR*, Listing> listings_;
};

}  // namespace weir::burst::preload
