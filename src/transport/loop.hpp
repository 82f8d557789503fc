#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/unique_fd.hpp"
#include "transport/detail/spin_habit.hpp"
#include "transport/source.hpp"

namespace weir::transport {

struct TimerId {
  std::chrono::steady_clock::time_point when;
  std::uint64_t serial = 0;  // 0: no timer
  auto operator<=>(const TimerId&) const = default;
};

// One thread's event loop. A worker of a server is one Loop: it polls shared memory and fabric itself, so
// that a request costs no hop between threads. Only post() and stop() may be called from other threads.
class Loop {
 public:
  static constexpr std::chrono::microseconds kSpin{50};

  // `spin`: for how long after the last event it goes on polling before it sleeps, at most.
  explicit Loop(std::chrono::nanoseconds spin = kSpin);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();  // what was posted and did not run is dropped

  void add(Source& source);
  void remove(Source& source);  // also from within its poll()

  void post(std::function<void()> work);  // from any thread; runs in the loop's, in order
  TimerId after(std::chrono::nanoseconds delay, std::function<void()> work);
  void cancel(TimerId timer);  // one that has run, or none, is fine

  void run();   // until stop(); an idle loop sleeps and costs nothing
  void stop();  // from any thread, also before run(); what was posted before still runs

 private:
  using Clock = std::chrono::steady_clock;

  bool run_posted();
  void run_timers();
  bool poll_sources();
  bool arm_sources();
  bool expects_more() const;
  bool keeps_core();
  void end_wait();
  void sleep();
  void wake();

  std::chrono::nanoseconds spin_;
  detail::SpinHabit habit_;
  detail::CoreHabit core_, core_for_others_;  // while it waits for requests, for an answer
  struct Wait {
    detail::CoreHabit* habit = nullptr;  // once the core was lent
    bool lost_core = false;
  } wait_;
  UniqueFd epoll_;
  UniqueFd bell_;  // an eventfd: rung by post() and stop() when the loop sleeps
  std::vector<Source*> sources_;
  std::map<TimerId, std::function<void()>> timers_;
  std::uint64_t last_serial_ = 0;

  std::atomic<bool> stop_ = false;
  std::atomic<bool> sleeping_ = false;
  std::atomic<bool> has_posted_ = false;
  std::mutex mutex_;  // guards posted_
  std::vector<std::function<void()>> posted_;
};

}  // namespace weir::transport
