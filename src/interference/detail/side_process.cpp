#include "interference/detail/side_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "interference/detail/side_outcome.hpp"
#include "interference/slices.hpp"
#include "monitor/watch.hpp"

namespace weir::interference::detail {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCounted = "slices";  // in the scratch directory of a command
constexpr std::int64_t kCountedSlice = 50'000'000;

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error::from_errno(errno, "cannot make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<fs::path> make_directory(const fs::path& parent) {
  // Called as the workload room calls its own, which removes what killed processes left.
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  std::string name = (fs::absolute(parent) / fmt::format("weir-run.{}.{}.XXXXXX", host, ::getpid())).string();
  if (::mkdtemp(name.data()) == nullptr)
    return Error::from_errno(errno, "cannot make a directory in it").in(parent.string());
  return fs::path(name);
}

// False when this process's maker has gone or does not want it to begin.
bool may_go(int fd) {
  char byte = 0;
  ssize_t got = 0;
  do got = ::read(fd, &byte, 1);
  while (got < 0 && errno == EINTR && !interrupted());
  return got == 1;
}

}  // namespace

Result<SideProcess> SideProcess::start(const Side& side, const fs::path& directory) {
  SideProcess process(side, directory);
  auto go = make_pipe();
  if (!go) return go.error();
  auto told = make_pipe();
  if (!told) return told.error();
  if (side.load.is_command()) {
    auto own = make_directory(directory);
    if (!own) return own.error();
    process.directory_ = *std::move(own);
    process.scratch_ = std::make_unique<ScratchDir>();
    if (!side.counters.empty()) fs::create_directory(process.scratch_->path() / kCounted);
  } else if (const auto good = workload::check(side.job(directory)); !good) {
    return good.error().in(side.load.name);
  }
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno(errno, "cannot start a process").in(side.load.name);
  if (pid == 0) {
    ::setpgid(0, 0);  // Ctrl-C is for the parent, which then stops its sides
    ::prctl(PR_SET_PDEATHSIG, side.load.is_command() ? SIGKILL : SIGTERM);
    if (::getppid() != parent) ::_exit(1);
    go->write.reset();
    told->read.reset();
    if (side.load.is_command()) process.be_command(go->read.get());
    process.be_pattern(go->read.get(), told->write.get());
  }
  ::setpgid(pid, pid);
  process.pid_ = pid;
  process.go_ = std::move(go->write);
  process.told_fd_ = std::move(told->read);
  return process;
}

void SideProcess::be_pattern(int go, int tell) const {
  install_signal_manners();  // SIGTERM ends it at the next chunk, and its files are removed
  const std::string told = run_pattern(side_, directory_, [&]() -> Result<void> {
    if (::write(tell, "r", 1) != 1 || !may_go(go)) return Error{Errc::interrupted, "not let go"};
    return {};
  });
  (void)write_all(tell, as_bytes(told));
  ::_exit(0);
}

