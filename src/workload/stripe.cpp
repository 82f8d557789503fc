#include "workload/stripe.hpp"

#include <algorithm>
#include <barrier>
#include <cerrno>
#include <optional>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/unique_fd.hpp"
#include "workload/detail/data_pattern.hpp"
#include "workload/detail/files.hpp"
#include "workload/detail/memory.hpp"
#include "workload/detail/write_fully.hpp"

namespace weir::workload {
namespace {

constexpr std::size_t kMostTargets = 4096;
constexpr std::uint64_t kDirectUnit = 512;

// What one target gets of the file: stripes i, i+m, i+2m, ...; the last stripe may be short.
std::uint64_t part_size(const StripeJob& job, std::size_t target) {
  const std::uint64_t stripe = job.stripe.count;
  const std::uint64_t whole = job.size.count / stripe;
  const std::uint64_t rest = job.size.count % stripe;
  const std::uint64_t m = job.targets.size();
  const std::uint64_t mine = whole / m + (target < whole % m ? 1 : 0);
  return mine * stripe + (whole % m == target ? rest : 0);
}

Result<void> check(const StripeJob& job) {
  if (job.targets.empty())
    return Error{Errc::usage, "no target is given"}.with_remedy("name at least one directory");
  if (job.targets.size() > kMostTargets)
    return Error{Errc::too_big, fmt::format("{} targets are more than {}", job.targets.size(), kMostTargets)};
  if (job.stripe.count == 0 || job.size.count == 0)
    return Error{Errc::usage, "size and stripe must be more than 0"}.with_remedy(
        "write for example 512M and 1M");
  if (job.size.count > std::uint64_t{1} << 50U)
    return Error{Errc::too_big, fmt::format("a file of {} is more than 1 PiB", format_bytes(job.size))};
  if (part_size(job, job.targets.size() - 1) == 0)
    return Error{Errc::usage,
                 fmt::format("{} in stripes of {} do not reach {} targets", format_bytes(job.size),
                             format_bytes(job.stripe), job.targets.size())}
        .with_remedy("make the file larger, the stripe smaller or use fewer targets");
  if (job.direct && (job.stripe.count % kDirectUnit != 0 || job.size.count % kDirectUnit != 0))
    return Error{Errc::usage, "O_DIRECT needs a size and a stripe that are multiples of 512"}.with_remedy(
        "use for example 512M and 1M");
  return {};
}

// One target's file, opened, written and closed by a thread of its own.
class Part {
 public:
  Part(std::string target, std::filesystem::path file, std::span<const std::byte> bytes, bool direct)
      : target_(std::move(target)), file_(std::move(file)), bytes_(bytes), direct_(direct) {}

  void open() {
    const Nanoseconds before = Clock::monotonic();
    const int flags = O_CREAT | O_EXCL | O_WRONLY | O_SYNC | O_CLOEXEC | (direct_ ? O_DIRECT : 0);
    fd_.reset(::open(file_.c_str(), flags, 0644));
    times_.open = Clock::monotonic() - before;
    if (fd_) return;
    if (errno == EINVAL && direct_)
      error_ = Error{Errc::lacking, "its file system refuses O_DIRECT"}.with_remedy("leave O_DIRECT out");
    else
      fail(errno, "cannot open");
  }

  void write() {
    const Nanoseconds before = Clock::monotonic();
    const int failed = detail::write_fully(fd_.get(), bytes_);
    times_.write = Clock::monotonic() - before;
    if (failed != 0) fail(failed, fmt::format("cannot write {}", format_bytes(Bytes(bytes_.size()))));
  }

  void close() {
    const Nanoseconds before = Clock::monotonic();
    if (::close(fd_.release()) != 0) fail(errno, "cannot close");
    times_.close = Clock::monotonic() - before;
    // A limit that cuts writes off without a word has cost others a data set.
    struct stat seen {};
    if (error_) return;
    if (::stat(file_.c_str(), &seen) != 0)
      fail(errno, "is gone after it was written");
    else if (static_cast<std::uint64_t>(seen.st_size) != bytes_.size())
      error_ =
          Error{Errc::io, fmt::format("holds {} bytes after {} were written", seen.st_size, bytes_.size())};
    times_.bytes = Bytes(bytes_.size());
  }

