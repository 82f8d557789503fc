/* One open file under many numbers, numbers taken over while open, and positions shared. */
#include "tiny.h"

int main(void) {
  char data[64] = {0};
  const int fd = open("one", O_RDWR | O_CREAT, 0600);
  const int other = open("two", O_RDWR | O_CREAT, 0600);
  const int copy = dup(fd);
  IGNORE(write(fd, data, 10));
  IGNORE(write(copy, data, 20));
  IGNORE(lseek(copy, 0, SEEK_CUR));
  IGNORE(dup2(other, copy)); /* copy now writes to two */
  IGNORE(write(copy, data, 30));
  IGNORE(dup2(fd, fd));
  IGNORE(dup3(fd, 20, O_CLOEXEC));
  IGNORE(dup3(fd, fd, 0)); /* EINVAL */
  IGNORE(fcntl(fd, F_DUPFD, 30));
  IGNORE(fcntl(fd, F_DUPFD_CLOEXEC, 30));
  IGNORE(fcntl(fd, F_GETFD));
  IGNORE(write(20, data, 1));
  IGNORE(write(30, data, 2));
  IGNORE(write(31, data, 3));
  IGNORE(close(fd));
  IGNORE(write(30, data, 4));
  IGNORE(close(30));
  IGNORE(close(30));                                       /* EBADF */
  const int again = open("three", O_RDWR | O_CREAT, 0600); /* takes fd's number */
  IGNORE(write(again, data, 5));
  IGNORE(lseek(20, 0, SEEK_CUR));
  IGNORE(dup2(again, 1)); /* the terminal's number becomes a file's */
  IGNORE(write(1, data, 6));
  for (int i = 0; i < 40; ++i) {
    const int one = dup(again);
    IGNORE(write(one, data, 8));
    IGNORE(close(one));
  }
  return 0;
}
