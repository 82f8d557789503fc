// A callback jumps out of fread(), and the next calls come from deeper in the stack than the one that was
// left: they can not be told from calls inside it, and count as depth 1 until one comes from as high up. The
// program does not notice.
//
// counts: fread=3 write=3 depth=1
#include <setjmp.h>

#include "tiny.h"

static jmp_buf back;

static ssize_t jump(void* cookie, char* bytes, size_t count) {
  (void)cookie, (void)bytes, (void)count;
  longjmp(back, 1);
}

int main(void) {
  for (volatile int i = 0; i < 3; ++i) {
    // A new one each time: the stream that was jumped out of stays locked.
    FILE* const stream = fopencookie(NULL, "r", (cookie_io_functions_t){.read = jump});
    MUST(stream != NULL);
    if (setjmp(back) == 0) {
      char byte;
      MUST(fread(&byte, 1, 1, stream) == 1);
    }
    say("jumped\n");
  }
  _exit(0);
}
