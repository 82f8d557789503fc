// Streams, and a variadic call with every kind of argument.
// counts: fopen=2 fclose=1 fread=3 fwrite=1 fseek=1 fflush=1 fprintf=3 depth=0
#include <math.h>
#include <stdint.h>

#include "tiny.h"

int main(void) {
  FILE* const file = fopen("text", "w+");
  MUST(file != NULL);
  const int length = fprintf(file, "%d %s %c %5.2f %ld %Lf %p %zu %g %g %g %g %g %g %g %g\n", -1, "two", '3',
                             4.25, 5L, 6.5L, (void*)0, (size_t)8, 1., 2., 3., 4., 5., 6., 7., 8.);
  MUST(fwrite("tail\n", 1, 5, file) == 5 && fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0);
  char text[256] = {0};
  const size_t got = fread(text, 1, sizeof text - 1, file);
  say("%d %zu\n%s", length, got, text);
  MUST(fread(text, 1, 1, file) == 0 && feof(file));
  MUST(fclose(file) == 0);
  MUST(fopen("missing/text", "r") == NULL && errno == ENOENT);
  errno = 5;
  MUST(fprintf(stdout, "to stdout %m %jd\n", (intmax_t)1 << 40) > 0);
  MUST(fprintf(stderr, "to stderr\n") == 10);
  char byte;
  MUST(fread(&byte, 1, 1, stdin) == 0);
  return 0;
}
