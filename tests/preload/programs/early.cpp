// I/O before main: by the constructor of a library that is initialised before the preloaded one, and by
// static objects.
//
// counts: write=6 open=1 fopen=1 depth=0
#include <fstream>

#include <fcntl.h>

#include "tiny.h"

extern "C" int early_descriptor(void);

namespace {

struct Announcer {
  Announcer() : file("from_static_object") { say("static object\n"); }
  ~Announcer() { say("static object ends\n"); }
  std::ofstream file;
};
Announcer announcer;

}  // namespace

int main() {
  announcer.file << "text\n";
  announcer.file.close();
  say("main, descriptor %d\n", early_descriptor());
  return 0;
}
