#include "burst/fuse/mount.hpp"

#ifdef WEIR_HAVE_FUSE

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#define FUSE_USE_VERSION 35
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fuse.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "burst/client/file_system.hpp"
#include "burst/client/fill_stat.hpp"

namespace weir::burst {
namespace {

// What the functions below work on: libfuse hands them nothing but a pointer.
struct Mounted {
  Job job;
  std::uint32_t node = 0;
  std::unique_ptr<FileSystem> system;
};

Mounted& mounted() { return *static_cast<Mounted*>(::fuse_get_context()->private_data); }
FileSystem& file_system() { return *mounted().system; }

std::string name_of(const char* path) { return path + 1; }
// Directories and links are the backing directory's; the kernel has resolved every link on the way.
std::string behind(const char* path) { return mounted().job.backing.string() + path; }

using Handle = std::shared_ptr<File>;
File& file_of(const fuse_file_info& info) { return **reinterpret_cast<Handle*>(info.fh); }

constexpr std::string_view kLost = ".fuse_hidden";  // as libfuse names what was removed and is still open

bool is_hidden(const char* path) { return std::strncmp(path, "/.weir-", 7) == 0; }

// Whether the backing directory has something else than a file there: then its attributes.
bool is_no_file(const char* path, struct stat& status) {
  return ::lstat(behind(path).c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

int result(int error) { return -error; }
int plain(int value) { return value == 0 ? 0 : -errno; }

void* start(fuse_conn_info* /*connection*/, fuse_config* config) {
  auto& here = *static_cast<Mounted*>(::fuse_get_context()->private_data);
  auto system = FileSystem::connect(here.job, here.node);
  if (system) here.system = std::move(*system);
  config->use_ino = 1;
  // Other nodes change files too: nothing is kept in the kernel.
  config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
  config->direct_io = 1;
  // A file that is removed while it is open gets a hidden name until it is closed: the kernel asks for the
  // attributes of open files by path.
  config->hard_remove = 0;
  config->nullpath_ok = 1;
  return &here;
}

int get_attributes(const char* path, struct stat* status, fuse_file_info* info) {
  if (mounted().system == nullptr) return -EIO;
  if (info != nullptr) {
    Attributes attributes;
    std::uint32_t names = 1;
    if (const int error = file_of(*info).stat(attributes, &names); error != 0) return result(error);
    fill_stat(attributes, file_of(*info).id(), *status, names);
    return 0;
  }
  if (is_hidden(path)) return -ENOENT;
  if (is_no_file(path, *status)) return 0;
  const auto found = file_system().look(name_of(path));
  if (!found) return result(found.error);
  fill_stat(found.body.attributes, found.body.file, *status, found.body.names);
  return 0;
}

int open_directory(const char* path, fuse_file_info* info) {
  info->fh = reinterpret_cast<std::uint64_t>(new std::string(path));
  return 0;
}

int close_directory(const char* /*path*/, fuse_file_info* info) {
  delete reinterpret_cast<std::string*>(info->fh);
  return 0;
}

int read_directory(const char* /*path*/, void* buffer, fuse_fill_dir_t fill, off_t /*offset*/,
                   fuse_file_info* info, fuse_readdir_flags /*flags*/) {
  const char* const path = reinterpret_cast<const std::string*>(info->fh)->c_str();
  std::set<std::string> names;
  DIR* const folder = ::opendir(behind(path).c_str());
  if (folder == nullptr) return -errno;
  while (const dirent* const entry = ::readdir(folder)) names.insert(entry->d_name);
  ::closedir(folder);
  const std::string directory = name_of(path);
  std::vector<NameRow> rows;
  if (const int error = file_system().list(directory, rows); error != 0) return result(error);
  const std::size_t skip = directory.empty() ? 0 : directory.size() + 1;
  for (const NameRow& row : rows)
    if (row.path.find('/', skip) == row.path.npos) names.insert(row.path.substr(skip));
  for (const std::string& name : names)
    if (!(directory.empty() && name.starts_with(".weir-")) && !name.starts_with(kLost))
      fill(buffer, name.c_str(), nullptr, 0, static_cast<fuse_fill_dir_flags>(0));
  return 0;
}

int open_with(const char* path, mode_t mode, fuse_file_info* info) {
  if (is_hidden(path)) return -ENOENT;
  auto opened = file_system().open(name_of(path), info->flags & ~O_APPEND, mode);
  if (!opened) return result(opened.error);
  info->fh = reinterpret_cast<std::uint64_t>(new Handle(std::move(opened.body)));
  return 0;
}

int open_file(const char* path, fuse_file_info* info) { return open_with(path, 0, info); }
int create_file(const char* path, mode_t mode, fuse_file_info* info) {
  info->flags |= O_CREAT;
  return open_with(path, mode, info);
}

int transferred(const Transfer& done) { return done.error != 0 ? -done.error : static_cast<int>(done.bytes); }

int read_file(const char* /*path*/, char* buffer, std::size_t size, off_t offset, fuse_file_info* info) {
  return transferred(
      file_of(*info).pread({reinterpret_cast<std::byte*>(buffer), size}, static_cast<std::uint64_t>(offset)));
}

int write_file(const char* /*path*/, const char* buffer, std::size_t size, off_t offset,
               fuse_file_info* info) {
  const ByteSpan bytes(reinterpret_cast<const std::byte*>(buffer), size);
  File& file = file_of(*info);
  return transferred((info->flags & O_APPEND) != 0 ? file.append(bytes)
                                                   : file.pwrite(bytes, static_cast<std::uint64_t>(offset)));
}

// Every close of a descriptor; the last one is followed by release, whose errors nobody hears.
int close_descriptor(const char* /*path*/, fuse_file_info* info) {
  File& file = file_of(*info);
  return file.publishes_by_itself() ? result(file.attach_all()) : 0;
}

int release_file(const char* /*path*/, fuse_file_info* info) {
  delete reinterpret_cast<Handle*>(info->fh);
  return 0;
}

int sync_file(const char* /*path*/, int only_data, fuse_file_info* info) {
  using consistency::Operation;
  return result(file_of(*info).sync(only_data != 0 ? Operation::fdatasync : Operation::fsync));
}

int truncate_file(const char* path, off_t size, fuse_file_info* info) {
  if (info != nullptr) return result(file_of(*info).truncate(static_cast<std::uint64_t>(size)));
  const auto opened = file_system().open(name_of(path), O_WRONLY, 0);
  if (!opened) return result(opened.error);
  return result(opened.body->truncate(static_cast<std::uint64_t>(size)));
}

int remove_file(const char* path) {
  struct stat status {};
  if (is_no_file(path, status)) return plain(::unlink(behind(path).c_str()));
  return result(file_system().unlink(name_of(path)));
}

int rename_file(const char* from, const char* to, unsigned flags) {
  struct stat status {};
  if (flags != 0) return -EINVAL;
  if (!is_no_file(from, status)) return result(file_system().rename(name_of(from), name_of(to)));
  if (S_ISDIR(status.st_mode)) {
    std::vector<NameRow> rows;
    if (const int error = file_system().list(name_of(from), rows); error != 0) return result(error);
    if (!rows.empty()) return -EXDEV;  // whoever moves it copies, and so moves the buffered files too
    if (const int error = file_system().list(name_of(to), rows); error != 0) return result(error);
    if (!rows.empty()) return -ENOTEMPTY;
  }
  return plain(::rename(behind(from).c_str(), behind(to).c_str()));
}

int link_file(const char* from, const char* to) {
  struct stat status {};
  if (is_no_file(from, status)) return plain(::link(behind(from).c_str(), behind(to).c_str()));
  const auto found = file_system().look(name_of(from));
  return result(found ? file_system().link(found.body.file, name_of(to)) : found.error);
}

int make_directory(const char* path, mode_t mode) { return plain(::mkdir(behind(path).c_str(), mode)); }

int remove_directory(const char* path) {
  std::vector<NameRow> rows;
  if (const int error = file_system().list(name_of(path), rows); error != 0) return result(error);
  return rows.empty() ? plain(::rmdir(behind(path).c_str())) : -ENOTEMPTY;
}

int make_link(const char* target, const char* path) { return plain(::symlink(target, behind(path).c_str())); }

int read_link(const char* path, char* buffer, std::size_t size) {
  const ssize_t length = ::readlink(behind(path).c_str(), buffer, size - 1);
  if (length < 0) return -errno;
  buffer[length] = '\0';
  return 0;
}

int change(const char* path, const fuse_file_info* info, SetAttributes request) {
  Attributes before;
  if (info != nullptr) {
    request.file = file_of(*info).id();
    if (const int error = file_of(*info).stat(before); error != 0) return result(error);
  } else {
    const auto found = file_system().look(name_of(path));
    if (!found) return result(found.error);
    request.file = found.body.file;
    before = found.body.attributes;
  }
  if (request.uid == static_cast<uid_t>(-1)) request.uid = before.uid;
  if (request.gid == static_cast<gid_t>(-1)) request.gid = before.gid;
  return result(file_system().session().ask(request.file.home(), request).error);
}

int change_mode(const char* path, mode_t mode, fuse_file_info* info) {
  struct stat status {};
  if (info == nullptr && is_no_file(path, status)) return plain(::chmod(behind(path).c_str(), mode));
  SetAttributes request;
  request.with_mode = true;
  request.mode = mode & 07777u;
  return change(path, info, request);
}

int change_owner(const char* path, uid_t user, gid_t group, fuse_file_info* info) {
  struct stat status {};
  if (info == nullptr && is_no_file(path, status)) return plain(::lchown(behind(path).c_str(), user, group));
  SetAttributes request;
  request.with_owner = true;
  request.uid = user;
  request.gid = group;
  return change(path, info, request);
}

int change_times(const char* path, const timespec times[2], fuse_file_info* info) {
  struct stat status {};
  if (info == nullptr && is_no_file(path, status))
    return plain(::utimensat(AT_FDCWD, behind(path).c_str(), times, AT_SYMLINK_NOFOLLOW));
  SetAttributes request;
  timespec time = times[1];
  if (time.tv_nsec == UTIME_NOW) ::clock_gettime(CLOCK_REALTIME, &time);
  request.with_time = time.tv_nsec != UTIME_OMIT;
  request.modified_ns = time.tv_sec * 1'000'000'000 + time.tv_nsec;
  return change(path, info, request);
}

int tell_space(const char* /*path*/, struct statvfs* status) {
  return plain(::statvfs(behind("/").c_str(), status));
}

fuse_operations operations() {
  fuse_operations all{};
  all.init = start;
  all.getattr = get_attributes;
  all.opendir = open_directory;
  all.readdir = read_directory;
  all.releasedir = close_directory;
  all.open = open_file;
  all.create = create_file;
  all.read = read_file;
  all.write = write_file;
  all.flush = close_descriptor;
  all.release = release_file;
  all.fsync = sync_file;
  all.truncate = truncate_file;
  all.unlink = remove_file;
  all.rename = rename_file;
  all.link = link_file;
  all.mkdir = make_directory;
  all.rmdir = remove_directory;
  all.symlink = make_link;
  all.readlink = read_link;
  all.chmod = change_mode;
  all.chown = change_owner;
  all.utimens = change_times;
  all.statfs = tell_space;
  return all;
}

}  // namespace

Result<void> mount_job(const Job& job, std::uint32_t node, const MountOptions& options) {
  std::error_code failed;
  if (!std::filesystem::is_directory(options.point, failed) ||
      !std::filesystem::is_empty(options.point, failed))
    return Error{Errc::usage, "is no empty directory to mount on"}.in(options.point.string());
  if (::access("/dev/fuse", R_OK | W_OK) != 0)
    return Error{Errc::lacking, "/dev/fuse is not there or not for this user"}.with_remedy(
        "install fuse3 and load the module fuse");
  // Whether the servers answer is said here; the process that serves the mount connects by itself.
  if (const auto tried = FileSystem::connect(job, node); !tried) return tried.error();
  Mounted here{.job = job, .node = node, .system = nullptr};
  const fuse_operations all = operations();
  std::string program = "weir";
  std::string point = options.point.string();
  std::string settings = fmt::format("-ofsname=weir-{},default_permissions", job.id);
  std::string foreground = "-f";
  std::vector<char*> words = {program.data(), point.data(), settings.data()};
  if (options.foreground) words.push_back(foreground.data());
  words.push_back(nullptr);
  if (::fuse_main(static_cast<int>(words.size()) - 1, words.data(), &all, &here) != 0)
    return Error{Errc::io, "cannot be mounted"}.in(point);
  return {};
}

}  // namespace weir::burst

#else

namespace weir::burst {

Result<void> mount_job(const Job& /*job*/, std::uint32_t /*node*/, const MountOptions& /*options*/) {
  return Error{Errc::lacking, "this Weir was built without libfuse3"}.with_remedy(
      "install libfuse3-dev and build it again");
}

}  // namespace weir::burst

#endif
