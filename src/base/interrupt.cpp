#include "base/interrupt.hpp"

#include <csignal>

#include <signal.h>

namespace weir {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

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
  ::sigaction(SIGINT, &ask, nullptr);
  ::sigaction(SIGTERM, &ask, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
}

bool interrupted() { return g_interrupted != 0; }

Result<void> check_interrupt() {
  if (interrupted()) return Error{Errc::interrupted, "interrupted"};
  return {};
}

}  // namespace weir
