#include "launch/daemon.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"

namespace weir::launch {
namespace {

// From the two processes on the way: who the program is, or why it cannot be started.
struct Told {
  pid_t process = 0;
  int error = 0;
};

// On exec, which tells that it worked by that.
void close_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int fd = first; fd < ::sysconf(_SC_OPEN_MAX); ++fd)
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);  // before Linux 5.11
}

ssize_t hear(int pipe, Told& told) {
  ssize_t got = 0;
  while ((got = ::read(pipe, &told, sizeof told)) < 0 && errno == EINTR) {
  }
  return got;
}

void tell(int pipe, Told told) { [[maybe_unused]] const ssize_t written = ::write(pipe, &told, sizeof told); }

}  // namespace

Result<pid_t> start_daemon(const std::vector<std::string>& command, const std::filesystem::path& log) {
  auto out = open_file(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (!out) return out.error();
  auto in = open_file("/dev/null", O_RDONLY);
  if (!in) return in.error();
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  // Closed by a successful exec.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno(errno, "cannot make a pipe");
  const UniqueFd from(ends[0]);
  UniqueFd say(ends[1]);

  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno(errno, "cannot start a process");
  if (child == 0) {
    ::setsid();
    // The second fork's child leads no session: no terminal can become its own. Init adopts it.
    if (const pid_t daemon = ::fork(); daemon != 0) {
      tell(say.get(), daemon > 0 ? Told{.process = daemon} : Told{.error = errno});
      ::_exit(0);
    }
    ::dup2(in->get(), STDIN_FILENO);
    ::dup2(out->get(), STDOUT_FILENO);
    ::dup2(out->get(), STDERR_FILENO);
    close_from(3);
    if (::chdir("/") == 0) ::execvp(words[0], words.data());
    tell(say.get(), {.error = errno});
    ::_exit(127);
  }
  say.reset();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_t daemon = 0;
  for (Told told; hear(from.get(), told) == static_cast<ssize_t>(sizeof told);) {
    if (told.error != 0) return Error::from_errno(told.error, "cannot be started").in(command.front());
    daemon = told.process;
  }
  return daemon;
}

bool has_ended(pid_t process) {
  if (::kill(process, 0) != 0) return errno == ESRCH;
  // "pid (name) state": the name may hold anything.
  const auto facts = read_text(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = facts ? facts->rfind(')') : std::string::npos;
  return name_end != std::string::npos && facts->substr(name_end).starts_with(") Z");
}

}  // namespace weir::launch
