#include <fcntl.h>

#include "tiny.h"

__attribute__((constructor)) static void load(void) { say("plugin loaded\n"); }
__attribute__((destructor)) static void unload(void) { say("plugin unloaded\n"); }

__attribute__((visibility("default"))) int plugin_work(void) {
  const int fd = open("/dev/null", O_WRONLY);
  const ssize_t put = write(fd, "plugin", 5);
  close(fd);
  return (int)put;
}
