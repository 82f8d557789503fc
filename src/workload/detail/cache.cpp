#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "workload/detail/files.hpp"

namespace weir::workload::detail {
namespace {

constexpr const char* kDropCaches = "/proc/sys/vm/drop_caches";
constexpr std::uint64_t kWindow = std::uint64_t{1} << 30U;

// Pages of the file that are still in memory, and pages it has.
struct Resident {
  std::uint64_t pages = 0;
  std::uint64_t of = 0;
};

Resident resident_pages(int fd) {
  Resident resident;
  struct stat seen {};
  if (::fstat(fd, &seen) != 0) return resident;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> marks;
  for (std::uint64_t at = 0; at < static_cast<std::uint64_t>(seen.st_size); at += kWindow) {
    const std::uint64_t length = std::min(kWindow, static_cast<std::uint64_t>(seen.st_size) - at);
    void* const map = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(at));
    if (map == MAP_FAILED) continue;
    marks.resize((length + page - 1) / page);
    if (::mincore(map, length, marks.data()) == 0) {
      resident.of += marks.size();
      resident.pages += static_cast<std::uint64_t>(
          std::count_if(marks.begin(), marks.end(), [](unsigned char mark) { return (mark & 1U) != 0; }));
    }
    ::munmap(map, length);
  }
  return resident;
}

// 0 or the errno of what refused.
int drop_all_caches() {
  const UniqueFd fd(::open(kDropCaches, O_WRONLY | O_CLOEXEC));
  if (!fd) return errno;
  return ::write(fd.get(), "3", 1) == 1 ? 0 : errno;
}

}  // namespace

std::vector<std::string> drop_cached(const std::vector<Task>& tasks) {
  std::vector<std::string> notes;
  std::set<std::filesystem::path> files;
  for (const Task& task : tasks)
    if (shape_of(task.job.mode).existing) files.insert(task.file);
  for (const auto& file : files) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd) (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);  // they were synced when made
  }
  if (const int error = drop_all_caches(); error != 0)
    notes.push_back(fmt::format(
        "caches of the machine could not be dropped: {}: {}; only the job's own pages were let go",
        kDropCaches, std::strerror(error)));
  Resident left;
  for (const auto& file : files) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) continue;
    const Resident here = resident_pages(fd.get());
    left.pages += here.pages;
    left.of += here.of;
  }
  struct statfs seen {};
  const bool memory = !tasks.empty() && ::statfs(tasks.front().job.directory.c_str(), &seen) == 0 &&
                      (seen.f_type == TMPFS_MAGIC || seen.f_type == RAMFS_MAGIC);
  if (memory)
    notes.emplace_back("the directory lies in memory (tmpfs): nothing there is ever cold");
  else if (left.pages != 0)
    notes.push_back(fmt::format("{} of {} pages of the job's files stayed in memory", left.pages, left.of));
  return notes;
}

}  // namespace weir::workload::detail
