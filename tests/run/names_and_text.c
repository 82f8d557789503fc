// Second names of files, walks over directories and wide characters, in the directory it is given: prints
// what each call gave. Run on a plain directory and through Weir it must print the same (tests/run/calls.py).
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "tell.h"

static int put(const char* name, const char* text) {
  const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0640);
  if (fd < 0) return -1;
  const ssize_t wrote = write(fd, text, strlen(text));
  return close(fd) == 0 ? (int)wrote : -1;
}

static const char* text_of(const char* name) {
  static char text[128];
  const int fd = open(name, O_RDONLY);
  if (fd < 0) return strerrorname_np(errno);
  const ssize_t got = read(fd, text, sizeof text - 1);
  text[got < 0 ? 0 : got] = '\0';
  close(fd);
  return text;
}

static void about(const char* name) {
  struct stat status;
  if (lstat(name, &status) != 0)
    say("  %s: %s", name, strerrorname_np(errno));
  else
    say("  %s: %d names, %d bytes, mode %o", name, (int)status.st_nlink, (int)status.st_size, status.st_mode);
}

static int same(const char* one, const char* other) {
  struct stat a, b;
  return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static void links(void) {
  say("-- links");
  TELL(mkdir("l", 0755));
  TELL(chdir("l"));
  TELL(put("a", "first"));
  TELL(link("a", "b"));
  about("a");
  about("b");
  TELL(same("a", "b"));
  TELL(link("a", "b"));
  TELL(link("missing", "c"));
  TELL(link("a", "missing/c"));
  TELL(link("a", "a/c"));
  TELL(mkdir("sub", 0755));
  TELL(link("sub", "c"));
  TELL(link("a", "sub"));
  TELL(link("a", "sub/c"));
  about("a");
  TELL(put("sub/c", "through the third"));
  say("  %s", text_of("a"));
  TELL(rename("a", "b"));  // two names of one file: nothing happens
  about("a");
  TELL(rename("b", "renamed"));
  about("renamed");
  TELL(chmod("renamed", 0600));
  about("sub/c");
  const int fd = open("a", O_RDWR);
  TELL(unlink("a"));
  struct stat status;
  TELL(fstat(fd, &status));
  say("  %d names", (int)status.st_nlink);
  TELL(pwrite(fd, "THROUGH", 7, 0));
  say("  %s", text_of("renamed"));
  TELL(unlink("renamed"));
  about("sub/c");
  TELL(rename("sub/c", "last"));
  say("  %s", text_of("last"));
  TELL(unlink("last"));
  fstat(fd, &status);
  say("  %d names", (int)status.st_nlink);
  char bytes[8] = "";
  TELL(pread(fd, bytes, 7, 0));
  say("  %s", bytes);
  close(fd);
  // A name for what had none.
  const int unnamed = open(".", O_TMPFILE | O_RDWR, 0640);
  TELL(write(unnamed, "named later", 11));
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", unnamed);
  TELL(linkat(AT_FDCWD, path, AT_FDCWD, "later", AT_SYMLINK_FOLLOW));
  close(unnamed);
  about("later");
  say("  %s", text_of("later"));
  const int never = open(".", O_TMPFILE | O_EXCL | O_RDWR, 0640);
  snprintf(path, sizeof path, "/proc/self/fd/%d", never);
  TELL(linkat(AT_FDCWD, path, AT_FDCWD, "never", AT_SYMLINK_FOLLOW));
  close(never);
  TELL(symlink("later", "link"));
  TELL(linkat(AT_FDCWD, "link", AT_FDCWD, "followed", AT_SYMLINK_FOLLOW));
  TELL(linkat(AT_FDCWD, "link", AT_FDCWD, "not followed", 0));
  about("followed");
  about("not followed");
  // Another process sees what was written through the other name, once it was closed.
  TELL(put("followed", "by the other name"));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(strcmp(text_of("later"), "by the other name") == 0 ? 0 : 1);
  int ended = 0;
  waitpid(child, &ended, 0);
  say("  child %d", WEXITSTATUS(ended));
  TELL(chdir(".."));
}

// --- walks, told in order of the names: directories are read in any order ---

static char* lines[256];
static int line_count;

static void note(const char* format, ...) {
  va_list list;
  va_start(list, format);
  if (line_count < 256) {
    if (vasprintf(&lines[line_count], format, list) >= 0) ++line_count;
  }
  va_end(list);
}

static int by_text(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

static void tell_notes(void) {
  qsort(lines, (size_t)line_count, sizeof *lines, by_text);
  for (int i = 0; i < line_count; ++i) {
    say("  %s", lines[i]);
    free(lines[i]);
  }
  line_count = 0;
}

static int visit(const char* path, const struct stat* status, int kind) {
  note("%s kind %d size %d", path, kind, S_ISREG(status->st_mode) ? (int)status->st_size : -1);
  return 0;
}

static int stop_at;
static int visit_with(const char* path, const struct stat* status, int kind, struct FTW* where) {
  struct stat here;
  const int seen_from_here = lstat(path + where->base, &here) == 0;
  note("%s kind %d base %d level %d size %d from here %d", path, kind, where->base, where->level,
       S_ISREG(status->st_mode) ? (int)status->st_size : -1, seen_from_here);
  if (stop_at == 0) return 0;
  return strcmp(path + where->base, "skipped") == 0 ? stop_at : 0;
}

static int in_order(const FTSENT** a, const FTSENT** b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static void tree(int options, int instruction) {
  char* const roots[] = {"w", "w/deep/f", "missing", NULL};
  FTS* const walk = fts_open(roots, options, in_order);
  if (walk == NULL) {
    say("fts_open %s", strerrorname_np(errno));
    return;
  }
  const FTSENT* first = fts_children(walk, 0);
  for (; first != NULL; first = first->fts_link) say("  begins with %s", first->fts_name);
  for (;;) {
    errno = 0;
    FTSENT* const entry = fts_read(walk);
    if (entry == NULL) break;
    say("  %s %s info %d level %d size %d errno %d", entry->fts_path, entry->fts_name, entry->fts_info,
        entry->fts_level, entry->fts_info == FTS_F ? (int)entry->fts_statp->st_size : -1, entry->fts_errno);
    if (instruction != 0 && strcmp(entry->fts_name, "skipped") == 0) fts_set(walk, entry, instruction);
    if (instruction != 0 && entry->fts_info == FTS_SL) fts_set(walk, entry, FTS_FOLLOW);
    if (entry->fts_info == FTS_D && strcmp(entry->fts_name, "deep") == 0)
      for (const FTSENT* in = fts_children(walk, FTS_NAMEONLY); in != NULL; in = in->fts_link)
        say("    holds %s", in->fts_name);
  }
  say("  end errno %d, close %d", errno, fts_close(walk));
}

static void walk_all(void) {
  say("-- walks");
  mkdir("w", 0755);
  mkdir("w/deep", 0755);
  mkdir("w/deep/er", 0755);
  mkdir("w/skipped", 0755);
  mkdir("w/empty", 0755);
  put("w/f", "1");
  put("w/deep/f", "22");
  put("w/deep/er/f", "333");
  put("w/skipped/f", "4444");
  symlink("deep/f", "w/link");
  symlink("nowhere", "w/broken");
  symlink("..", "w/deep/up");
  TELL(ftw("w", visit, 8));
  tell_notes();
  TELL(ftw("missing", visit, 8));
  TELL(ftw("w/f", visit, 8));
  tell_notes();
  const int flags[] = {0,
                       FTW_PHYS,
                       FTW_PHYS | FTW_DEPTH,
                       FTW_PHYS | FTW_CHDIR,
                       FTW_PHYS | FTW_DEPTH | FTW_CHDIR,
                       FTW_DEPTH | FTW_MOUNT};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i) {
    say(" flags %d", flags[i]);
    TELL(nftw("w", visit_with, 3, flags[i]));
    tell_notes();
    TELL(nftw("w/deep//", visit_with, 1, flags[i]));
    tell_notes();
  }
  TELL(access("w/deep/f", R_OK));  // back where it began
  stop_at = FTW_SKIP_SUBTREE;
  TELL(nftw("w", visit_with, 3, FTW_PHYS | FTW_ACTIONRETVAL));
  tell_notes();
  stop_at = 77;
  TELL(nftw("w/skipped", visit_with, 3, FTW_PHYS));
  tell_notes();
  stop_at = 0;
  TELL(nftw("w", visit_with, 3, 1 << 20));
  say(" physical");
  tree(FTS_PHYSICAL, 0);
  say(" physical, dots");
  tree(FTS_PHYSICAL | FTS_SEEDOT | FTS_NOCHDIR, 0);
  say(" logical");
  tree(FTS_LOGICAL, 0);
  say(" skipping and following");
  tree(FTS_PHYSICAL | FTS_NOCHDIR, FTS_SKIP);
  say(" wrong");
  tree(1 << 20, 0);
  glob_t found;
  TELL(glob("w/*/f", GLOB_MARK, NULL, &found));
  for (size_t i = 0; i < found.gl_pathc; ++i) say("  %s", found.gl_pathv[i]);
  globfree(&found);
  struct dirent** listed = NULL;
  const int count = scandir("w", &listed, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    say("  %s type %d", listed[i]->d_name, listed[i]->d_type);
    free(listed[i]);
  }
  free(listed);
}

static void places(void) {
  say("-- places in directories");
  mkdir("p", 0755);
  char name[32];
  for (int i = 0; i < 40; ++i) {
    snprintf(name, sizeof name, "p/%02d", i);
    put(name, "x");
  }
  const int fd = open("p", O_RDONLY | O_DIRECTORY);
  DIR* const folder = fdopendir(fd);
  long at[64];
  char names[64][256];
  int count = 0;
  for (;; ++count) {
    at[count] = telldir(folder);
    const struct dirent* const entry = readdir(folder);
    if (entry == NULL) break;
    snprintf(names[count], sizeof names[count], "%s", entry->d_name);
  }
  int wrong = 0;
  for (int i = count - 1; i >= 0; i -= 3) {
    seekdir(folder, at[i]);
    const struct dirent* const entry = readdir(folder);
    if (entry == NULL || strcmp(entry->d_name, names[i]) != 0) ++wrong;
  }
  say("  %d entries, %d found elsewhere", count, wrong);
  struct stat status;
  int other_numbers = 0;
  rewinddir(folder);
  for (const struct dirent* entry; (entry = readdir(folder)) != NULL;)
    if (fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
        status.st_ino != entry->d_ino)
      ++other_numbers;
  say("  %d numbers differ", other_numbers);
  closedir(folder);
  char path[PATH_MAX];
  const char* const real = realpath("p/../p/./07", path);
  say("  realpath ends in %s", real != NULL ? real + strlen(real) - 5 : "nothing");
}

static int print_later(FILE* stream, const wchar_t* format, ...) {
  va_list list;
  va_start(list, format);
  const int printed = vfwprintf(stream, format, list);
  va_end(list);
  return printed;
}

static void wide(void) {
  say("-- wide characters in %s", setlocale(LC_ALL, "C.UTF-8"));
  FILE* stream = fopen("wide", "w+");
  TELL(fwide(stream, 0));
  TELL(fwide(stream, 1) > 0);
  TELL(fwide(stream, -1) > 0);
  TELL(fputwc(L'\u00e9', stream));
  TELL(fputws(L"\u20ac and \U0001d11e\n", stream) >= 0);
  TELL(fwprintf(stream, L"%d %ls %s %c\n", 42, L"w\u00efde", "narrow", 'x'));
  TELL(print_later(stream, L"%5.2f|%-6ls|\n", 3.14159, L"\u00fc"));
  TELL(ftell(stream));
  rewind(stream);
  TELL(fgetwc(stream));
  TELL(ungetwc(L'\u1234', stream));
  TELL(fgetwc(stream));
  wchar_t line[64];
  TELL(fgetws(line, 64, stream) == line && wcscmp(line, L"\u20ac and \U0001d11e\n") == 0);
  int number = 0;
  wchar_t word[16] = L"";
  char narrow[16] = "";
  TELL(fwscanf(stream, L"%d %15ls %15s", &number, word, narrow));
  say("  %d %d %s", number, wcscmp(word, L"w\u00efde"), narrow);
  TELL(fgetwc(stream));  // not ftell(): glibc's is wrong here, it counts the two bytes of a character as one
  TELL(fwscanf(stream, L"%d", &number));  // an x is no number, and stays
  TELL(fgetwc(stream));
  double value = 0;
  TELL(fwscanf(stream, L"%lf", &value));
  say("  %.2f", value);
  TELL(fgetws(line, 4, stream) != NULL);
  TELL(wcscmp(line, L"|\u00fc "));
  while (fgetwc(stream) != WEOF) continue;
  TELL(feof(stream) != 0);
  TELL(ferror(stream) != 0);
  TELL(fgetws(line, 64, stream) == NULL);
  TELL(fwscanf(stream, L"%d", &number));
  TELL(fclose(stream));
  put("wide2", "ok \xff bad\n");
  stream = fopen("wide2", "r");
  TELL(fgetwc(stream));
  TELL(fgetws(line, 64, stream) == NULL);
  TELL(ferror(stream) != 0);
  TELL(fclose(stream));
  // Much more than a scan looks at in one go.
  stream = fopen("wide3", "w");
  for (int i = 0; i < 30000; ++i) fputwc(L'\u00e4', stream);
  TELL(fwprintf(stream, L" 7"));
  TELL(fclose(stream));
  stream = fopen("wide3", "r");
  static wchar_t much[40000];
  TELL(fwscanf(stream, L"%39999ls %d", much, &number));
  say("  %d %d", (int)wcslen(much), number);
  TELL(fclose(stream));
  struct stat status;
  TELL(stat("wide3", &status));
  say("  %d bytes", (int)status.st_size);
}

int main(int argc, char** argv) {
  if (argc != 2 || chdir(argv[1]) != 0) return 2;
  links();
  walk_all();
  places();
  wide();
  return 0;
}
