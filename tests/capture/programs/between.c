/* Data from file to file inside the kernel, holes, room kept, advice and locks. */
#include <sys/file.h>
#include <sys/sendfile.h>

#include "tiny.h"

int main(void) {
  char data[1000] = {0};
  const int from = open("from", O_RDWR | O_CREAT, 0600);
  const int to = open("to", O_RDWR | O_CREAT, 0600);
  IGNORE(write(from, data, sizeof data));
  off_t at = 10;
  off_t there = 3;
  IGNORE(sendfile(to, from, &at, 100));
  IGNORE(sendfile(to, from, &at, 10000)); /* short */
  IGNORE(sendfile(to, from, NULL, 100));  /* at the end */
  IGNORE(lseek(from, 0, SEEK_SET));
  IGNORE(sendfile(to, from, NULL, 100));
  at = 0;
  IGNORE(copy_file_range(from, &at, to, &there, 50, 0));
  IGNORE(copy_file_range(from, &at, to, NULL, 50, 0));
  IGNORE(copy_file_range(from, NULL, to, NULL, 500, 0));
  IGNORE(fallocate(from, FALLOC_FL_KEEP_SIZE, 0, 100000));
  IGNORE(posix_fallocate(to, 100, 20000));
  IGNORE(posix_fallocate(to, -1, 20000)); /* EINVAL, returned */
  IGNORE(posix_fadvise(from, 0, 0, POSIX_FADV_RANDOM));
  IGNORE(sync_file_range(from, 0, 100, SYNC_FILE_RANGE_WRITE));
  IGNORE(lseek(from, 0, SEEK_DATA));
  IGNORE(lseek(from, 0, SEEK_HOLE));
  IGNORE(flock(from, LOCK_EX | LOCK_NB));
  IGNORE(flock(from, LOCK_UN));
  IGNORE(close(from));
  IGNORE(close(to));
  return 0;
}
