#pragma once

#include <fcntl.h>

#include "burst/preload/open_file.hpp"

// What calls on descriptors mean for the table. The kernel has done, or will do, the same to the
// placeholders.
namespace weir::burst::preload {

// A call has made this descriptor, from `from` or, when that is negative, anew.
void descriptor_made(int fd, int from = -1);
// Before a descriptor is closed or something else is put behind it. An errno of closing the file.
int before_close(int fd);
void after_close(int fd);
// Before all from the first to the last are closed; gives those of Weir's own among them, which must stay.
std::vector<int> before_close_range(unsigned first, unsigned last);
// Whether a name may stand for a descriptor.
bool is_by_number(const char* path);
// A name that stands for a descriptor ("/dev/stdin") was opened: what came may be a placeholder.
void opened_by_number(int fd, const char* path, int flags);

}  // namespace weir::burst::preload