void SideProcess::be_command(int go) const {
  const fs::path output = scratch_->path() / "output";
  const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const int none = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::error_code ignored;
  ::setenv("WEIR_CWD", fs::current_path(ignored).c_str(), 1);
  if (!side_.counters.empty()) count_files();
  if (out < 0 || none < 0 || ::chdir(directory_.c_str()) != 0) ::_exit(126);
  ::dup2(none, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  if (!may_go(go)) ::_exit(125);
  ::execl("/bin/sh", "sh", "-c", side_.load.command.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

void SideProcess::count_files() const {
  const char* const loaded = ::getenv("LD_PRELOAD");
  ::setenv("LD_PRELOAD",
           (side_.counters.string() + (loaded == nullptr ? "" : ":" + std::string(loaded))).c_str(), 1);
  ::setenv("WEIR_SLICES_DIR", (scratch_->path() / kCounted).c_str(), 1);
  ::setenv("WEIR_SLICES_NS", fmt::to_string(kCountedSlice).c_str(), 1);
}

// Closes by the end of each slice.
std::optional<Course> SideProcess::files_closed() const {
  std::vector<std::string> notes;
  const auto counted = read_program_slices(scratch_->path() / kCounted, notes);
  if (!counted) return std::nullopt;
  std::vector<Course::Point> points = {{0, 0}};
  for (const trace::ProcessSlice& slice : counted->slices)
    points.push_back({static_cast<double>(slice.begin_ns + counted->slice_ns - started_wall_ns_) * 1e-9,
                      points.back().amount + value_of(slice, Metric::closes)});
  // The last slice was not over when the command was.
  if (points.size() > 1)
    points.back().at_s = std::min(points.back().at_s, static_cast<double>(ended_ns_ - started_ns_) * 1e-9);
  return Course(std::move(points));
}

SideProcess::SideProcess(SideProcess&& other) noexcept
    : side_(std::move(other.side_)),
      directory_(std::move(other.directory_)),
      scratch_(std::move(other.scratch_)),
      pid_(std::exchange(other.pid_, -1)),
      go_(std::move(other.go_)),
      told_fd_(std::move(other.told_fd_)),
      told_(std::move(other.told_)),
      status_(other.status_),
      stopped_(other.stopped_),
      started_wall_ns_(other.started_wall_ns_),
      started_ns_(other.started_ns_),
      ended_ns_(other.ended_ns_),
      sampled_(std::move(other.sampled_)) {}

SideProcess::~SideProcess() {
  if (pid_ > 0 && !status_) {
    // A pattern removes its files when asked; one that does not answer is ended.
    go_.reset();
    stop();
    const Nanoseconds patience = Clock::monotonic() + Nanoseconds(10'000'000'000);
    while (!status_ && Clock::monotonic() < patience) {
      pollfd told{told_fd_.get(), POLLIN, 0};
      ::poll(&told, 1, 20);
      look();
    }
    if (!status_) {
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  // What a command started in the background goes with it.
  if (pid_ > 0 && side_.load.is_command()) {
    ::kill(-pid_, SIGKILL);
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
}

Result<void> SideProcess::wait_until_ready() {
  if (side_.load.is_command()) return {};
  while (told_.empty() && !status_) {
    if (auto fine = check_interrupt(); !fine) return fine;
    pollfd told{told_fd_.get(), POLLIN, 0};
    ::poll(&told, 1, 50);
    look();
  }
  if (told_.starts_with('r') && !status_) return {};
  const auto why = result();
  return why ? Error{Errc::internal, "ended before it began"}.in(side_.load.name) : why.error();
}

void SideProcess::go() {
  started_ns_ = Clock::monotonic().count;
  started_wall_ns_ = Clock::wall().count;
  (void)!::write(go_.get(), "g", 1);
}

void SideProcess::stop() {
  if (pid_ <= 0 || status_ || stopped_) return;
  stopped_ = true;
  ::kill(side_.load.is_command() ? -pid_ : pid_, SIGTERM);
}

void SideProcess::read_told() {
  std::array<char, 65536> block;
  for (;;) {
    pollfd told{told_fd_.get(), POLLIN, 0};
    if (::poll(&told, 1, 0) <= 0) return;
    const ssize_t got = ::read(told_fd_.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    told_.append(block.data(), static_cast<std::size_t>(got));
  }
}

void SideProcess::sample() {
  if (started_ns_ == 0) return;
  const double at = static_cast<double>(Clock::monotonic().count - started_ns_) * 1e-9;
  if (const auto traffic = monitor::traffic_of(pid_))
    sampled_.push_back({at, static_cast<double>(traffic->asked_to_write.count)});
}

void SideProcess::look() {
  if (pid_ <= 0 || status_) return;
  read_told();
  siginfo_t ended{};
  const bool over = ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                    ended.si_pid == pid_;
  if (side_.load.is_command()) sample();  // of one that has ended too: it was not waited for yet
  if (!over) return;
  ended_ns_ = Clock::monotonic().count;
  read_told();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
}

Result<SideEnd> SideProcess::result() const {
  return side_.load.is_command() ? command_result() : pattern_result();
}

Result<SideEnd> SideProcess::pattern_result() const {
  if (status_ && WIFSIGNALED(*status_))
    return Error{Errc::io, fmt::format("was killed by signal {} ({})", WTERMSIG(*status_),
                                       ::strsignal(WTERMSIG(*status_)))}
        .in(side_.load.name);
  auto end = read_outcome(told_.starts_with('r') ? std::string_view(told_).substr(1) : told_);
  if (!end) return end.error().in(side_.load.name);
  end->stopped = stopped_;
  return end;
}

// What a command prints is counted with what it writes, but is no work on the storage.
double SideProcess::said_bytes() const {
  std::error_code unknown;
  const auto size = fs::file_size(scratch_->path() / "output", unknown);
  return unknown ? 0 : static_cast<double>(size);
}

Result<SideEnd> SideProcess::command_result() const {
  const int status = status_.value_or(0);
  if (!stopped_ && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
    const auto output = read_text(scratch_->path() / "output", std::size_t{16} << 20U);
    std::string said = output ? *output : std::string();
    while (said.ends_with('\n')) said.pop_back();
    said = said.substr(said.find_last_of('\n') == std::string::npos ? 0 : said.find_last_of('\n') + 1);
    return Error{Errc::io, fmt::format("ended with {}: {}",
                                       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                                       said.empty() ? "nothing was said" : said)}
        .in(side_.load.name);
  }
  SideEnd end;
  end.course = Course(sampled_);
  if (end.course.total() <= said_bytes()) end.course = {};
  if (!side_.counters.empty()) end.files = files_closed();
  end.started_ns = started_wall_ns_;
  end.whole_s = static_cast<double>(ended_ns_ - started_ns_) * 1e-9;
  end.stopped = stopped_;
  return end;
}

}  // namespace weir::interference::detail
