#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workload/detail/files.hpp"
#include "workload/run.hpp"

namespace weir::workload {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "weir-run.";

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

// weir-run.HOST.PID.NUMBER: the process that made it, if this is such a name and made on this machine.
pid_t maker_of(const std::string& name, const std::string& host) {
  const std::string start = fmt::format("{}{}.", kPrefix, host);
  if (!name.starts_with(start)) return 0;
  pid_t pid = 0;
  const char* const end = name.data() + name.size();
  const auto [after, failed] = std::from_chars(name.data() + start.size(), end, pid);
  return failed == std::errc{} && after != end && *after == '.' && pid > 0 ? pid : 0;
}

}  // namespace

std::uint64_t remove_leftovers(const fs::path& directory) {
  std::uint64_t removed = 0;
  std::error_code failed;
  const std::string host = host_name();
  std::vector<fs::path> left;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed)) {
    const pid_t maker = maker_of(at->path().filename().string(), host);
    if (maker != 0 && ::kill(maker, 0) != 0 && errno == ESRCH) left.push_back(at->path());
  }
  for (const fs::path& path : left) {
    fs::remove_all(path, failed);
    if (!failed) ++removed;
  }
  return removed;
}

namespace detail {

Result<RunDirectory> RunDirectory::make(const fs::path& parent, bool keep) {
  static std::atomic<unsigned> number{0};
  std::error_code failed;
  const fs::path directory = fs::absolute(parent, failed);
  struct stat seen {};
  if (failed || ::stat(directory.c_str(), &seen) != 0)
    return Error::from_errno(failed ? failed.value() : errno, "cannot use it")
        .in(parent.string())
        .with_remedy("name a directory that is there");
  if (!S_ISDIR(seen.st_mode)) return Error{Errc::usage, "is no directory"}.in(parent.string());
  remove_leftovers(directory);
  Spare spare;
  for (UniqueFd& fd : spare) {
    fd.reset(::open(directory.c_str(), O_PATH | O_CLOEXEC));
    if (!fd) return Error::from_errno(errno, "cannot use it").in(parent.string());
  }
  // Kept files have another name: they are nobody's to remove.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::string name = fmt::format("{}{}.{}.{}", keep ? "weir-kept." : kPrefix, host_name(), ::getpid(),
                                         number.fetch_add(1));
    if (::mkdir((directory / name).c_str(), 0755) == 0)
      return RunDirectory(directory / name, keep, std::move(spare));
    if (errno != EEXIST) break;
  }
  return Error::from_errno(errno, "cannot make files in it")
      .in(parent.string())
      .with_remedy("choose a directory you may write to");
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), keep_(other.keep_), spare_(std::move(other.spare_)) {}

RunDirectory::~RunDirectory() { (void)remove(); }

Result<void> RunDirectory::remove() {
  if (path_.empty() || keep_) return {};
  for (UniqueFd& fd : spare_) fd.reset();
  std::error_code failed;
  fs::remove_all(path_, failed);
  const fs::path path = std::exchange(path_, {});
  if (failed) return Error::from_errno(failed.value(), "cannot remove").in(path.string());
  return {};
}

Task task_of(const Job& job, std::uint32_t worker, const fs::path& directory) {
  Task task;
  task.job = job;
  task.worker = worker;
  task.file = directory / (job.layout == Layout::shared ? "shared" : fmt::format("worker{}", worker));
  return task;
}

}  // namespace detail
}  // namespace weir::workload
