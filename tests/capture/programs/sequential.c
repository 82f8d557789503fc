/* One file written and read from its beginning to its end, beyond it, and again. */
#include "tiny.h"

int main(void) {
  char data[4096];
  memset(data, 'x', sizeof data);
  const int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0644);
  for (int i = 0; i < 500; ++i) IGNORE(write(fd, data, 64));
  for (int i = 0; i < 300; ++i) IGNORE(pwrite(fd, data, 64, i * 64));
  IGNORE(fsync(fd));
  IGNORE(lseek(fd, 0, SEEK_SET));
  while (read(fd, data, 4096) > 0) continue;
  IGNORE(close(fd));
  for (int step = 0; step < 12; ++step) {
    char name[] = "step_0000.dat";
    name[7] = (char)('0' + step / 10);
    name[8] = (char)('0' + step % 10);
    const int out = creat(name, 0600);
    for (int i = 0; i < 20; ++i) IGNORE(write(out, data, 100));
    IGNORE(fdatasync(out));
    IGNORE(close(out));
  }
  return 7;
}
