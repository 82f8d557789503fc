/* Nested loops over blocks with a stride, forwards and backwards, and two files in turn. */
#include "tiny.h"

int main(void) {
  char data[512];
  memset(data, 'y', sizeof data);
  const int fd = open("grid", O_RDWR | O_CREAT, 0640);
  const int other = open("halo", O_RDWR | O_CREAT, 0600);
  for (int row = 0; row < 20; ++row)
    for (int column = 0; column < 30; ++column) IGNORE(pwrite(fd, data, 128, row * 65536 + column * 1024));
  for (int row = 19; row >= 0; --row) IGNORE(pread(fd, data, 512, row * 65536));
  for (int i = 0; i < 50; ++i) {
    IGNORE(pwrite(fd, data, 32, i * 4096));
    IGNORE(pwrite(other, data, 16, i * 48));
    IGNORE(lseek(other, 100, i % 2 == 0 ? SEEK_CUR : SEEK_SET));
    IGNORE(write(other, data, (size_t)i));
  }
  IGNORE(pwrite(fd, data, 1, (off_t)1 << 40)); /* an offset beyond 32 bits */
  IGNORE(pread(fd, data, 16, (off_t)1 << 40));
  IGNORE(ftruncate(fd, 1000));
  IGNORE(close(other));
  IGNORE(close(fd));
  return 0;
}
