/* O_APPEND through two descriptors, with seeks that do not matter to writes, and a read after each. */
#include "tiny.h"

int main(void) {
  char data[64];
  memset(data, 'z', sizeof data);
  const int first = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int second = open("log", O_RDWR | O_APPEND);
  for (int i = 0; i < 200; ++i) {
    IGNORE(write(i % 3 == 0 ? first : second, data, (size_t)(1 + i % 64)));
    if (i % 10 == 0) IGNORE(lseek(second, i, SEEK_SET));
    if (i % 10 == 5) IGNORE(read(second, data, 20));
    if (i % 50 == 49) IGNORE(lseek(first, 0, SEEK_END));
  }
  IGNORE(fcntl(first, F_GETFL));
  IGNORE(fcntl(first, F_SETFL, O_WRONLY));
  IGNORE(write(first, data, 10));
  IGNORE(close(first));
  IGNORE(close(second));
  return 0;
}
