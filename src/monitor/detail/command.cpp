#include "monitor/detail/command.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/unique_fd.hpp"

namespace weir::monitor::detail {
namespace {

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error::from_errno(errno, "cannot make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A process in a group of its own; what is left of it is killed and waited for.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  // Its status, or nothing while it runs.
  Result<bool> ended(int& status) {
    const pid_t done = ::waitpid(pid_, &status, WNOHANG);
    if (done < 0) {
      pid_ = 0;
      return Error::from_errno(errno, "cannot wait for it");
    }
    if (done == 0) return false;
    pid_ = 0;
    return true;
  }

 private:
  pid_t pid_;
};

// Starts the command with `input` and `output` as its standard streams; what it says on stderr is dropped.
Result<pid_t> spawn(const Command& command, int input, int output) {
  posix_spawn_file_actions_t streams;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&streams, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&streams, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  sigset_t none, standard;
  ::sigemptyset(&none);
  ::sigfillset(&standard);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &standard);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments = command.arguments;
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, pointers.front(), &streams, &attributes, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return Error::from_errno(failed, "cannot be started");
  return pid;
}

Error too_slow(Nanoseconds time) {
  return Error{Errc::io, fmt::format("not done in {}", format_duration(time))};
}

}  // namespace

Result<std::string> run_command(const Command& command, Nanoseconds time, std::size_t limit) {
  const std::string& name = command.arguments.front();
  auto input = make_pipe();
  auto output = make_pipe();
  if (!input) return input.error();
  if (!output) return output.error();
  // A pipe takes this much at once, so nobody waits for anybody.
  if (!command.input.empty() && ::write(input->write.get(), command.input.data(),
                                        std::min<std::size_t>(command.input.size(), 4096)) < 0)
    return Error::from_errno(errno, "cannot write to it").in(name);
  const auto pid = spawn(command, input->read.get(), output->write.get());
  if (!pid) return pid.error().in(name);
  Child child(*pid);
  input->read.reset();
  input->write.reset();
  output->write.reset();

  const std::int64_t deadline = Clock::monotonic().count + time.count;
  std::string text;
  std::array<char, 16384> buffer;
  for (;;) {
    const std::int64_t left = deadline - Clock::monotonic().count;
    pollfd wait{.fd = output->read.get(), .events = POLLIN, .revents = 0};
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left / 1'000'000 + 1)) == 0)
      return too_slow(time).in(name);
    const ssize_t got = ::read(output->read.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return Error::from_errno(errno, "cannot read what it prints").in(name);
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > limit)
      return Error{Errc::too_big, fmt::format("prints more than {} bytes", limit)}.in(name);
  }
  // It has closed its output; its end follows at once, but nothing forces it to.
  for (int status = 0;;) {
    const auto ended = child.ended(status);
    if (!ended) return ended.error().in(name);
    if (*ended) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
      if (WIFSIGNALED(status))
        return Error{Errc::io, fmt::format("killed by signal {}", WTERMSIG(status))}.in(name);
      return Error{Errc::io, fmt::format("exit status {}", WEXITSTATUS(status))}.in(name);
    }
    if (Clock::monotonic().count > deadline) return too_slow(time).in(name);
    const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&moment, nullptr);
  }
}

}  // namespace weir::monitor::detail
