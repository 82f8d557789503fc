#include "burst/preload/process.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/moved_up.hpp"
#include "base/uncancelled.hpp"
#include "burst/preload/mappings.hpp"
#include "burst/preload/mount.hpp"
#include "burst/preload/own_work.hpp"
#include "burst/preload/streams.hpp"
#include "burst/preload/table.hpp"
#include "burst/this_node.hpp"

namespace weir::burst::preload {
namespace {

// The directory as its user names it, and where this node's placeholders are: what a process must know before
// it reads the job file. `weir run` sets both; without them the job file is read at once.
constexpr const char* kDirectoryVariable = "WEIR_BURST_DIR";

[[gnu::tls_model("initial-exec")]] constinit thread_local bool vforked = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local pid_t vfork_parent = 0;

pid_t own_number() { return static_cast<pid_t>(::syscall(SYS_getpid)); }

void before_fork_here() {
  const OwnWork work;
  Process::current().before_fork();
}
void after_fork_here() {
  const OwnWork work;
  Process::current().after_fork_in_parent();
}
void after_fork_there() {
  const OwnWork work;
  Process::current().after_fork_in_child();
}

// After the real functions are known (intercept/shim.hpp).
[[gnu::constructor(102)]] void start_early() {
  const OwnWork work;
  Process::current().start();
}

// Streams are flushed by the C library after this; what they bring is published write by write.
[[gnu::destructor]] void end_late() {
  const OwnWork work;
  Process::current().end();
}

}  // namespace

Process& Process::current() {
  static Process* const process = new Process;
  return *process;
}

const Job* Process::job() {
  const std::lock_guard lock(mutex_);
  if (job_) return &*job_;
  const char* const file = std::getenv(kJobVariable);
  if (file == nullptr) return nullptr;
  auto job = Job::read(file);
  if (!job) return nullptr;
  const auto node = server_of_this_node(*job);
  if (!node) return nullptr;
  folder_ = placeholders_of(job->servers[*node]).string() + "/";
  job_ = std::move(*job);
  return &*job_;
}

void Process::start() {
  if (std::getenv(kJobVariable) == nullptr) return;
  const char* directory = std::getenv(kDirectoryVariable);
  const Job* known = job();
  if (directory == nullptr && known != nullptr) directory = known->mount.c_str();
  if (!Mount::current().start(directory)) return;
  child_environment_.read(environ);
  ::pthread_atfork(before_fork_here, after_fork_here, after_fork_there);
  adopt_descriptors();
}

FileSystem* Process::system() {
  if (FileSystem* const ready = system_.load(std::memory_order_acquire)) return ready;
  const Uncancelled work;
  // What a child of vfork connects is open in that child only; its parent must not find it.
  if (is_vfork_child()) return system_of_child();
  const Job* const known = job();
  if (known == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  if (FileSystem* const ready = system_.load(std::memory_order_acquire)) return ready;
  FileSystem* const made = connect(*known);
  if (made != nullptr) system_.store(made, std::memory_order_release);
  return made;
}

FileSystem* Process::system_of_child() {
  const Job* const known = job();
  return known == nullptr ? nullptr : connect(*known);
}

FileSystem* Process::connect(const Job& job) {
  const auto node = server_of_this_node(job);
  if (!node) return nullptr;
  auto made = FileSystem::connect(job, *node);
  return made ? made->release() : nullptr;
}

int Process::make_placeholder(FileId file, int flags) {
  constexpr int kKept = O_ACCMODE | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_DSYNC | O_SYNC | O_NOATIME;
  if (job() == nullptr) {
    errno = EIO;
    return -1;
  }
  const std::string path = fmt::format("{}{:016x}", folder_, file.value);
  const int fd = ::open(path.c_str(), (flags & kKept & ~O_NOATIME) | O_CREAT, 0600);
  if (fd < Table::kMost) return fd;
  ::close(fd);
  errno = EMFILE;
  return -1;
}

std::optional<FileId> Process::placeholder_of(int fd) const {
  const std::string path = path_behind(fd);
  if (folder_.empty() || !path.starts_with(folder_)) return {};
  const std::string number = path.substr(folder_.size());
  FileId file;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), file.value, 16);
  if (error != std::errc{} || end != number.data() + number.size()) return {};
  return file;
}

void Process::adopt_descriptors() {
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] == '.' || fd >= Table::kMost) continue;
    const auto file = placeholder_of(fd);
    if (!file) continue;
    // Two descriptors of one description cannot be told from two descriptions; sharing the position through
    // the kernel is right for both.
    Table::current().put(fd, *file, ::fcntl(fd, F_GETFL), nullptr, true);
    Streams::current().descriptor_changed(fd);
  }
  ::closedir(folder);
}

void Process::publish_all() {
  Mappings::current().write_back_all();
  Table::current().for_each([](OpenFile& file, int) { file.publish(); });
}

void Process::before_handing_on() {
  publish_all();
  Table::current().for_each([](OpenFile& file, int fd) { file.share(fd); });
}

void Process::before_fork() {
  before_handing_on();
  mutex_.lock();
  Table::current().mutex().lock();
  Mount::current().mutex().lock();
  Mappings::current().mutex().lock();
  Streams::current().mutex().lock();
}

void Process::after_fork_in_parent() {
  Streams::current().mutex().unlock();
  Mappings::current().mutex().unlock();
  Mount::current().mutex().unlock();
  Table::current().mutex().unlock();
  mutex_.unlock();
}

void Process::after_fork_in_child() {
  vforked = false;    // a vfork() of the parent's that nobody asked about since
  system_ = nullptr;  // left as it is: it was the parent's
  Table::current().begin_again();
  Mappings::current().begin_again();
  after_fork_in_parent();
  Mappings::current().find_again();
}

void Process::before_vfork() {
  before_handing_on();
  vfork_parent = own_number();
  vforked = true;
}

bool Process::is_vfork_child() {
  if (!vforked) [[likely]]
    return false;
  if (own_number() != vfork_parent) return true;
  vforked = false;
  return false;
}

void Process::end() {
  if (!Mount::current().is_on()) return;
  Streams::current().flush_all();
  ending_ = true;
  publish_all();
}

bool Process::owns(int fd) {
  if (fd < kFirstOwnFd || !Mount::current().is_on()) return false;
  if (fd == Mount::current().root()) return true;
  FileSystem* const ready = system_.load(std::memory_order_acquire);
  if (ready == nullptr) return false;
  const auto of_channel = ready->session().descriptors();
  if (std::ranges::find(of_channel, fd) != of_channel.end()) return true;
  // Segments, and files of the backing directory: the program's own there are placeholders.
  const std::string path = path_behind(fd);
  struct stat found {};
  if (::fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) return false;
  const Job& known = ready->session().job();
  return path.starts_with(known.servers[ready->node()].directory.string() + "/") ||
         path.starts_with(known.backing.string() + "/");
}

}  // namespace weir::burst::preload
