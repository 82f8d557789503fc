// A stream whose functions do I/O themselves: calls inside calls.
// counts: fwrite=3 fread=1 fflush=3 write>=3 pread>=1 depth=1
#include <fcntl.h>

#include "tiny.h"

static int fd;
static ssize_t put(void* cookie, const char* bytes, size_t count) {
  (void)cookie;
  errno = 0;
  MUST(write(-1, bytes, 1) == -1 && errno == EBADF);
  return write(fd, bytes, count);
}
static ssize_t get(void* cookie, char* bytes, size_t count) {
  (void)cookie;
  return pread(fd, bytes, count < 8 ? count : 8, 0);
}

int main(void) {
  fd = open("data", O_CREAT | O_RDWR, 0600);
  FILE* const stream = fopencookie(NULL, "r+", (cookie_io_functions_t){.write = put, .read = get});
  MUST(stream != NULL);
  for (int i = 0; i < 3; ++i) {
    MUST(fwrite("eight---", 1, 8, stream) == 8);
    MUST(fflush(stream) == 0);
  }
  char bytes[8];
  MUST(fread(bytes, 1, 8, stream) == 8);
  say("%.8s\n", bytes);
  return 0;
}
