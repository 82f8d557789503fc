#include "burst/preload/walks.hpp"

#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "burst/preload/mount.hpp"

namespace weir::burst::preload::walks {
namespace {

// One ftw() or nftw(). Directories are read whole and closed before anything in them is visited: the number
// of descriptors does not grow with the depth.
class NameWalk {
 public:
  NameWalk(Visit visit, VisitWith visit_with, int flags)
      : visit_(visit), visit_with_(visit_with), flags_(flags) {}

  int run(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const std::size_t slash = path.rfind('/');
    const std::size_t base = slash == path.npos || path.size() == 1 ? 0 : slash + 1;
    // Names are meant from here, wherever FTW_CHDIR leads.
    here_ = UniqueFd(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!here_) return -1;
    if (has(FTW_CHDIR) && base > 1 && ::chdir(path.substr(0, base - 1).c_str()) != 0) return -1;
    const int result = enter(path, base, 0);
    const int error = errno;
    if (has(FTW_CHDIR) && ::fchdir(here_.get()) != 0) return -1;
    errno = error;
    return result == FTW_SKIP_SUBTREE || result == FTW_SKIP_SIBLINGS ? (acts() ? 0 : result) : result;
  }

 private:
  bool has(int flag) const { return (flags_ & flag) != 0; }
  bool acts() const { return has(FTW_ACTIONRETVAL); }

  // What stat() says of it; a negative number when the walk cannot go on.
  int kind_of(const std::string& path, struct stat& status) const {
    if (::fstatat(here_.get(), path.c_str(), &status, has(FTW_PHYS) ? AT_SYMLINK_NOFOLLOW : 0) == 0) {
      if (S_ISDIR(status.st_mode)) return FTW_D;
      return S_ISLNK(status.st_mode) ? FTW_SL : FTW_F;
    }
    if (errno != EACCES && errno != ENOENT) return -1;
    if (has(FTW_PHYS)) return FTW_NS;
    const bool is_link =
        ::fstatat(here_.get(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    return is_link ? FTW_SLN : FTW_NS;
  }

  int tell(const std::string& path, const struct stat& status, int kind, std::size_t base, int level) const {
    if (visit_ != nullptr) {
      const int plain = kind == FTW_SL ? FTW_F : kind == FTW_DP ? FTW_D : kind == FTW_SLN ? FTW_NS : kind;
      return visit_(path.c_str(), &status, plain);
    }
    struct FTW where {};
    where.base = static_cast<int>(base);
    where.level = level;
    return visit_with_(path.c_str(), &status, kind, &where);
  }

  int enter(const std::string& path, std::size_t base, int level) {
    struct stat status {};
    const int kind = kind_of(path, status);
    if (kind < 0 || (level == 0 && kind == FTW_NS)) return -1;
    if (level == 0) device_ = status.st_dev;
    if (has(FTW_MOUNT) && kind != FTW_NS && status.st_dev != device_) return 0;
    if (kind != FTW_D) return tell(path, status, kind, base, level);
    // Links may lead in a circle.
    if (!has(FTW_PHYS) && !seen_.insert({status.st_dev, status.st_ino}).second) return 0;
    const int result = enter_directory(path, status, base, level);
    return acts() && result == FTW_SKIP_SUBTREE ? 0 : result;
  }

  int enter_directory(const std::string& path, const struct stat& status, std::size_t base, int level) {
    UniqueFd folder(::openat(here_.get(), path.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    if (!folder) return errno == EACCES ? tell(path, status, FTW_DNR, base, level) : -1;
    std::vector<std::string> names;
    if (!read_names(folder.get(), names)) return -1;
    if (!has(FTW_DEPTH))
      if (const int result = tell(path, status, FTW_D, base, level); result != 0) return result;
    UniqueFd before;
    if (has(FTW_CHDIR)) {
      before = UniqueFd(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!before || ::fchdir(folder.get()) != 0) return -1;
    }
    folder = UniqueFd();
    const std::string prefix = path == "/" ? path : path + "/";
    int result = 0;
    for (const std::string& name : names)
      if (result = enter(prefix + name, prefix.size(), level + 1); result != 0) break;
    if (acts() && result == FTW_SKIP_SIBLINGS) result = 0;
    if (result == 0 && has(FTW_DEPTH)) result = tell(path, status, FTW_DP, base, level);
    const int error = errno;
    if (before && (result == 0 || acts()) && ::fchdir(before.get()) != 0) return -1;
    errno = error;
    return result;
  }

  static bool read_names(int folder, std::vector<std::string>& names) {
    const int own = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR* const open = own < 0 ? nullptr : ::fdopendir(own);
    if (open == nullptr) {
      if (own >= 0) ::close(own);
      return false;
    }
    while (const dirent* const entry = ::readdir(open)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    ::closedir(open);
    return true;
  }

  Visit visit_;
  VisitWith visit_with_;
  int flags_;
  UniqueFd here_;
  dev_t device_ = 0;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

int walk(const char* path, Visit visit, VisitWith visit_with, int flags) {
  if (path[0] == '\0') {
    errno = ENOENT;
    return -1;
  }
  return NameWalk(visit, visit_with, flags).run(path);
}

}  // namespace

bool meets_mount(const char* path) { return path != nullptr && Mount::current().is_met_from(path); }

bool meets_mount(char* const* paths) {
  for (; paths != nullptr && *paths != nullptr; ++paths)
    if (meets_mount(*paths)) return true;
  return false;
}

int visit_names(const char* path, Visit visit, int /*handles*/) { return walk(path, visit, nullptr, 0); }

int visit_names_with(const char* path, VisitWith visit, int /*handles*/, int flags) {
  constexpr int kKnown = FTW_PHYS | FTW_MOUNT | FTW_CHDIR | FTW_DEPTH | FTW_ACTIONRETVAL;
  if ((flags & ~kKnown) != 0) {
    errno = EINVAL;
    return -1;
  }
  return walk(path, nullptr, visit, flags);
}

}  // namespace weir::burst::preload::walks
