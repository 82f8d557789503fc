/* Random offsets and sizes: nothing repeats. */
#include "tiny.h"

int main(void) {
  static char data[10000];
  uint64_t state = 42;
  const int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0644);
  for (int i = 0; i < 3000; ++i) {
    const off_t offset = next_random(&state) % 1000000;
    const size_t size = next_random(&state) % sizeof data;
    if (next_random(&state) % 2 == 0)
      IGNORE(pwrite(fd, data, size, offset));
    else
      IGNORE(pread(fd, data, size, offset));
    if (next_random(&state) % 8 == 0)
      IGNORE(lseek(fd, next_random(&state) % 1000, (int)(next_random(&state) % 3)));
    if (next_random(&state) % 8 == 0) IGNORE(read(fd, data, next_random(&state) % 100));
  }
  IGNORE(close(fd));
  return 0;
}
