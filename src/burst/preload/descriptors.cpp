#include "burst/preload/descriptors.hpp"

#include <cerrno>

#include <dirent.h>
#include <unistd.h>

#include "base/uncancelled.hpp"
#include "burst/preload/mappings.hpp"
#include "burst/preload/mount.hpp"
#include "burst/preload/process.hpp"
#include "burst/preload/streams.hpp"
#include "burst/preload/table.hpp"

namespace weir::burst::preload {

void placeholder_made(int fd, int from) {
  if (Process::is_vfork_child()) return;
  const Uncancelled work;
  if (Table::has(from))
    Table::current().duplicate(from, fd);
  else
    Table::current().drop(fd);
  Streams::current().descriptor_changed(fd);
}

int before_close(int fd) {
  Mount::current().forget_descriptor(fd);
  if (!Table::has(fd) || Process::is_vfork_child()) return 0;
  const Uncancelled work;
  Streams::before_change(fd);
  if (Mappings::any())
    if (const Use file(fd); file) Mappings::current().write_back(file->id());
  return Table::current().drop(fd);
}

void after_close(int fd) {
  if (!Process::is_vfork_child()) Streams::current().descriptor_changed(fd);
}

std::vector<int> before_close_range(unsigned first, unsigned last) {
  std::vector<int> own;
  if (!Mount::current().is_on() || Process::is_vfork_child()) return own;
  const Uncancelled work;
  for (const int fd : Table::current().numbers()) {
    if (static_cast<unsigned>(fd) < first || static_cast<unsigned>(fd) > last) continue;
    before_close(fd);
    after_close(fd);
  }
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return own;
  while (const dirent* const entry = ::readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    const bool concerned = entry->d_name[0] != '.' && static_cast<unsigned>(fd) >= first &&
                           static_cast<unsigned>(fd) <= last && fd != ::dirfd(folder);
    if (!concerned) continue;
    Mount::current().forget_descriptor(fd);
    if (Process::current().owns(fd)) own.push_back(fd);
  }
  ::closedir(folder);
  std::sort(own.begin(), own.end());
  return own;
}

void opened_by_number(int fd, int flags) {
  const auto file = Process::current().placeholder_of(fd);
  if (!file || Process::is_vfork_child()) return;
  Table::current().put(fd, *file, ::fcntl(fd, F_GETFL), nullptr, false);
  if ((flags & O_TRUNC) != 0 && (flags & O_ACCMODE) != O_RDONLY) Use(fd)->truncate(0);
}

}  // namespace weir::burst::preload
