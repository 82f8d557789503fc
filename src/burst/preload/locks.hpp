#pragma once

#include <fcntl.h>

#include "burst/preload/open_file.hpp"

// Locks. The kernel grants them on the placeholder, to the processes of the node; with several nodes they are
// taken in a file of the backing directory as well, whose file system brings them to the others.
namespace weir::burst::preload {

// As fcntl() does, with the kernel's errors.
Answer record_lock(OpenFile& file, int fd, int command, struct flock& lock);
Answer whole_lock(OpenFile& file, int fd, int operation);  // flock()

}  // namespace weir::burst::preload
