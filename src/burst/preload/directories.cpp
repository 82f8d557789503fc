#include "burst/preload/directories.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>

#include "burst/client/fill_stat.hpp"
#include "burst/preload/mount.hpp"
#include "burst/preload/process.hpp"

namespace weir::burst::preload {

constinit std::atomic<int> Directories::open_{0};

Directories& Directories::current() {
  static Directories* const directories = new Directories;
  return *directories;
}

int Listing::refresh() {
  buffered.clear();
  numbers.clear();
  next = 0;
  at_buffered = false;
  std::vector<NameRow> rows;
  FileSystem* const system = Process::current().system();
  error = system != nullptr ? system->list(name, rows) : EIO;
  if (error != 0) return error;
  std::ranges::sort(rows, {}, &NameRow::path);
  const std::size_t skip = name.empty() ? 0 : name.size() + 1;
  for (const NameRow& row : rows) {
    const std::string rest = row.path.substr(skip);
    if (rest.empty() || rest.size() >= sizeof entry.d_name || rest.find('/') != rest.npos) continue;
    buffered.push_back(rest);
    numbers.push_back(inode_of(row.file));
  }
  return 0;
}

bool Listing::shows(const dirent& real) {
  if (Mount::is_hidden(name, real.d_name)) return false;
  // Emptied, not erased: positions stay what they are.
  const auto found = std::ranges::find(buffered, std::string_view(real.d_name));
  if (found != buffered.end()) found->clear();
  return true;
}

dirent* Listing::next_buffered() {
  at_buffered = true;
  while (next < buffered.size() && buffered[next].empty()) ++next;
  if (next >= buffered.size()) return nullptr;
  entry = {};
  entry.d_ino = numbers[next];
  entry.d_type = DT_REG;
  entry.d_reclen = sizeof entry;
  std::memcpy(entry.d_name, buffered[next].c_str(), buffered[next].size() + 1);
  ++next;
  entry.d_off = Directories::kBufferedPosition + static_cast<long>(next);
  return &entry;
}

int Directories::look(int at, const char* path, std::optional<Listing>& listing) {
  const Where where = Mount::current().locate(at, path, Follow::yes);
  if (!where.is_directory()) return 0;
  listing.emplace().name = where.name;
  return listing->refresh();
}

int Directories::look(int fd, std::optional<Listing>& listing) {
  return look(AT_FDCWD, path_behind(fd).c_str(), listing);
}

void Directories::opened(DIR* directory, Listing listing) {
  const std::lock_guard lock(mutex_);
  if (listings_.insert_or_assign(directory, std::move(listing)).second) ++open_;
}

void Directories::closed(DIR* directory) {
  const std::lock_guard lock(mutex_);
  if (listings_.erase(directory) > 0) --open_;
}

Listing* Directories::find(DIR* directory) {
  const std::lock_guard lock(mutex_);
  const auto found = listings_.find(directory);
  return found == listings_.end() ? nullptr : &found->second;
}

}  // namespace weir::burst::preload
