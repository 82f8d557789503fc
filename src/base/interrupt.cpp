#include "base/interrupt.hpp"

#include <csignal>

#include <signal.h>

namespace weir {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;
bool g_pipe_was_ignored = false;

void on_signal(int number) {
  g_interrupted = 1;
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(number, &standard, nullptr);
}

}  // namespace

void install_signal_manners() {
  struct sigaction ask {};
  ask.sa_handler = on_signal;  // no SA_RESTART: a read from a terminal or a pipe must return
  for (const int number : {SIGINT, SIGTERM})
    if (!is_ignored(number)) ::sigaction(number, &ask, nullptr);
  g_pipe_was_ignored = is_ignored(SIGPIPE);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

bool pipe_signal_was_ignored() { return g_pipe_was_ignored; }

bool interrupted() { return g_interrupted != 0; }

Result<void> check_interrupt() {
  if (interrupted()) return Error{Errc::interrupted, "interrupted"};
  return {};
}

}  // namespace weir
