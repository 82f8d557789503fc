#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

#include "burst/preload/reply_directories.hpp"

namespace weir::burst::preload {

bool is_scanned_here(int directory, const char* path) {
  return Mount::current().locate(directory, path, Follow::yes).is_directory();
}

Answer scan(int directory, const char* path, dirent*** list, Select select, Compare compare) {
  const Where where = Mount::current().locate(directory, path, Follow::yes);
  std::vector<dirent> entries;
  if (!read_whole(where.name, entries)) return Answer::failed(errno);
  if (select != nullptr) std::erase_if(entries, [&](const dirent& entry) { return select(&entry) == 0; });
  auto** const made =
      static_cast<dirent**>(std::calloc(std::max<std::size_t>(1, entries.size()), sizeof(dirent*)));
  if (made == nullptr) return Answer::failed(ENOMEM);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    made[i] = static_cast<dirent*>(std::malloc(sizeof(dirent)));
    if (made[i] == nullptr) {
      for (std::size_t j = 0; j < i; ++j) std::free(made[j]);
      std::free(made);
      return Answer::failed(ENOMEM);
    }
    *made[i] = entries[i];
  }
  if (compare != nullptr)
    std::stable_sort(made, made + entries.size(),
                     [&](const dirent* a, const dirent* b) { return compare(&a, &b) < 0; });
  *list = made;
  return {static_cast<long>(entries.size()), 0};
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
