/* readv and its family, with empty and many pieces. */
#include <sys/uio.h>

#include "tiny.h"

int main(void) {
  char data[4096] = {0};
  const int fd = open("data", O_RDWR | O_CREAT, 0600);
  struct iovec pieces[40];
  for (int i = 0; i < 40; ++i) pieces[i] = (struct iovec){data, (size_t)(i * 3 % 50)};
  for (int count = 0; count <= 40; count += 5) {
    IGNORE(writev(fd, pieces, count));
    IGNORE(pwritev(fd, pieces, count, count * 1000));
  }
  IGNORE(lseek(fd, 0, SEEK_SET));
  for (int count = 0; count <= 40; count += 5) {
    IGNORE(readv(fd, pieces, count));
    IGNORE(preadv(fd, pieces, count, count * 900));
  }
  IGNORE(pwritev2(fd, pieces, 3, 500, RWF_DSYNC));
  IGNORE(pwritev2(fd, pieces, 3, -1, 0)); /* at the position */
  IGNORE(pwritev2(fd, pieces, 2, 0, RWF_APPEND));
  IGNORE(preadv2(fd, pieces, 4, 7, RWF_HIPRI));
  IGNORE(preadv2(fd, pieces, 4, -1, 0));
  IGNORE(close(fd));
  return 0;
}
