#pragma once

#include <fts.h>
#include <ftw.h>
#include <sys/stat.h>

// Walks over directories that meet the mount. The C library makes them with calls of its own that nobody
// sees; these are made with calls that are answered like the program's. They run on the program's side.
namespace weir::burst::preload::walks {

// Whether a walk from here comes to the mount.
bool meets_mount(const char* path);
bool meets_mount(char* const* paths);  // any of them

using Visit = int (*)(const char*, const struct stat*, int);
using VisitWith = int (*)(const char*, const struct stat*, int, struct FTW*);
int visit_names(const char* path, Visit visit, int handles);                      // ftw
int visit_names_with(const char* path, VisitWith visit, int handles, int flags);  // nftw

using Compare = int (*)(const FTSENT**, const FTSENT**);
FTS* open(char* const* paths, int options, Compare compare);
bool is_ours(FTS* walk);
FTSENT* read(FTS* walk);
FTSENT* children(FTS* walk, int options);
int close(FTS* walk);

}  // namespace weir::burst::preload::walks
