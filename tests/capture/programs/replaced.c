/* Files of the directory IN take turns with those of OUT behind one number and one stream: what becomes of a
 * file that is to be recorded must be there although the other one is not. */
#include <sys/wait.h>

#include "tiny.h"

static const char* in_directory;
static const char* out_directory;

static int opened(const char* directory, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return open(path, O_RDWR | O_CREAT, 0600);
}

static FILE* reopened(const char* directory, const char* name, FILE* stream) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return stream == NULL ? fopen(path, "w") : freopen(path, "w", stream);
}

int main(int argc, char** argv) {
  char data[64] = {0};
  if (argc != 3) return 2;
  in_directory = argv[1];
  out_directory = argv[2];
  const int first = opened(in_directory, "first");
  const int elsewhere = opened(out_directory, "elsewhere");
  IGNORE(write(elsewhere, data, 64));
  IGNORE(write(first, data, 10));
  IGNORE(dup2(elsewhere, first)); /* ends `first` */
  IGNORE(write(first, data, 20));
  const pid_t child = fork();
  if (child == 0) {
    const int again = opened(in_directory, "first");
    IGNORE(read(again, data, 10));
    _exit(0);
  }
  waitpid(child, NULL, 0);
  const int second = opened(in_directory, "second");
  IGNORE(dup3(second, first, O_CLOEXEC)); /* the number is a wanted file's again */
  IGNORE(write(first, data, 30));
  IGNORE(dup2(first, first));
  IGNORE(lseek(elsewhere, 0, SEEK_SET));
  IGNORE(copy_file_range(elsewhere, NULL, second, NULL, 40, 0));

  /* A directory is only where a name is looked for. */
  const int root = open("/", O_RDONLY | O_DIRECTORY);
  char below[4096];
  snprintf(below, sizeof below, "%s/third", in_directory + 1);
  const int third = openat(root, below, O_RDWR | O_CREAT, 0600);
  IGNORE(write(third, data, 50));
  snprintf(below, sizeof below, "%s/fourth", out_directory + 1);
  const int fourth = openat(root, below, O_RDWR | O_CREAT, 0600);
  IGNORE(write(fourth, data, 51));

  FILE* stream = reopened(in_directory, "stream", NULL);
  fwrite("in", 1, 2, stream);
  stream = reopened(out_directory, "stream", stream);
  fwrite("out", 1, 3, stream);
  stream = reopened(in_directory, "stream2", stream);
  fwrite("again in", 1, 8, stream);
  fclose(stream);
  return 0;
}
