#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>

#include "burst/preload/walks.hpp"

// fts(3). It never changes the working directory: a path from where the walk began always does.
namespace weir::burst::preload::walks {
namespace {

// An entry and all it points to, in one piece of memory.
struct Node {
  std::string path;
  struct stat status {};
  FTSENT entry{};  // last: its name goes on behind it
};

Node* node_of(FTSENT* entry) {
  return reinterpret_cast<Node*>(reinterpret_cast<char*>(entry) - offsetof(Node, entry));
}

constexpr int kNoInstruction = 3;  // FTS_NOINSTR

FTSENT* make_entry(std::string path, std::string_view name, FTSENT* parent) {
  void* const memory = std::calloc(1, sizeof(Node) + name.size());
  if (memory == nullptr) return nullptr;
  auto* const node = new (memory) Node;
  node->path = std::move(path);
  FTSENT& entry = node->entry;
  std::memcpy(entry.fts_name, name.data(), name.size());
  entry.fts_name[name.size()] = '\0';
  entry.fts_namelen = static_cast<unsigned short>(name.size());
  entry.fts_path = entry.fts_accpath = node->path.data();
  entry.fts_pathlen = static_cast<unsigned short>(node->path.size());
  entry.fts_parent = parent;
  entry.fts_level = static_cast<short>(parent != nullptr ? parent->fts_level + 1 : FTS_ROOTPARENTLEVEL);
  entry.fts_instr = kNoInstruction;
  entry.fts_statp = &node->status;
  return &entry;
}

void free_entry(FTSENT* entry) {
  Node* const node = node_of(entry);
  node->~Node();
  std::free(node);
}

void free_list(FTSENT* entry) {
  while (entry != nullptr) {
    FTSENT* const next = entry->fts_link;
    free_entry(entry);
    entry = next;
  }
}

// What it is; fills in what stat() knows of it.
unsigned short kind_of(const FTS& walk, FTSENT& entry, bool follow) {
  struct stat& status = *entry.fts_statp;
  if (((walk.fts_options & FTS_LOGICAL) != 0 || follow) && ::stat(entry.fts_accpath, &status) != 0) {
    const int error = errno;
    if (::lstat(entry.fts_accpath, &status) == 0) {
      errno = 0;
      return FTS_SLNONE;
    }
    entry.fts_errno = error;
    status = {};
    return FTS_NS;
  }
  if ((walk.fts_options & FTS_LOGICAL) == 0 && !follow && ::lstat(entry.fts_accpath, &status) != 0) {
    entry.fts_errno = errno;
    status = {};
    return FTS_NS;
  }
  entry.fts_dev = status.st_dev;
  entry.fts_ino = status.st_ino;
  entry.fts_nlink = status.st_nlink;
  if (!S_ISDIR(status.st_mode)) {
    if (S_ISLNK(status.st_mode)) return FTS_SL;
    return S_ISREG(status.st_mode) ? FTS_F : FTS_DEFAULT;
  }
  const std::string_view name = entry.fts_name;
  if (name == "." || name == "..") return FTS_DOT;
  for (FTSENT* above = entry.fts_parent; above != nullptr && above->fts_level >= FTS_ROOTLEVEL;
       above = above->fts_parent)
    if (above->fts_ino == entry.fts_ino && above->fts_dev == entry.fts_dev) {
      entry.fts_cycle = above;
      return FTS_DC;
    }
  return FTS_D;
}

Compare compare_of(const FTS& walk) { return reinterpret_cast<Compare>(walk.fts_compar); }

// As a list, in the program's order.
FTSENT* linked(const FTS& walk, std::vector<FTSENT*>& entries) {
  if (const Compare compare = compare_of(walk); compare != nullptr)
    std::stable_sort(entries.begin(), entries.end(),
                     [&](const FTSENT* a, const FTSENT* b) { return compare(&a, &b) < 0; });
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i]->fts_link = i + 1 < entries.size() ? entries[i + 1] : nullptr;
  return entries.empty() ? nullptr : entries.front();
}

// What is in the current directory; null where there is nothing, which `fts_info` then tells.
FTSENT* build(FTS& walk, bool only_names) {
  FTSENT& folder = *walk.fts_cur;
  DIR* const open = ::opendir(folder.fts_accpath);
  if (open == nullptr) {
    if (!only_names) {
      folder.fts_info = FTS_DNR;
      folder.fts_errno = errno;
    }
    return nullptr;
  }
  std::vector<FTSENT*> entries;
  const std::string above = node_of(&folder)->path;
  const std::string prefix = above.ends_with('/') ? above : above + "/";
  while (const dirent* const found = ::readdir(open)) {
    const std::string_view name = found->d_name;
    if ((name == "." || name == "..") && (walk.fts_options & FTS_SEEDOT) == 0) continue;
    FTSENT* const entry = make_entry(prefix + found->d_name, name, &folder);
    if (entry == nullptr) {
      for (FTSENT* const made : entries) free_entry(made);
      ::closedir(open);
      walk.fts_options |= FTS_STOP;
      folder.fts_info = FTS_ERR;
      errno = ENOMEM;
      return nullptr;
    }
    const bool may_be_folder = found->d_type == DT_DIR || found->d_type == DT_UNKNOWN ||
                               (found->d_type == DT_LNK && (walk.fts_options & FTS_LOGICAL) != 0);
    if (only_names || ((walk.fts_options & FTS_NOSTAT) != 0 && !may_be_folder))
      entry->fts_info = FTS_NSOK;
    else
      entry->fts_info = kind_of(walk, *entry, false);
    entries.push_back(entry);
  }
  ::closedir(open);
  if (entries.empty() && !only_names) folder.fts_info = FTS_DP;
  return linked(walk, entries);
}

// The walks of this process.
std::mutex mutex;
std::set<FTS*>& all() {
  static auto* const walks = new std::set<FTS*>;
  return *walks;
}
std::atomic<int> count{0};

}  // namespace

