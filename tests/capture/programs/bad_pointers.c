/* Pointers to nowhere in calls that the kernel refuses before it looks at them: what else the tracer reads,
   it must not read these. */
#include <dirent.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "tiny.h"

int main(void) {
  char* volatile nowhere = (char*)8;
  struct stat st;
  IGNORE(open("begin", O_RDWR | O_CREAT, 0600));
  IGNORE(readv(55, (struct iovec*)nowhere, 2));
  IGNORE(writev(55, (struct iovec*)nowhere, 2));
  IGNORE(preadv(55, (struct iovec*)nowhere, 2, 0));
  IGNORE(pwritev(3, (struct iovec*)nowhere, 2, -1));  /* EINVAL: the offset */
  IGNORE(writev(3, (struct iovec*)nowhere, 2));       /* EFAULT */
  IGNORE(writev(3, (struct iovec*)nowhere, 0));       /* 0 */
  IGNORE(writev(3, (struct iovec*)nowhere, 1 << 20)); /* EINVAL: too many */
  IGNORE(unlinkat(AT_FDCWD, nowhere, 0x8000));        /* EINVAL: the flags */
  IGNORE(fstatat(AT_FDCWD, nowhere, &st, 0x8000));
  IGNORE(renameat2(AT_FDCWD, nowhere, AT_FDCWD, nowhere, 0xff));
  IGNORE(linkat(AT_FDCWD, nowhere, AT_FDCWD, nowhere, 0x8000));
  IGNORE(access(nowhere, 077));
  IGNORE(truncate(nowhere, -1));
  off_t* const offset = (off_t*)nowhere;
  IGNORE(copy_file_range(55, offset, 56, offset, 10, 0));
  IGNORE(copy_file_range(3, NULL, 3, NULL, 10, 0xff));
  IGNORE(utimensat(AT_FDCWD, nowhere, (struct timespec*)nowhere, 0x8000));
  return 0;
}
