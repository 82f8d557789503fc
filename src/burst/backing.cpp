#include "burst/backing.hpp"

#include <array>
#include <climits>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/moved_up.hpp"

namespace weir::burst {
namespace {

// openat2() below `root`: symbolic links are followed as long as they stay below it.
UniqueFd open_below(int root, const char* path, int flags, std::uint32_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (;;) {
    const auto fd = static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof how));
    if (fd >= 0 || (errno != EINTR && errno != EAGAIN)) return UniqueFd(fd);
  }
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

timespec time_of(std::int64_t nanoseconds) {
  return {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
}

}  // namespace

bool is_clean_path(std::string_view path) {
  if (path.empty() || path.size() >= PATH_MAX || path.find('\0') != path.npos) return false;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == ".." || part.size() > NAME_MAX) return false;
    begin = end + 1;
  }
  return true;
}

Result<Backing> Backing::open(const std::filesystem::path& directory) {
  auto root = weir::open_file(directory, O_PATH | O_DIRECTORY);
  if (!root) return root.error().in("backing directory");
  return Backing(moved_up(std::move(*root)), directory);
}

UniqueFd Backing::open_file(const std::string& path, int flags, std::uint32_t mode) const {
  return moved_up(open_below(root_.get(), path.c_str(), flags, mode));
}

UniqueFd Backing::open_to_write(const std::string& path) const {
  constexpr int kFlags = O_WRONLY | O_CREAT;
  UniqueFd file = open_below(root_.get(), path.c_str(), kFlags, 0600);
  if (file || errno != EACCES) return file;
  std::string last;
  const UniqueFd parent = open_parent(path, last);
  if (!parent || ::fchmodat(parent.get(), last.c_str(), 0600, 0) != 0) return {};
  return open_below(root_.get(), path.c_str(), kFlags, 0600);
}

int Backing::give(int file, const Attributes& attributes) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return errno;
  if ((found.st_uid != attributes.uid || found.st_gid != attributes.gid) &&
      ::fchown(file, attributes.uid, attributes.gid) != 0)
    return errno;
  if ((found.st_mode & 07777u) != attributes.mode && ::fchmod(file, attributes.mode) != 0) return errno;
  const std::array<timespec, 2> times = {timespec{0, UTIME_OMIT}, time_of(attributes.modified_ns)};
  return ::futimens(file, times.data()) == 0 ? 0 : errno;
}

UniqueFd Backing::open_parent(const std::string& path, std::string& last, int flags) const {
  const std::size_t slash = path.rfind('/');
  last = slash == path.npos ? path : path.substr(slash + 1);
  const std::string parent = slash == path.npos ? "." : path.substr(0, slash);
  return open_below(root_.get(), parent.c_str(), flags | O_DIRECTORY, 0);
}

int Backing::sync_folder_of(const std::string& path) const {
  std::string last;
  const UniqueFd parent = open_parent(path, last, O_RDONLY);
  return parent && ::fsync(parent.get()) == 0 ? 0 : errno;
}

int Backing::check_parent(const std::string& path) const {
  std::string last;
  return open_parent(path, last) ? 0 : errno;
}

Outcome<Attributes> Backing::stat(const std::string& path) const {
  const UniqueFd file = open_below(root_.get(), path.c_str(), O_PATH, 0);
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) return {errno, {}};
  Attributes attributes;
  attributes.size = static_cast<std::uint64_t>(found.st_size);
  attributes.mode = found.st_mode & 07777u;
  attributes.uid = found.st_uid;
  attributes.gid = found.st_gid;
  attributes.kind = S_ISDIR(found.st_mode) ? FileKind::directory : FileKind::regular;
  attributes.modified_ns = nanoseconds(found.st_mtim);
  attributes.changed_ns = nanoseconds(found.st_ctim);
  return {0, attributes};
}

int Backing::truncate(const std::string& path, std::uint64_t size) const {
  const UniqueFd file = open_file(path, O_WRONLY);
  if (!file) return errno;
  return ::ftruncate(file.get(), static_cast<off_t>(size)) == 0 ? 0 : errno;
}

bool Backing::allows(const std::string& path, std::uint32_t access) const {
  std::string last;
  const UniqueFd parent = open_parent(path, last);
  return parent && ::faccessat(parent.get(), last.c_str(), static_cast<int>(access), AT_EACCESS) == 0;
}

int Backing::set_attributes(const std::string& path, const Attributes& before, const Attributes& now) const {
  std::string last;
  const UniqueFd parent = open_parent(path, last);
  if (!parent) return errno;
  if ((before.uid != now.uid || before.gid != now.gid) &&
      ::fchownat(parent.get(), last.c_str(), now.uid, now.gid, AT_SYMLINK_NOFOLLOW) != 0)
    return errno;
  if (before.mode != now.mode && ::fchmodat(parent.get(), last.c_str(), now.mode, 0) != 0) return errno;
  const std::array<timespec, 2> times = {timespec{0, UTIME_OMIT}, time_of(now.modified_ns)};
  if (before.modified_ns != now.modified_ns &&
      ::utimensat(parent.get(), last.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0)
    return errno;
  return 0;
}

int Backing::unlink(const std::string& path) const {
  std::string last;
  const UniqueFd parent = open_parent(path, last);
  if (!parent) return errno;
  return ::unlinkat(parent.get(), last.c_str(), 0) == 0 ? 0 : errno;
}

int Backing::link(const std::string& file, const std::string& name) const {
  std::string last_file;
  std::string last_name;
  const UniqueFd parent_file = open_parent(file, last_file);
  if (!parent_file) return errno;
  const UniqueFd parent_name = open_parent(name, last_name);
  if (!parent_name) return errno;
  if (::linkat(parent_file.get(), last_file.c_str(), parent_name.get(), last_name.c_str(), 0) == 0) return 0;
  const int error = errno;
  struct stat one {};
  struct stat other {};
  const bool same = error == EEXIST &&
                    ::fstatat(parent_file.get(), last_file.c_str(), &one, AT_SYMLINK_NOFOLLOW) == 0 &&
                    ::fstatat(parent_name.get(), last_name.c_str(), &other, AT_SYMLINK_NOFOLLOW) == 0 &&
                    one.st_ino == other.st_ino && one.st_dev == other.st_dev;
  return same ? 0 : error;
}

int Backing::rename(const std::string& from, const std::string& to) const {
  std::string last_from;
  std::string last_to;
  const UniqueFd parent_from = open_parent(from, last_from);
  if (!parent_from) return errno;
  const UniqueFd parent_to = open_parent(to, last_to);
  if (!parent_to) return errno;
  return ::renameat(parent_from.get(), last_from.c_str(), parent_to.get(), last_to.c_str()) == 0 ? 0 : errno;
}

}  // namespace weir::burst
