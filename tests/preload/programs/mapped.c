// Files in memory.
// counts: mmap=3 munmap=3 mremap=3 msync=2 mprotect=1 madvise=1 posix_madvise=1 remap_file_pages=1 depth=0
#include <fcntl.h>
#include <sys/mman.h>

#include "tiny.h"

enum { kPage = 4096 };

int main(void) {
  const int fd = open("data", O_CREAT | O_RDWR, 0600);
  MUST(fd >= 0 && ftruncate(fd, 4 * kPage) == 0);
  char* memory = mmap(NULL, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  MUST(memory != MAP_FAILED);
  memcpy(memory + 10, "mapped", 6);
  TELL(msync(memory, kPage, MS_SYNC));
  TELL(msync(memory + 1, kPage, MS_SYNC));
  TELL(madvise(memory, 2 * kPage, MADV_SEQUENTIAL));
  TELL(posix_madvise(memory, 2 * kPage, POSIX_MADV_WILLNEED));
  char* const place = mmap64(NULL, 4 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(place != MAP_FAILED);
  memory = mremap(memory, 2 * kPage, 4 * kPage, MREMAP_MAYMOVE);
  MUST(memory != MAP_FAILED);
  TELL(mremap(memory, 4 * kPage, 4 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
  TELL(mremap(place, 0, 0, 0) == MAP_FAILED);
  TELL(remap_file_pages(place, kPage, 0, 0, 1 << 30));
  TELL(mprotect(place, kPage, PROT_READ));
  say("%.6s\n", place + 10);
  TELL(mmap(NULL, kPage, PROT_READ, MAP_SHARED, -1, 0) == MAP_FAILED);
  TELL(munmap(place, 4 * kPage));
  TELL(munmap(place + 1, kPage));
  TELL(munmap(place, 0));
  return 0;
}
