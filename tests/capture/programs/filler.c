/* Calls that do not compress, on one small file, and an answer at the end that depends on every one of their
   results.

   Usage: filler CALLS */
#include "tiny.h"

int main(int count, char** words) {
  if (count < 2) return 2;
  static char data[4096];
  uint64_t state = 7;
  unsigned long sum = 0;
  const int fd = open("filled", O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (long i = 0; i < atol(words[1]); ++i) {
    const size_t size = next_random(&state) % sizeof data;
    const off_t offset = next_random(&state) % 1000000;
    const ssize_t moved = i % 3 == 0 ? pread(fd, data, size, offset) : pwrite(fd, data, size, offset);
    sum = sum * 31 + (unsigned long)moved;
  }
  close(fd);
  printf("%lu\n", sum);
  return 17;
}
