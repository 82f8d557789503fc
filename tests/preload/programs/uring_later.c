// liburing comes with dlopen, after the start, in a scope of its own.
// counts: io_uring_queue_init_params=1 io_uring_queue_exit=0 depth=0
#include <dlfcn.h>
#include <liburing.h>

#include "tiny.h"

// The loader gives a library opened like this our name first, if the program asks for it in the global scope.
int main(void) {
  struct io_uring ring;
  struct io_uring_params params = {0};
  void* const library = dlopen("liburing.so.2", RTLD_NOW | RTLD_LOCAL);
  MUST(library != NULL);
  __typeof__(&io_uring_queue_init_params) init = NULL;
  void* const found = dlsym(RTLD_DEFAULT, "io_uring_queue_init_params");
  // Bare, only the library itself has it.
  *(void**)&init = found != NULL ? found : dlsym(library, "io_uring_queue_init_params");
  TELL(init(0, &ring, &params));
  return 0;
}
