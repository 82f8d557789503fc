#include <array>
#include <set>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "workload/detail/files.hpp"

namespace weir::workload::detail {
namespace {

// cachestat(2) is younger than Debian 12's headers.
#ifdef SYS_cachestat
constexpr long kCachestat = SYS_cachestat;
#else
constexpr long kCachestat = 451;
#endif

// Pages, in the kernel's order.
struct CacheStat {
  std::uint64_t cached = 0, dirty = 0, writeback = 0, evicted = 0, recently_evicted = 0;
};

std::optional<std::uint64_t> unwritten_pages(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::array<std::uint64_t, 2> whole{};  // offset, and length 0: to the end
  CacheStat seen;
  if (::syscall(kCachestat, fd.get(), whole.data(), &seen, 0) != 0) return std::nullopt;
  return seen.dirty + seen.writeback;
}

}  // namespace

std::optional<Bytes> bytes_in_cache(const std::vector<Task>& tasks) {
  std::set<std::filesystem::path> files;
  for (const Task& task : tasks) {
    const Job& job = task.job;
    const bool synced = job.sync != Sync::none || job.sync_at_end || job.flush == Flush::fsync;
    if (synced || job.mode == Mode::metadata || shape_of(job.mode).moves == Moves::read) continue;
    const std::uint64_t count = task.file_a_record() ? task.records() : 1;
    for (std::uint64_t i = 0; i < count; ++i) files.insert(task.file_of(i));
  }
  std::uint64_t pages = 0;
  for (const auto& file : files) {
    const auto here = unwritten_pages(file);
    if (!here) return std::nullopt;
    pages += *here;
  }
  return Bytes(pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace weir::workload::detail
