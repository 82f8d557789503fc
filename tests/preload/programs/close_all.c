// Every descriptor is closed, twice over; the next ones are 0, 1, 2 as they would be bare.
// counts: close=2050 open=4 write=3 depth=0
#include <fcntl.h>
#include <sys/stat.h>

#include "tiny.h"

int main(void) {
  int closed = 0;
  for (int fd = 0; fd < 1024; ++fd) closed += close(fd) == 0;
  if (open("log", O_CREAT | O_RDWR, 0644) != 0) _exit(1);
  if (open("log", O_WRONLY | O_APPEND) != 1) _exit(2);
  say("closed %d\n", closed);
  for (int fd = 1023; fd >= 0; --fd) close(fd);
  closefrom(0);
  if (open("log", O_RDONLY) != 0) _exit(3);
  if (open("log", O_WRONLY | O_APPEND) != 1) _exit(4);
  struct stat seen;
  say("size %d\n", fstat(0, &seen) == 0 ? (int)seen.st_size : -1);
  say("still here\n");
  close(0);
  close(1);
  return 9;
}
