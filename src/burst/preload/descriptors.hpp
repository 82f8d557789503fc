#pragma once

#include <cstring>
#include <vector>

#include "burst/preload/mount.hpp"
#include "burst/preload/table.hpp"

// What calls on descriptors mean for the table. The kernel has done, or will do, the same to the
// placeholders.
namespace weir::burst::preload {

// One of the two is a placeholder, by what the table knows from before.
void placeholder_made(int fd, int from);
// A call has made this descriptor, from `from` or, when that is negative, anew.
inline void descriptor_made(int fd, int from = -1) {
  if (fd < 0 || !Mount::current().is_on()) return;
  Mount::current().forget_descriptor(fd);
  if (Table::has(from) || Table::has(fd)) [[unlikely]]
    placeholder_made(fd, from);
}
// Before a descriptor is closed or something else is put behind it. An errno of closing the file.
int before_close(int fd);
void after_close(int fd);
// Before all from the first to the last are closed; gives those of Weir's own among them, which must stay.
std::vector<int> before_close_range(unsigned first, unsigned last);
// Whether a name may stand for a descriptor.
inline bool is_by_number(const char* path) {
  if (path[0] != '/') return false;
  return path[1] == 'd' ? std::strncmp(path, "/dev/", 5) == 0
                        : path[1] == 'p' && std::strncmp(path, "/proc/", 6) == 0;
}
// A name that stands for a descriptor ("/dev/stdin") was opened: what came may be a placeholder.
void opened_by_number(int fd, int flags);

}  // namespace weir::burst::preload
