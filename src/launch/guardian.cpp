#include "launch/guardian.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weir::launch {
namespace {

// Waits for a byte (dismissed) or for the parent's end. The pipe alone would not do: other children of the
// parent hold its end open.
bool parent_died(int pipe, pid_t parent) {
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, parent, 0));
  std::array<pollfd, 2> watched = {pollfd{pipe, POLLIN, 0}, pollfd{process, POLLIN, 0}};
  for (;;) {
    if (::poll(watched.data(), process < 0 ? 1 : 2, -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    char byte = 0;
    if (watched[0].revents != 0) return ::read(pipe, &byte, 1) != 1;
    if (watched[1].revents != 0) {
      // Dismissed and ended at once: the byte is there.
      const int flags = ::fcntl(pipe, F_GETFL);
      ::fcntl(pipe, F_SETFL, flags | O_NONBLOCK);
      return ::read(pipe, &byte, 1) != 1;
    }
  }
}

}  // namespace

Result<Guardian> Guardian::start(const std::function<void()>& if_we_die) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return Error::from_errno(errno, "cannot make a pipe");
  UniqueFd read_end(pipe[0]);
  UniqueFd write_end(pipe[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno(errno, "cannot start a process that tidies up");
  if (child == 0) {
    write_end.reset();
    ::setsid();  // Ctrl-C is for the parent; its end is what counts here
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
    ::prctl(PR_SET_NAME, "weir-guardian");
    if (parent_died(read_end.get(), parent)) if_we_die();
    ::_exit(0);
  }
  return Guardian(std::move(write_end), child);
}

Guardian::Guardian(Guardian&& other) noexcept
    : pipe_(std::move(other.pipe_)), pid_(std::exchange(other.pid_, -1)) {}

Guardian& Guardian::operator=(Guardian&& other) noexcept {
  if (this != &other) {
    dismiss();
    pipe_ = std::move(other.pipe_);
    pid_ = std::exchange(other.pid_, -1);
  }
  return *this;
}

Guardian::~Guardian() { dismiss(); }

void Guardian::dismiss() {
  if (pid_ < 0) return;
  (void)!::write(pipe_.get(), "x", 1);
  pipe_.reset();
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

}  // namespace weir::launch
