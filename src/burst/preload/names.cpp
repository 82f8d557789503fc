#include "burst/preload/names.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/uncancelled.hpp"
#include "burst/client/file_system.hpp"
#include "burst/client/fill_stat.hpp"
#include "burst/preload/process.hpp"
#include "burst/preload/table.hpp"

namespace weir::burst::preload::names {
namespace {

FileSystem* file_system() { return Process::current().system(); }

// A placeholder for a file that was just opened, entered in the table.
Answer hold(std::shared_ptr<File> file, int flags) {
  const FileId id = file->id();
  const int fd = Process::current().make_placeholder(id, flags);
  if (fd < 0) return Answer::failed(errno);
  Mount::current().forget_descriptor(fd);
  // A child of vfork hands it on by exec: whoever gets it finds it by itself.
  if (!Process::is_vfork_child()) {
    Table::current().drop(fd);  // was closed by a call that nobody saw
    Table::current().put(fd, id, ::fcntl(fd, F_GETFL), std::move(file), false);
  }
  return {fd, 0};
}

// A file without a name.
Answer open_temporary(const std::string& directory, int flags, mode_t mode) {
  FileSystem* const system = file_system();
  if (system == nullptr) return Answer::failed(EIO);
  for (int tries = 0; tries < 100; ++tries) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number) return Answer::failed(EIO);
    const std::string_view prefix = (flags & O_EXCL) != 0 ? ".weir-nameless-" : kUnnamed;
    const std::string name = fmt::format("{}{}{}{}", directory, directory.empty() ? "" : "/", prefix, number);
    auto opened = system->open(name, (flags & ~(O_TMPFILE | O_TRUNC)) | O_CREAT | O_EXCL, mode);
    if (opened.error == EEXIST) continue;
    if (!opened) return Answer::failed(opened.error);
    if (const int error = system->unlink(name); error != 0) return Answer::failed(error);
    return hold(std::move(opened.body), flags & ~(O_TMPFILE | O_EXCL));
  }
  return Answer::failed(EEXIST);
}

bool ends_with_slash(const char* path) {
  const std::size_t length = std::strlen(path);
  return length > 1 && path[length - 1] == '/';
}

bool is_too_long(const std::string& name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (end - begin > NAME_MAX) return true;
    begin = end + 1;
  }
  return name.size() >= PATH_MAX;
}

// Why a name cannot be, where the owners know less: its folder is a file, or it is too long.
int reason(FileSystem& system, const std::string& name, int error) {
  if (error == EXDEV && is_too_long(name)) return ENAMETOOLONG;
  const std::size_t slash = name.rfind('/');
  if (error != ENOENT || slash == name.npos) return error;
  struct stat folder {};
  if (::stat(Mount::current().absolute(name.substr(0, slash)).c_str(), &folder) == 0 &&
      S_ISDIR(folder.st_mode))
    return error;
  for (std::size_t end = name.find('/'); end != name.npos; end = name.find('/', end + 1)) {
    const auto above = system.look(name.substr(0, end));
    if (above && above.body.attributes.kind == FileKind::regular) return ENOTDIR;
  }
  return error;
}

Outcome<Stated> look(const std::string& name) {
  FileSystem* const system = file_system();
  if (system == nullptr) return {EIO, {}};
  auto found = system->look(name);
  if (!found) found.error = reason(*system, name, found.error);
  return found;
}

// Errors of paths whose directory is not there come from the real call; here only for names that may be
// buffered.
int rename_tree(FileSystem& system, const std::string& from, const std::string& to);

}  // namespace

bool is_buffered(const Where& where) { return where.is_file() && look(where.name).error == 0; }

Maybe open(int directory, const char* path, int flags, mode_t mode) {
  ::pthread_testcancel();
  const Uncancelled work;
  const bool only_new = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);  // not even a link may be there
  const Where where = Mount::current().locate(
      directory, path, only_new || (flags & O_NOFOLLOW) != 0 ? Follow::no : Follow::yes);
  const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  mode &= ~Mount::current().umask();
  if (unnamed && where.is_directory()) return open_temporary(where.name, flags, mode);
  if (!where.is_file()) return {};
  if (ends_with_slash(path)) return Answer::failed((flags & O_CREAT) != 0 ? EISDIR : ENOTDIR);
  FileSystem* const system = file_system();
  if (system == nullptr) return Answer::failed(EIO);
  if ((flags & O_DIRECTORY) != 0) {
    const auto there = system->look(where.name);
    return Answer::failed(there ? ENOTDIR : there.error);
  }
  if ((flags & O_PATH) != 0) flags = O_RDONLY | (flags & O_CLOEXEC);
  auto opened = system->open(where.name, flags, mode);
  if (!opened) return Answer::failed(reason(*system, where.name, opened.error));
  return hold(std::move(opened.body), flags);
}

