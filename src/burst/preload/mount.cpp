#include "burst/preload/mount.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/moved_up.hpp"
#include "burst/preload/process.hpp"

namespace weir::burst::preload {

constinit Mount Mount::instance_;

std::string path_behind(int fd) {
  char link[32];
  char target[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = ::readlink(link, target, sizeof target);
  return length > 0 && target[0] == '/' ? std::string(target, static_cast<std::size_t>(length))
                                        : std::string();
}

namespace {

void clean(std::string_view path, std::vector<std::string_view>& parts) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
      continue;
    }
    parts.push_back(part);
  }
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string path;
  for (const std::string_view part : parts) (path += '/') += part;
  return path.empty() ? "/" : path;
}

std::string working_directory() {
  char here[PATH_MAX];
  return ::getcwd(here, sizeof here) != nullptr ? here : "";
}

}  // namespace

bool Where::is_file() const { return inside && !name.empty() && (type == 0 || S_ISREG(type)); }
bool Where::is_directory() const { return inside && (name.empty() || S_ISDIR(type)); }

bool Mount::is_unclean(const char* path) {
  for (const char* at = path; *at != '\0'; ++at) {
    if (*at != '/') continue;
    if (at[1] == '/') return true;
    if (at[1] != '.') continue;
    if (at[2] == '/' || at[2] == '\0') return true;
    if (at[2] == '.' && (at[3] == '/' || at[3] == '\0')) return true;
  }
  return false;
}

bool Mount::start(const char* as_given) {
  char real[PATH_MAX];
  if (as_given == nullptr || *as_given != '/' || ::realpath(as_given, real) == nullptr) return false;
  std::vector<std::string_view> parts;
  clean(as_given, parts);
  const std::string given = joined(parts);
  const std::size_t length = std::strlen(real);
  if (length >= kRoom || given.size() >= kRoom || length < 2) return false;
  root_fd_ = moved_up(UniqueFd(::open(real, O_PATH | O_DIRECTORY | O_CLOEXEC))).release();
  struct stat found {};
  if (root_fd_ < 0 || ::fstat(root_fd_, &found) != 0) return false;
  device_ = found.st_dev;
  std::memcpy(root_, real, length + 1);
  std::memcpy(given_, given.c_str(), given.size() + 1);
  given_length_ = given.size();
  directory_ = new std::string();
  const mode_t mask = ::umask(077);
  ::umask(mask);
  umask_changed(mask);
  length_ = length;
  directory_changed();
  return true;
}

std::string Mount::absolute(const std::string& name) const {
  return name.empty() ? std::string(root_, length_) : std::string(root_, length_) + "/" + name;
}

bool Mount::names_in(const std::string& directory, std::vector<std::string>& names) const {
  DIR* const open = ::opendir(absolute(directory).c_str());
  if (open == nullptr) return false;
  while (const dirent* const entry = ::readdir(open)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !is_hidden(directory, name)) names.emplace_back(name);
  }
  ::closedir(open);
  return true;
}

bool Mount::concerns(std::string_view directory) const {
  const auto begins = [](std::string_view path, std::string_view with) {
    return path.starts_with(with) && (with == "/" || path.size() == with.size() || path[with.size()] == '/');
  };
  const std::string_view root(root_, length_);
  return begins(root, directory) || begins(directory, root);
}

bool Mount::is_met_from(const char* path) const {
  std::string absolute;
  return is_on() && make_absolute(AT_FDCWD, path, absolute) &&
         (concerns(absolute) || absolute == std::string_view(given_, given_length_) ||
          has_prefix(absolute.c_str(), given_, given_length_));
}

void Mount::directory_changed() {
  if (!is_on()) return;
  const std::string now = working_directory();
  const bool related = now.empty() || now[0] != '/' || concerns(now);
  if (Process::is_vfork_child()) {  // its parent, in whose memory this is, has not moved
    if (related) related_.store(true, std::memory_order_relaxed);
    return;
  }
  const std::lock_guard lock(mutex_);
  *directory_ = now;
  related_.store(related, std::memory_order_relaxed);
}

mode_t Mount::umask() const {
  if (!Process::is_vfork_child()) return umask_.load(std::memory_order_relaxed);
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return mask;
}

void Mount::umask_changed(mode_t mask) {
  if (!Process::is_vfork_child()) umask_.store(mask, std::memory_order_relaxed);
}

