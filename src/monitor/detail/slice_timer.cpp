#include "monitor/detail/slice_timer.hpp"

#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.hpp"

namespace weir::monitor::detail {
namespace {

timespec as_timespec(std::int64_t nanoseconds) {
  return {.tv_sec = nanoseconds / 1'000'000'000, .tv_nsec = nanoseconds % 1'000'000'000};
}

}  // namespace

Result<SliceTimer> SliceTimer::create(Nanoseconds slice) {
  UniqueFd timer(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  UniqueFd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!timer || !stop) return Error::from_errno(errno, "cannot make a timer");
  SliceTimer made(slice, std::move(timer), std::move(stop));
  if (!made.arm()) return Error::from_errno(errno, "cannot set a timer");
  return made;
}

bool SliceTimer::arm() {
  const std::int64_t next = begin_of(Clock::wall().count, slice_) + slice_.count;
  const itimerspec when{.it_interval = as_timespec(slice_.count), .it_value = as_timespec(next)};
  return ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, nullptr) == 0;
}

SliceTimer::Woke SliceTimer::wait() {
  for (;;) {
    std::array<pollfd, 2> wait = {{{.fd = timer_.get(), .events = POLLIN, .revents = 0},
                                   {.fd = stop_.get(), .events = POLLIN, .revents = 0}}};
    if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return Woke::stopped;
    if (wait[1].revents != 0) return Woke::stopped;
    std::uint64_t ended = 0;  // since the last time; the caller looks at the clock
    const ssize_t got = ::read(timer_.get(), &ended, sizeof ended);
    if (got == static_cast<ssize_t>(sizeof ended)) return Woke::slice;
    if (got < 0 && errno == ECANCELED) return arm() ? Woke::clock_set : Woke::stopped;
  }
}

void SliceTimer::stop() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stop_.get(), &one, sizeof one);
}

}  // namespace weir::monitor::detail
