#include "workload/detail/fault_guard.hpp"

#include <mutex>

#include <signal.h>

namespace weir::workload::detail {
namespace {

thread_local FaultGuard* g_guard = nullptr;

void on_fault(int number) {
  if (g_guard != nullptr) siglongjmp(g_guard->place, 1);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(number, &standard, nullptr);  // the faulting instruction runs again and ends the program
}

}  // namespace

FaultGuard::FaultGuard() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_handler = on_fault;
    ::sigaction(SIGBUS, &action, nullptr);
  });
  g_guard = this;
}

FaultGuard::~FaultGuard() { g_guard = nullptr; }

}  // namespace weir::workload::detail