  bool failed() const { return error_.has_value(); }
  Error error() const { return error_->in(target_); }
  const StripePart& times() const { return times_; }

 private:
  void fail(int number, std::string_view what) {
    error_ = Error::from_errno(number, what);
    if (number == ENOSPC || number == EDQUOT)
      error_ = error_->with_remedy("free some space there, or make the file smaller");
  }

  std::string target_;
  std::filesystem::path file_;
  std::span<const std::byte> bytes_;
  bool direct_;
  UniqueFd fd_;
  StripePart times_;
  std::optional<Error> error_;
};

// All open, and when all have opened, all write.
Result<Nanoseconds> write_parts(std::vector<Part>& parts) {
  Nanoseconds started;
  bool go_on = true;  // set between the phases, read after them
  std::barrier opened(std::ssize(parts), [&]() noexcept {
    go_on = go_on && std::none_of(parts.begin(), parts.end(), [](const Part& part) { return part.failed(); });
    started = Clock::wall();
  });
  const auto work = [&](Part& part) {
    part.open();
    opened.arrive_and_wait();
    if (!go_on) return;
    part.write();
    part.close();
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    try {
      threads.emplace_back(work, std::ref(parts[i]));
    } catch (const std::system_error& refused) {
      go_on = false;
      for (std::size_t absent = i; absent <= parts.size(); ++absent) opened.arrive_and_drop();
      threads.clear();
      return Error{Errc::lacking, fmt::format("cannot start a thread for each target: {}", refused.what())}
          .with_remedy("use fewer targets, or allow more threads (ulimit -u)");
    }
  }
  work(parts.front());
  threads.clear();
  for (const Part& part : parts)
    if (part.failed()) return part.error();
  return started;
}

}  // namespace

int detail::write_fully(int fd, std::span<const std::byte> bytes, std::size_t most) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), std::min(bytes.size(), most));
    if (put == 0) return EIO;
    if (put < 0 && errno != EINTR) return errno;
    if (put > 0) bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return 0;
}

Result<StripeOutcome> write_striped(const StripeJob& job) {
  if (auto fine = check(job); !fine) return fine.error();
  if (auto fine = check_interrupt(); !fine) return fine.error();
  // Targets are different storage: all may be given the same bytes, so memory for the largest part is enough.
  auto memory = detail::Memory::allocate(part_size(job, 0));
  if (!memory) return memory.error();
  detail::DataPattern(job.run, 0, detail::Generation::written).fill(memory->span(), 0);

  std::vector<detail::RunDirectory> directories;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < job.targets.size(); ++i) {
    std::string target = fmt::format("target {}: {}", i, job.targets[i].string());
    auto directory = detail::RunDirectory::make(job.targets[i], job.keep);
    if (!directory) return directory.error().in(fmt::format("target {}", i));
    parts.emplace_back(std::move(target), directory->path() / fmt::format("run{}.part{}", job.run, i),
                       memory->part(0, part_size(job, i)), job.direct);
    directories.push_back(std::move(*directory));
  }
  const auto started = write_parts(parts);
  if (!started) return started.error();

  StripeOutcome outcome;
  outcome.started_ns = started->count;
  for (const Part& part : parts) {
    outcome.total = std::max(outcome.total, part.times().write);
    outcome.open = std::max(outcome.open, part.times().open);
    outcome.close = std::max(outcome.close, part.times().close);
    if (parts.size() > 1) outcome.parts.push_back(part.times());
  }
  for (auto& directory : directories)
    if (auto removed = directory.remove(); !removed) return removed.error();
  return outcome;
}

}  // namespace weir::workload
