#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include <sys/types.h>

namespace weir::capture {

// Threads that a library starts for itself, as MPI_Init does: what they do is not the program's. Those that
// come into being between begin() and end() are taken for such.
class LibraryThreads {
 public:
  void begin();  // by the thread that starts the library
  void end();
  // Whether a thread that was never seen before is one of them.
  bool has(pid_t thread) const;

 private:
  static constexpr std::size_t kMost = 256;
  using Threads = std::array<std::atomic<pid_t>, kMost>;

  static void list(Threads& threads);
  static bool is_in(const Threads& threads, pid_t thread);

  std::atomic<pid_t> starter_{0};  // while the library starts
  Threads before_{};
  Threads own_{};
};

}  // namespace weir::capture
