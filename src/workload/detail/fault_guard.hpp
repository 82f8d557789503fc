#pragma once

#include <csetjmp>

namespace weir::workload::detail {

// A mapping whose storage fails, is full or was cut short tells so by SIGBUS. While one of these is alive in
// a thread, that signal brings the thread back to `place` instead of ending the program.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  sigjmp_buf place;
};

// Runs f, which must hold nothing that needs destroying; false when it ended in a fault.
template <class F>
bool with_fault_guard(F&& f) {
  FaultGuard guard;
  if (sigsetjmp(guard.place, 1) != 0) return false;
  f();
  return true;
}

}  // namespace weir::workload::detail
