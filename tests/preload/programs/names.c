// Names of files: made, moved, linked, taken away; and where relative ones start.
// counts: unlink=2 unlinkat=2 rmdir=1 remove=2 rename=1 renameat=1 renameat2=1 link=1 linkat=1 symlink=1
// symlinkat=1 readlink=1 readlinkat=1 realpath=2 canonicalize_file_name=1 mkdir=2 mkdirat=1 mknod=1
// mknodat=1 mkfifo=1 mkfifoat=1 chdir=2 fchdir=1 chroot=1 getcwd=2 get_current_dir_name=1 getwd=1 depth=0
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>

#include "tiny.h"

extern char* getwd(char*);

static const char* last(const char* path) { return path == NULL ? "nothing" : strrchr(path, '/') + 1; }

int main(void) {
  const int here = open(".", O_RDONLY | O_DIRECTORY);
  MUST(here >= 0 && close(creat("file", 0600)) == 0);
  TELL(mkdir("dir", 0700));
  TELL(mkdir("dir", 0700));
  TELL(mkdirat(here, "dir/inner", 0700));
  TELL(mknod("node", S_IFREG | 0600, 0));
  TELL(mknodat(here, "dir/node", S_IFREG | 0600, 0));
  TELL(mkfifo("fifo", 0600));
  TELL(mkfifoat(here, "dir/fifo", 0600));
  TELL(link("file", "hard"));
  TELL(linkat(here, "file", here, "dir/hard", 0));
  TELL(symlink("file", "soft"));
  TELL(symlinkat("../file", here, "dir/soft"));
  char text[PATH_MAX] = {0};
  TELL(readlink("soft", text, sizeof text));
  TELL(readlinkat(here, "dir/soft", text, 4));
  say("%s\n", text);
  TELL(rename("hard", "renamed"));
  TELL(renameat(here, "renamed", here, "dir/renamed"));
  TELL(renameat2(here, "dir/renamed", here, "file", RENAME_NOREPLACE));
  say("%s\n", last(realpath("dir/soft", text)));
  say("%s\n", last(realpath("missing", NULL)));
  char* const canonical = canonicalize_file_name("soft");
  say("%s\n", last(canonical));
  free(canonical);

  TELL(chdir("dir/inner"));
  say("%s\n", last(getcwd(text, sizeof text)));
  TELL(getcwd(text, 2) == NULL);
  char* const current = get_current_dir_name();
  say("%s\n", last(current));
  free(current);
  TELL(fchdir(here));
  say("%d\n", strcmp(last(getwd(text)), "inner"));
  TELL(chdir("missing"));
  TELL(chroot("missing"));

  TELL(unlink("dir/hard"));
  TELL(unlink("missing"));
  TELL(unlinkat(here, "dir/inner", AT_REMOVEDIR));
  TELL(unlinkat(-1, "dir", 0));
  TELL(rmdir("dir"));
  TELL(remove("node"));
  TELL(remove("dir"));
  return 0;
}
