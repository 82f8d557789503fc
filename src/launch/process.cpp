#include "launch/process.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/unique_fd.hpp"

extern char** environ;

namespace weir::launch {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;

// Spawns with stdin from /dev/null and both outputs into `output`, in a process group of its own, so that
// a launcher that hangs can be ended together with what it started.
Result<pid_t> spawn(const std::vector<std::string>& command, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t traits;
  posix_spawnattr_init(&traits);
  posix_spawnattr_setflags(&traits, POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, argv[0], &files, &traits, argv.data(), environ);
  posix_spawnattr_destroy(&traits);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return Error::from_errno(failed, "cannot start").in(command.front());
  return child;
}

// Reads until the other side closes; false when the deadline or the size limit came first.
bool read_until_closed(int fd, Nanoseconds deadline, std::string& text) {
  std::array<char, 4096> block;
  for (;;) {
    const Nanoseconds left = deadline - Clock::monotonic();
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    if (left.count <= 0) return false;
    const int polled = ::poll(&ready, 1, static_cast<int>(left.count / 1'000'000) + 1);
    if (polled < 0 && errno != EINTR) return false;
    if (polled <= 0) continue;
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > kMostOutput) return false;
  }
}

}  // namespace

Result<Finished> run_and_capture(const std::vector<std::string>& command, Nanoseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error::from_errno(errno, "cannot make a pipe");
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const auto child = spawn(command, write_end.get());
  if (!child) return child.error();
  write_end.reset();

  Finished finished;
  const bool closed = read_until_closed(read_end.get(), Clock::monotonic() + limit, finished.output);
  if (!closed) ::kill(-*child, SIGKILL);
  int status = 0;
  while (::waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!closed)
    return Error{Errc::io, fmt::format("no end after {}", format_duration(limit))}.in(command.front());
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const auto runs = [](const std::filesystem::path& candidate) {
    std::error_code failed;
    return ::access(candidate.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(candidate, failed);
  };
  if (name.find('/') != std::string::npos)
    return runs(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::filesystem::path candidate = std::filesystem::path(folders.substr(0, end)) / name;
    if (end > 0 && runs(candidate)) return candidate;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return std::nullopt;
}

}  // namespace weir::launch