bool is_ours(FTS* walk) {
  if (count.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(mutex);
  return all().contains(walk);
}

FTS* open(char* const* paths, int options, Compare compare) {
  if ((options & ~FTS_OPTIONMASK) != 0) {
    errno = EINVAL;
    return nullptr;
  }
  for (char* const* path = paths; *path != nullptr; ++path)
    if (**path == '\0') {
      errno = ENOENT;
      return nullptr;
    }
  auto* const walk = new FTS{};
  walk->fts_options = options | FTS_NOCHDIR;
  walk->fts_compar = reinterpret_cast<int (*)(const void*, const void*)>(compare);
  walk->fts_rfd = -1;
  FTSENT* const above = make_entry("", "", nullptr);
  FTSENT* const first = make_entry("", "", above);
  std::vector<FTSENT*> roots;
  for (; above != nullptr && first != nullptr && *paths != nullptr; ++paths) {
    FTSENT* const entry = make_entry(*paths, *paths, above);
    if (entry == nullptr) break;
    entry->fts_info = kind_of(*walk, *entry, (options & FTS_COMFOLLOW) != 0);
    if (entry->fts_info == FTS_DOT) entry->fts_info = FTS_D;  // it was asked for
    roots.push_back(entry);
  }
  if (above == nullptr || first == nullptr || *paths != nullptr) {
    for (FTSENT* const entry : roots) free_entry(entry);
    if (first != nullptr) free_entry(first);
    if (above != nullptr) free_entry(above);
    delete walk;
    errno = ENOMEM;
    return nullptr;
  }
  walk->fts_cur = first;
  first->fts_link = linked(*walk, roots);
  first->fts_info = FTS_INIT;
  const std::lock_guard lock(mutex);
  all().insert(walk);
  ++count;
  return walk;
}

namespace {

// Where the walk begins, a name is a path until it is come to.
void shorten_name(FTSENT& entry) {
  const char* const slash = std::strrchr(entry.fts_name, '/');
  if (slash == nullptr || slash[1] == '\0') return;
  entry.fts_namelen = static_cast<unsigned short>(std::strlen(slash + 1));
  std::memmove(entry.fts_name, slash + 1, entry.fts_namelen + std::size_t{1});
}

FTSENT* arrive(FTS& walk, FTSENT* entry) {
  if (entry->fts_level == FTS_ROOTLEVEL) {
    walk.fts_dev = entry->fts_dev;
    shorten_name(*entry);
  }
  walk.fts_cur = entry;
  return entry;
}

// The next one on the same level, or the directory above once more.
FTSENT* go_on(FTS& walk, FTSENT* entry) {
  for (;;) {
    FTSENT* const next = entry->fts_link;
    FTSENT* const above = entry->fts_parent;
    free_entry(entry);
    if (next == nullptr) {
      if (above->fts_level == FTS_ROOTPARENTLEVEL) {
        free_entry(above);
        walk.fts_cur = nullptr;
        errno = 0;
        return nullptr;
      }
      above->fts_info = above->fts_errno != 0 ? FTS_ERR : FTS_DP;
      return arrive(walk, above);
    }
    if (next->fts_instr == FTS_SKIP) {
      entry = next;
      continue;
    }
    if (next->fts_instr == FTS_FOLLOW) {
      next->fts_info = kind_of(walk, *next, true);
      next->fts_instr = kNoInstruction;
    }
    return arrive(walk, next);
  }
}

}  // namespace

FTSENT* read(FTS* walk) {
  FTSENT* const entry = walk->fts_cur;
  if (entry == nullptr || (walk->fts_options & FTS_STOP) != 0) return nullptr;
  const int instruction = entry->fts_instr;
  entry->fts_instr = kNoInstruction;
  if (instruction == FTS_AGAIN) {
    entry->fts_info = kind_of(*walk, *entry, false);
    return entry;
  }
  if (instruction == FTS_FOLLOW && (entry->fts_info == FTS_SL || entry->fts_info == FTS_SLNONE)) {
    entry->fts_info = kind_of(*walk, *entry, true);
    return entry;
  }
  if (entry->fts_info == FTS_D) {
    const bool elsewhere = (walk->fts_options & FTS_XDEV) != 0 && entry->fts_dev != walk->fts_dev;
    if (instruction == FTS_SKIP || elsewhere) {
      free_list(walk->fts_child);
      walk->fts_child = nullptr;
      entry->fts_info = FTS_DP;
      return entry;
    }
    // Names alone are not enough to go on with.
    if (walk->fts_child != nullptr && (walk->fts_options & FTS_NAMEONLY) != 0) {
      free_list(walk->fts_child);
      walk->fts_child = nullptr;
    }
    walk->fts_options &= ~FTS_NAMEONLY;
    if (walk->fts_child == nullptr) walk->fts_child = build(*walk, false);
    if (walk->fts_child == nullptr) return (walk->fts_options & FTS_STOP) != 0 ? nullptr : entry;
    FTSENT* const first = walk->fts_child;
    walk->fts_child = nullptr;
    return arrive(*walk, first);
  }
  return go_on(*walk, entry);
}

FTSENT* children(FTS* walk, int options) {
  FTSENT* const entry = walk->fts_cur;
  if (options != 0 && options != FTS_NAMEONLY) {
    errno = EINVAL;
    return nullptr;
  }
  errno = 0;
  if (entry == nullptr || (walk->fts_options & FTS_STOP) != 0) return nullptr;
  if (entry->fts_info == FTS_INIT) return entry->fts_link;
  if (entry->fts_info != FTS_D) return nullptr;
  free_list(walk->fts_child);
  walk->fts_options = (walk->fts_options & ~FTS_NAMEONLY) | options;
  walk->fts_child = build(*walk, options == FTS_NAMEONLY);
  return walk->fts_child;
}

int close(FTS* walk) {
  {
    const std::lock_guard lock(mutex);
    if (all().erase(walk) > 0) --count;
  }
  free_list(walk->fts_child);
  // What is left of each level, from the innermost out.
  for (FTSENT* entry = walk->fts_cur; entry != nullptr;) {
    FTSENT* const above = entry->fts_parent;
    free_list(entry);
    entry = above;
  }
  delete walk;
  return 0;
}

}  // namespace weir::burst::preload::walks
