/* Files mapped shared, private, in parts, synchronised and unmapped in pieces. */
#include <sys/mman.h>

#include "tiny.h"

int main(void) {
  const long page = 4096;
  const int fd = open("mapped", O_RDWR | O_CREAT, 0600);
  IGNORE(ftruncate(fd, 16 * page));
  char* all = mmap(NULL, (size_t)(16 * page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memset(all, 'm', (size_t)(4 * page));
  IGNORE(msync(all, (size_t)(4 * page), MS_SYNC));
  IGNORE(madvise(all, (size_t)(16 * page), MADV_SEQUENTIAL));
  char* part = mmap(NULL, (size_t)page, PROT_READ, MAP_PRIVATE, fd, 3 * page);
  IGNORE(munmap(part, (size_t)page));
  IGNORE(munmap(all + 8 * page, (size_t)(8 * page)));
  IGNORE(msync(all + page, (size_t)page, MS_ASYNC));
  IGNORE(munmap(all, (size_t)(8 * page)));
  void* not_open = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, 77, 0); /* EBADF */
  IGNORE(close(fd));
  return not_open == MAP_FAILED ? 0 : 1;
}
