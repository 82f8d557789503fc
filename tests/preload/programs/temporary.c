// Names that the library makes up. They differ from run to run, so nothing made here stays.
// counts: mkstemp=2 mkostemp=2 mkstemps=2 mkostemps=2 mkdtemp=1 mktemp=1 tmpnam=1 tmpnam_r=1 tempnam=1
// depth=0
#include <fcntl.h>

#include "tiny.h"

#define TEMPORARY(pattern, call)                                                 \
  do {                                                                           \
    char name[] = pattern;                                                       \
    const int made = call;                                                       \
    say("%s: %d, %.4s, changed %d\n", #call, made, name, strcmp(name, pattern)); \
    MUST(close(made) == 0 && remove(name) == 0);                                 \
  } while (0)

// strcmp tells by how much they differ; whether is enough.
#define strcmp(a, b) (strcmp(a, b) != 0)

int main(void) {
  TEMPORARY("tempXXXXXX", mkstemp(name));
  TEMPORARY("tempXXXXXX", mkstemp64(name));
  TEMPORARY("tempXXXXXX", mkostemp(name, O_CLOEXEC));
  TEMPORARY("tempXXXXXX", mkostemp64(name, O_APPEND));
  TEMPORARY("tempXXXXXX.txt", mkstemps(name, 4));
  TEMPORARY("tempXXXXXX.txt", mkstemps64(name, 4));
  TEMPORARY("tempXXXXXX.txt", mkostemps(name, 4, O_CLOEXEC));
  TEMPORARY("tempXXXXXX.txt", mkostemps64(name, 4, 0));
  char directory[] = "dirXXXXXX";
  TELL(mkdtemp(directory) == directory);
  TELL(remove(directory));
  char name[L_tmpnam] = "nameXXXXXX";
  TELL(mktemp(name) == name);
  TELL(tmpnam(name) == name);
  TELL(tmpnam_r(name) == name);
  char* const made = tempnam(".", "pre");
  say("%.5s\n", made);
  free(made);
  return 0;
}