Maybe stat(int directory, const char* path, struct stat& status, Follow follow) {
  const Where where = Mount::current().locate(directory, path, follow);
  if (!where.is_file()) return {};
  const auto there = look(where.name);
  if (!there) return Answer::failed(there.error);
  if (there.body.attributes.kind == FileKind::directory) return {};  // was made just now
  if (ends_with_slash(path)) return Answer::failed(ENOTDIR);
  fill_stat(there.body.attributes, there.body.file, status, there.body.names);
  status.st_dev = Mount::current().device();
  return Answer{};
}

namespace {

bool is_in_group(gid_t group, gid_t own) {
  if (group == own) return true;
  std::vector<gid_t> others(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  others.resize(
      static_cast<std::size_t>(std::max(0, ::getgroups(static_cast<int>(others.size()), others.data()))));
  return std::ranges::find(others, group) != others.end();
}

}  // namespace

Maybe access(int directory, const char* path, int mode, int flags) {
  struct stat status {};
  const Maybe found =
      stat(directory, path, status, (flags & AT_SYMLINK_NOFOLLOW) != 0 ? Follow::no : Follow::yes);
  if (!found || found->error != 0) return found;
  if ((mode & ~(R_OK | W_OK | X_OK)) != 0) return Answer::failed(EINVAL);
  const bool effective = (flags & AT_EACCESS) != 0;
  const uid_t user = effective ? ::geteuid() : ::getuid();
  unsigned allowed = status.st_mode & 7u;
  if (user == status.st_uid)
    allowed = (status.st_mode >> 6) & 7u;
  else if (is_in_group(status.st_gid, effective ? ::getegid() : ::getgid()))
    allowed = (status.st_mode >> 3) & 7u;
  if (user == 0) allowed = R_OK | W_OK | ((status.st_mode & 0111u) != 0 ? X_OK : 0);
  return Answer::of((static_cast<unsigned>(mode) & ~allowed) == 0 ? 0 : EACCES);
}

Maybe truncate(const char* path, off_t size) {
  const Where where = Mount::current().locate(AT_FDCWD, path, Follow::yes);
  if (!where.is_file()) return {};
  if (size < 0) return Answer::failed(EINVAL);
  FileSystem* const system = file_system();
  if (system == nullptr) return Answer::failed(EIO);
  const auto file = system->open(where.name, O_WRONLY, 0);
  if (!file) return Answer::failed(file.error);
  return Answer::of(file.body->truncate(static_cast<std::uint64_t>(size)));
}

Maybe unlink(int directory, const char* path, int flags) {
  const Where where = Mount::current().locate(directory, path, Follow::no);
  if (!where.inside) return {};
  FileSystem* const system = file_system();
  if (system == nullptr) return Answer::failed(EIO);
  if ((flags & AT_REMOVEDIR) != 0) {
    if (where.is_file()) {
      const auto there = system->look(where.name);
      return Answer::failed(there ? ENOTDIR : there.error);
    }
    std::vector<NameRow> rows;
    if (const int error = system->list(where.name, rows); error != 0) return Answer::failed(error);
    if (!rows.empty()) return Answer::failed(ENOTEMPTY);
    return {};
  }
  if (!where.is_file()) return {};
  return Answer::of(system->unlink(where.name));
}

namespace {

// A second name for a file that is known by its number.
Answer link_to(FileId file, const Where& new_name) {
  if (!new_name.inside) return Answer::failed(EXDEV);
  if (new_name.type != 0 || new_name.name.empty()) return Answer::failed(EEXIST);
  FileSystem* const system = file_system();
  if (system == nullptr) return Answer::failed(EIO);
  const int error = system->link(file, new_name.name);
  return Answer::of(error == 0 ? 0 : reason(*system, new_name.name, error));
}

// The open file that linkat() means by its descriptor: with the empty name, or with one of /proc; -1 for
// none.
int descriptor_meant(int directory, std::string_view from, int flags) {
  if ((flags & AT_EMPTY_PATH) != 0 && from.empty()) return directory;
  if ((flags & AT_SYMLINK_FOLLOW) == 0) return -1;
  for (const std::string_view folder : {"/proc/self/fd/", "/dev/fd/"}) {
    if (!from.starts_with(folder)) continue;
    int fd = -1;
    const std::string_view number = from.substr(folder.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fd);
    return error == std::errc{} && end == number.data() + number.size() ? fd : -1;
  }
  return -1;
}

}  // namespace

Maybe link(int from_directory, const char* from, int to_directory, const char* to, int flags) {
  const Where new_name = Mount::current().locate(to_directory, to, Follow::no);
  if (const Use file(descriptor_meant(from_directory, from, flags)); file)
    return link_to(file->id(), new_name);
  const Where old_name = Mount::current().locate(from_directory, from,
                                                 (flags & AT_SYMLINK_FOLLOW) != 0 ? Follow::yes : Follow::no);
  if (!old_name.inside && !new_name.inside) return {};
  if (old_name.inside != new_name.inside) return Answer::failed(EXDEV);
  if (!old_name.is_file()) return is_buffered(new_name) ? Maybe(Answer::failed(EEXIST)) : Maybe();
  const auto there = look(old_name.name);
  if (!there) return Answer::failed(there.error);
  if (ends_with_slash(to)) return Answer::failed(ENOENT);
  return link_to(there.body.file, new_name);
}

Maybe make_directory(int directory, const char* path) {
  const Where where = Mount::current().locate(directory, path, Follow::no);
  if (where.is_file() && where.type == 0 && is_buffered(where)) return Answer::failed(EEXIST);
  return {};
}

Maybe set_attributes(int directory, const char* path, const SetAttributes& change, Follow follow) {
  const Where where = Mount::current().locate(directory, path, follow);
  if (!where.is_file()) return {};
  const auto there = look(where.name);
  if (!there) return Answer::failed(there.error);
  SetAttributes request = change;
  request.file = there.body.file;
  if (request.uid == static_cast<uid_t>(-1)) request.uid = there.body.attributes.uid;
  if (request.gid == static_cast<gid_t>(-1)) request.gid = there.body.attributes.gid;
  return Answer::of(file_system()->session().ask(request.file.home(), request).error);
}

Maybe read_link(int directory, const char* path) {
  const Where where = Mount::current().locate(directory, path, Follow::no);
  if (!where.is_file()) return {};
  const auto there = look(where.name);
  return Answer::failed(there ? EINVAL : there.error);
}

Maybe no_attributes(const char* path, Follow follow, int error) {
  const Where where = Mount::current().locate(AT_FDCWD, path, follow);
  if (!where.is_file()) return {};
  const auto there = look(where.name);
  return Answer::failed(there ? error : there.error);
}

Maybe make_temporary(char* pattern, int suffix, int flags) {
  constexpr std::string_view kHoles = "XXXXXX";
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const std::size_t length = std::strlen(pattern);
  if (suffix < 0 || length < kHoles.size() + static_cast<std::size_t>(suffix)) return Answer::failed(EINVAL);
  char* const holes = pattern + length - kHoles.size() - suffix;
  if (std::memcmp(holes, kHoles.data(), kHoles.size()) != 0) return Answer::failed(EINVAL);
  for (int tries = 0; tries < 1000; ++tries) {
    unsigned char random[kHoles.size()];
    if (::getrandom(random, sizeof random, 0) != sizeof random) return Answer::failed(EIO);
    for (std::size_t i = 0; i < sizeof random; ++i) holes[i] = kLetters[random[i] % kLetters.size()];
    const Maybe opened =
        open(AT_FDCWD, pattern, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (opened && opened->error == EEXIST) continue;
    if (!opened || opened->error != 0) std::memcpy(holes, kHoles.data(), kHoles.size());
    return opened;
  }
  return Answer::failed(EEXIST);
}

std::string real_path(const char* path) {
  const Where where = Mount::current().locate(AT_FDCWD, path, Follow::yes);
  return where.is_file() && is_buffered(where) ? Mount::current().absolute(where.name) : std::string();
}

void before_executing(int directory, const char* path) {
  if (!Mount::current().may_hold(directory, path)) return;
  const Where where = Mount::current().locate(directory, path, Follow::yes);
  if (!where.is_file()) return;
  FileSystem* const system = Process::is_vfork_child() ? Process::current().system_of_child() : file_system();
  if (system == nullptr) return;
  if (const auto there = system->look(where.name))
    system->session().ask(there.body.file.home(), Flush{there.body.file});
}

namespace {

int rename_one(FileSystem& system, const Where& from, const std::string& to) {
  if (from.is_directory()) return rename_tree(system, from.name, to);
  if (from.is_file()) return system.rename(from.name, to);
  // A link or something special. A buffered file of that name goes, as a rename over it would have it.
  if (system.look(to)) system.unlink(to);
  const Mount& mount = Mount::current();
  return ::rename(mount.absolute(from.name).c_str(), mount.absolute(to).c_str()) == 0 ? 0 : errno;
}

// One by one: names are shared out over servers, and no order spans them.
int rename_tree(FileSystem& system, const std::string& from, const std::string& to) {
  const Mount& mount = Mount::current();
  const std::string old_path = mount.absolute(from);
  const std::string new_path = mount.absolute(to);
  std::vector<NameRow> rows;
  if (const int error = system.list(from, rows); error != 0) return error;
  std::vector<NameRow> there;
  if (const int error = system.list(to, there); error != 0) return error;
  if (!there.empty()) return ENOTEMPTY;
  // What has been buffered under the old names, to come back to once the directory has moved. Files that are
  // only in the backing directory move with it.
  if (rows.empty()) return ::rename(old_path.c_str(), new_path.c_str()) == 0 ? 0 : errno;
  struct stat status {};
  struct stat in_place {};
  std::vector<std::string> names;
  if (::lstat(new_path.c_str(), &in_place) == 0) {
    if (!S_ISDIR(in_place.st_mode)) return ENOTDIR;
    if (!mount.names_in(to, names)) return errno;
    if (!names.empty()) return ENOTEMPTY;
  } else if (::mkdir(new_path.c_str(), 0700) != 0) {
    return errno;
  }
  if (::stat(old_path.c_str(), &status) != 0 || ::chmod(new_path.c_str(), status.st_mode & 07777u) != 0)
    return errno;
  const auto move = [&](const std::string& name) {
    const Where where = mount.locate(AT_FDCWD, mount.absolute(from + "/" + name).c_str(), Follow::no);
    return rename_one(system, where, to + "/" + name);
  };
  for (const NameRow& row : rows) {
    const std::string rest = row.path.substr(from.size() + 1);
    if (rest.find('/') == rest.npos) names.push_back(rest);
  }
  if (!mount.names_in(from, names)) return errno;
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names)
    if (const int error = move(name); error != 0) return error;
  return ::rmdir(old_path.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Maybe rename(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
  const Mount& mount = Mount::current();
  const Where old_name = mount.locate(from_directory, from, Follow::no);
  const Where new_name = mount.locate(to_directory, to, Follow::no);
  if (!old_name.inside && !new_name.inside) return {};
  if (old_name.inside != new_name.inside) return Answer::failed(EXDEV);
  if (old_name.name.empty() || new_name.name.empty()) return Answer::failed(EBUSY);
  FileSystem* const system = file_system();
  if (system == nullptr) return Answer::failed(EIO);
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE
  if ((flags & ~kNoReplace) != 0) return Answer::failed(EINVAL);
  if (flags != 0 && (new_name.type != 0 || is_buffered(new_name))) return Answer::failed(EEXIST);
  if (old_name.is_directory()) {
    if (new_name.name == old_name.name) return Answer{};
    if (new_name.is_file() && is_buffered(new_name)) return Answer::failed(ENOTDIR);
    if (new_name.name.starts_with(old_name.name + "/")) return Answer::failed(EINVAL);
  } else if (new_name.is_directory()) {
    const bool there = !old_name.is_file() || is_buffered(old_name);
    return Answer::failed(there ? EISDIR : ENOENT);
  } else if (old_name.is_file() && new_name.type != 0 && !new_name.is_file()) {
    if (const auto there = look(old_name.name); !there) return Answer::failed(there.error);
    if (::unlink(mount.absolute(new_name.name).c_str()) != 0) return Answer::failed(errno);  // a link
  }
  return Answer::of(rename_one(*system, old_name, new_name.name));
}

}  // namespace weir::burst::preload::names
