#include "launch/daemon.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"

namespace weir::launch {

Result<void> start_daemon(const std::vector<std::string>& command, const std::filesystem::path& log) {
  auto out = open_file(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (!out) return out.error();
  auto in = open_file("/dev/null", O_RDONLY);
  if (!in) return in.error();
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  // Closed by a successful exec, tells errno otherwise.
  int told[2];
  if (::pipe2(told, O_CLOEXEC) != 0) return Error::from_errno(errno, "cannot make a pipe");
  const UniqueFd hear(told[0]);
  UniqueFd tell(told[1]);

  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno(errno, "cannot start a process");
  if (child == 0) {
    ::setsid();
    // The second fork's child leads no session: no terminal can become its own. Init adopts it.
    if (::fork() != 0) ::_exit(0);
    ::dup2(in->get(), STDIN_FILENO);
    ::dup2(out->get(), STDOUT_FILENO);
    ::dup2(out->get(), STDERR_FILENO);
    if (::chdir("/") == 0) ::execvp(words[0], words.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(tell.get(), &error, sizeof error);
    ::_exit(127);
  }
  tell.reset();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  int error = 0;
  if (::read(hear.get(), &error, sizeof error) == static_cast<ssize_t>(sizeof error))
    return Error::from_errno(error, "cannot be started").in(command.front());
  return {};
}

}  // namespace weir::launch
