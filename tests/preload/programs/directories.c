// Directories: streams of entries, and the walks that call back.
// counts: opendir=2 fdopendir=1 closedir=2 readdir>=6 readdir_r=2 rewinddir=1 seekdir=1 telldir=1 dirfd=1
// scandir=2 scandirat=2 getdents64=1 getdirentries=2 ftw=2 nftw=2 fts_open=2 fts_read>=2 fts_children=2
// fts_set=2 fts_close=2 glob=2 access>=3 depth=1
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <sys/stat.h>

#include "tiny.h"

extern int readdir_r(DIR*, struct dirent*, struct dirent**);
extern int readdir64_r(DIR*, struct dirent64*, struct dirent64**);

static int visits;

// Calls inside the walk's call are one deeper.
static int visit(const char* path, const struct stat* seen, int kind) {
  (void)seen;
  ++visits;
  return kind == FTW_F ? access(path, R_OK) : 0;
}
static int visit64(const char* path, const struct stat64* seen, int kind) {
  return visit(path, (const struct stat*)(const void*)seen, kind);
}
static int nvisit(const char* path, const struct stat* seen, int kind, struct FTW* where) {
  (void)where;
  return visit(path, seen, kind);
}
static int nvisit64(const char* path, const struct stat64* seen, int kind, struct FTW* where) {
  (void)where;
  return visit64(path, seen, kind);
}
static int visible(const struct dirent* entry) { return entry->d_name[0] != '.'; }
static int visible64(const struct dirent64* entry) { return entry->d_name[0] != '.'; }

static void walk(void) {
  char* paths[] = {"dir", NULL};
  FTS* const walk = fts_open(paths, FTS_PHYSICAL, NULL);
  MUST(walk != NULL);
  FTSENT* const first = fts_read(walk);
  say("%s %d\n", first->fts_name, fts_children(walk, 0) != NULL);
  TELL(fts_set(walk, first, FTS_SKIP));
  TELL(fts_read(walk) != NULL);
  TELL(fts_close(walk));
}
static void walk64(void) {
  char* paths[] = {"dir", NULL};
  FTS64* const walk = fts64_open(paths, FTS_PHYSICAL, NULL);
  MUST(walk != NULL);
  FTSENT64* const first = fts64_read(walk);
  say("%s %d\n", first->fts_name, fts64_children(walk, 0) != NULL);
  TELL(fts64_set(walk, first, FTS_SKIP));
  TELL(fts64_close(walk));
}

int main(void) {
  MUST(mkdir("dir", 0700) == 0 && close(creat("dir/a", 0600)) == 0 && close(creat("dir/b", 0600)) == 0);
  const int here = open("dir", O_RDONLY | O_DIRECTORY);
  DIR* const dir = opendir("dir");
  MUST(here >= 0 && dir != NULL && opendir("missing") == NULL);
  TELL(dirfd(dir));
  int entries = 0;
  const long start = telldir(dir);
  while (readdir(dir) != NULL) ++entries;
  seekdir(dir, start);
  while (readdir64(dir) != NULL) ++entries;
  rewinddir(dir);
  struct dirent entry;
  struct dirent* found = NULL;
  struct dirent64 entry64;
  struct dirent64* found64 = NULL;
  TELL(readdir_r(dir, &entry, &found));
  TELL(readdir64_r(dir, &entry64, &found64));
  say("%d entries, %d %d\n", entries, found != NULL, found64 != NULL);
  TELL(closedir(dir));
  char raw[512];
  TELL(getdents64(here, raw, sizeof raw) > 0);
  off_t base = 0;
  TELL(getdirentries(here, raw, sizeof raw, &base));
  TELL(getdirentries64(-1, raw, sizeof raw, &base));
  DIR* const again = fdopendir(here);
  TELL(closedir(again));

  struct dirent** list = NULL;
  struct dirent64** list64 = NULL;
  TELL(scandir("dir", &list, visible, alphasort));
  say("%s %s\n", list[0]->d_name, list[1]->d_name);
  TELL(scandir64("dir", &list64, visible64, alphasort64));
  TELL(scandirat(AT_FDCWD, "dir", &list, visible, alphasort));
  TELL(scandirat64(AT_FDCWD, "missing", &list64, visible64, alphasort64));
  TELL(ftw("dir", visit, 4));
  TELL(ftw64("dir", visit64, 4));
  TELL(nftw("dir", nvisit, 4, FTW_PHYS));
  TELL(nftw64("dir", nvisit64, 4, FTW_DEPTH));
  say("%d visits\n", visits);
  walk();
  walk64();
  glob_t matched;
  TELL(glob("dir/*", 0, NULL, &matched));
  say("%zu %s\n", matched.gl_pathc, matched.gl_pathv[0]);
  globfree(&matched);
  glob64_t matched64;
  TELL(glob64("none*", GLOB_ERR, NULL, &matched64));
  return 0;
}
