// A library that does I/O while it is loaded and unloaded, and a pending dlerror() that outlives our calls.
// counts: write=8 open=2 depth=0
#include <dlfcn.h>
#include <libgen.h>

#include "tiny.h"

int main(int argc, char** argv) {
  (void)argc;
  char path[4096];
  snprintf(path, sizeof path, "%s/libplugin.so", dirname(argv[0]));
  for (int i = 0; i < 2; ++i) {
    void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    MUST(plugin != NULL);
    int (*work)(void) = NULL;
    *(void**)&work = dlsym(plugin, "plugin_work");
    MUST(work != NULL && work() == 5);
    MUST(dlsym(plugin, "no_such_function") == NULL);
    say("failed\n");
    MUST(dlerror() != NULL && dlerror() == NULL);
    MUST(dlclose(plugin) == 0);
  }
  return 0;
}
