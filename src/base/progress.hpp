#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/units.hpp"

namespace weir {

// A bar with an estimate of the time left, on stderr, only when that is a terminal and only once the
// work has taken two seconds. advance() may be called from any thread and costs an addition.
//   fitting  ━━━━━━━━━━━━────────────  1 204 of 3 330   36 %   22 s left
class Progress {
 public:
  Progress(std::string what, std::uint64_t total);
  ~Progress();  // takes the bar away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t steps = 1);

  // The line shown after `done` steps and `elapsed`, in at most `width` columns. For tests.
  static std::string line(std::string_view what, std::uint64_t done, std::uint64_t total, Nanoseconds elapsed,
                          std::size_t width);

 private:
  friend class ProgressPause;
  void draw(Nanoseconds now);
  void clear();

  const std::string what_;
  const std::uint64_t total_;
  const Nanoseconds start_;
  const bool on_terminal_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_draw_ns_;
  bool drawn_ = false;
};

// Takes a bar away while something else is written to the terminal.
class ProgressPause {
 public:
  ProgressPause();

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace weir
