#include <fcntl.h>

#include "tiny.h"

static int descriptor;

__attribute__((constructor)) static void early(void) {
  descriptor = open("early", O_CREAT | O_WRONLY, 0600);
  if (write(descriptor, "early", 5) == 5) say("early\n");
}

__attribute__((visibility("default"))) int early_descriptor(void) { return descriptor; }