bool Mount::may_hold(int directory, const char* path) const {
  if (length_ == 0 || path == nullptr) return false;
  if (directory == AT_FDCWD || *path == '/') return may_hold(path);
  if (directory < 0 || directory >= kRemembered || leads_up(path)) return true;
  Relation relation = relations_[directory].load(std::memory_order_relaxed);
  if (relation == Relation::unknown) {
    const int error = errno;
    const std::string there = path_behind(directory);
    errno = error;
    relation = there.empty() || concerns(there) ? Relation::related : Relation::elsewhere;
    if (!Process::is_vfork_child()) relations_[directory].store(relation, std::memory_order_relaxed);
  }
  return relation == Relation::related;
}

bool Mount::make_absolute(int directory, std::string_view path, std::string& out) const {
  std::string base;
  if (path.empty() || path.front() != '/') {
    if (directory == AT_FDCWD && Process::is_vfork_child()) {
      base = working_directory();
    } else if (directory == AT_FDCWD) {
      const std::lock_guard lock(mutex_);
      base = *directory_;
    } else {
      base = path_behind(directory);
    }
    if (base.empty()) return false;
  }
  std::vector<std::string_view> parts;
  clean(base, parts);
  clean(path, parts);
  out = joined(parts);
  return true;
}

bool Mount::strip(const std::string& absolute, std::string& name) const {
  for (const std::string_view root :
       {std::string_view(root_, length_), std::string_view(given_, given_length_)}) {
    if (!absolute.starts_with(root)) continue;
    if (absolute.size() == root.size()) {
      name.clear();
      return true;
    }
    if (absolute[root.size()] != '/') continue;
    name = absolute.substr(root.size() + 1);
    return true;
  }
  return false;
}

Where Mount::locate(int directory, const char* path, Follow follow) const {
  Where where;
  std::string absolute;
  if (path == nullptr || *path == '\0' || !make_absolute(directory, path, absolute)) return where;
  if (!strip(absolute, where.name)) return where;
  where.inside = true;
  if (where.name.empty()) {
    where.type = S_IFDIR;
    return where;
  }
  // One look tells what is there, if no link is on the way.
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const UniqueFd there(
      static_cast<int>(::syscall(SYS_openat2, root_fd_, where.name.c_str(), &how, sizeof how)));
  if (!there) return errno == ELOOP ? follow_links(std::move(where.name), follow) : where;
  struct stat found {};
  if (::fstat(there.get(), &found) == 0) where.type = found.st_mode & S_IFMT;
  if (S_ISLNK(where.type) && follow == Follow::yes) return follow_links(std::move(where.name), follow);
  // "name/" must be a directory.
  return where;
}

// By hand, part by part: a link may lead to a name that only the buffer knows.
Where Mount::follow_links(std::string name, Follow follow) const {
  constexpr int kMostLinks = 40;
  std::string done;  // relative to the mount, no links in it
  std::string rest = std::move(name);
  Where where;
  for (int links = 0; links < kMostLinks;) {
    if (rest.empty()) {
      where.inside = true;
      where.name = done;
      struct stat found {};
      if (done.empty())
        where.type = S_IFDIR;
      else if (::fstatat(root_fd_, done.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0)
        where.type = found.st_mode & S_IFMT;
      return where;
    }
    const std::size_t slash = rest.find('/');
    const std::string part = rest.substr(0, slash);
    const bool last = slash == rest.npos;
    rest = last ? std::string() : rest.substr(slash + 1);
    const std::string next = done.empty() ? part : done + "/" + part;
    char target[PATH_MAX];
    const ssize_t length =
        last && follow == Follow::no ? -1 : ::readlinkat(root_fd_, next.c_str(), target, sizeof target);
    if (length < 0) {
      done = next;
      continue;
    }
    ++links;
    const std::string_view to(target, static_cast<std::size_t>(length));
    std::vector<std::string_view> parts;
    const std::string base = absolute(done);
    if (to.front() != '/') clean(base, parts);
    clean(to, parts);
    const std::string whole = joined(parts) + (rest.empty() ? "" : "/" + rest);
    done.clear();
    if (!strip(whole, rest)) return {};  // it leads elsewhere
    // A part of the way there may be a link again.
  }
  where.inside = true;
  where.name = done.empty() ? rest : done;
  where.type = S_IFLNK;  // the program's own call says ELOOP
  return where;
}

}  // namespace weir::burst::preload
