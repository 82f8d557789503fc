#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burst/preload/reply_directories.hpp"

namespace weir::burst::preload {

bool is_scanned_here(int directory, const char* path) {
  return Mount::current().locate(directory, path, Follow::yes).is_directory();
}

namespace {

// What the program gets, and frees. Null where there is no memory.
dirent* copy_of(const dirent& entry) {
  auto* const made = static_cast<dirent*>(std::malloc(entry.d_reclen));
  if (made != nullptr) std::memcpy(made, &entry, entry.d_reclen);
  return made;
}

// An errno. What was read before something failed is in `found` all the same.
int read_selected(DIR* open, Select select, std::vector<dirent*>& found) {
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(open);
    if (entry == nullptr) return errno;
    if (select != nullptr && select(entry) == 0) continue;
    dirent* const made = copy_of(*entry);
    if (made == nullptr) return ENOMEM;
    found.push_back(made);
  }
}

int scan(DIR* open, int errno_before, dirent*** list, Select select, Compare compare) {
  if (open == nullptr) return -1;
  std::vector<dirent*> found;
  int error = read_selected(open, select, found);
  ::closedir(open);
  const std::size_t bytes = std::max<std::size_t>(1, found.size()) * sizeof(dirent*);
  auto** const made = error == 0 ? static_cast<dirent**>(std::malloc(bytes)) : nullptr;
  if (made == nullptr) {
    for (dirent* const entry : found) std::free(entry);
    errno = error != 0 ? error : ENOMEM;
    return -1;
  }
  if (compare != nullptr)
    std::ranges::stable_sort(found, [&](const dirent* a, const dirent* b) { return compare(&a, &b) < 0; });
  std::ranges::copy(found, made);
  *list = made;
  errno = errno_before;
  return static_cast<int>(found.size());
}

}  // namespace

int scan_names(const char* path, dirent*** list, Select select, Compare compare) {
  const int before = errno;
  return scan(::opendir(path), before, list, select, compare);
}

int scan_names_at(int directory, const char* path, dirent*** list, Select select, Compare compare) {
  const int before = errno;
  const int fd = ::openat(directory, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
  DIR* const open = fd < 0 ? nullptr : ::fdopendir(fd);
  if (open == nullptr && fd >= 0) {
    const int error = errno;
    ::close(fd);
    errno = error;
  }
  return scan(open, before, list, select, compare);
}

// Called by the C library on the program's side: these calls are answered like the program's own.
void look_with_ours(glob_t& found) {
  found.gl_opendir = [](const char* path) -> void* { return ::opendir(path); };
  found.gl_readdir = [](void* directory) { return ::readdir(static_cast<DIR*>(directory)); };
  found.gl_closedir = [](void* directory) { static_cast<void>(::closedir(static_cast<DIR*>(directory))); };
  found.gl_lstat = [](const char* path, struct stat* status) { return ::lstat(path, status); };
  found.gl_stat = [](const char* path, struct stat* status) { return ::stat(path, status); };
}

}  // namespace weir::burst::preload
