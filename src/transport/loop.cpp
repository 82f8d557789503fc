#include "transport/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.hpp"
#include "transport/detail/pause.hpp"

namespace weir::transport {

namespace {

// Rounded up: a timer must not be early.
int to_milliseconds(std::chrono::nanoseconds time) {
  return static_cast<int>(
      std::min<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(time).count(), 3'600'000));
}

// Sleeps until a descriptor is readable, `limit` has passed, or a signal came.
void wait_for_event(int epoll, std::optional<std::chrono::nanoseconds> limit) {
  epoll_event event{};
  if (!limit) {
    ::epoll_wait(epoll, &event, 1, -1);
    return;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*limit);
  const timespec time{.tv_sec = seconds.count(), .tv_nsec = (*limit - seconds).count()};
  if (::epoll_pwait2(epoll, &event, 1, &time, nullptr) < 0 && errno == ENOSYS)  // before Linux 5.11
    ::epoll_wait(epoll, &event, 1, to_milliseconds(*limit));
}

}  // namespace

Loop::Loop(std::chrono::nanoseconds spin)
    : spin_(spin), epoll_(::epoll_create1(EPOLL_CLOEXEC)), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  WEIR_CHECK(epoll_ && bell_, "no descriptors left for an event loop");
  // Edge-triggered: each ring wakes once, and nobody needs to read it.
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {}};
  WEIR_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, bell_.get(), &event) == 0);
}

Loop::~Loop() = default;

void Loop::add(Source& source) {
  epoll_event event{.events = EPOLLIN, .data = {}};
  WEIR_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, source.descriptor(), &event) == 0,
             "descriptor {} of a source: errno {}", source.descriptor(), errno);
  sources_.push_back(&source);
}

void Loop::remove(Source& source) {
  const auto found = std::find(sources_.begin(), sources_.end(), &source);
  if (found == sources_.end()) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, source.descriptor(), nullptr);
  *found = nullptr;  // poll_sources() may be going through them
}

void Loop::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  has_posted_ = true;
  wake();
}

void Loop::stop() {
  stop_ = true;
  wake();
}

// Either this sees that the loop sleeps, or the loop, which looks after it has said so, sees what was posted.
void Loop::wake() {
  if (!sleeping_.exchange(false)) return;
  const std::uint64_t one = 1;
  while (::write(bell_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

TimerId Loop::after(std::chrono::nanoseconds delay, std::function<void()> work) {
  const auto now = Clock::now();
  const bool ends = delay < std::chrono::hours(24 * 365);  // later is never, and must not overflow
  const TimerId id{ends ? now + delay : Clock::time_point::max(), ++last_serial_};
  timers_.emplace(id, std::move(work));
  return id;
}

void Loop::cancel(TimerId timer) { timers_.erase(timer); }

bool Loop::run_posted() {
  if (!has_posted_.exchange(false)) return false;
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(posted_);
  }
  for (auto& item : work) item();
  return !work.empty();
}

void Loop::run_timers() {
  if (timers_.empty()) return;
  // Those that are due now; what they start anew waits for the next turn, even with no delay.
  const TimerId until{Clock::now(), last_serial_};
  while (!timers_.empty() && timers_.begin()->first <= until) {
    const auto work = std::move(timers_.extract(timers_.begin()).mapped());
    work();
  }
}

bool Loop::poll_sources() {
  bool something = false;
  for (std::size_t i = 0; i < sources_.size(); ++i)  // a source may add another
    if (sources_[i] != nullptr) something |= sources_[i]->poll();
  std::erase(sources_, nullptr);
  return something;
}

bool Loop::arm_sources() {
  return std::all_of(sources_.begin(), sources_.end(), [](Source* source) { return source->arm(); });
}

bool Loop::expects_more() const {
  return std::any_of(sources_.begin(), sources_.end(),
                     [](const Source* source) { return source->expects_more(); });
}

void Loop::sleep() {
  sleeping_ = true;
  if (!has_posted_ && !stop_ && arm_sources()) {
    std::optional<std::chrono::nanoseconds> limit;
    if (!timers_.empty() && timers_.begin()->first.when != Clock::time_point::max())
      limit = std::max(timers_.begin()->first.when - Clock::now(), Clock::duration::zero());
    wait_for_event(epoll_.get(), limit);
  }
  sleeping_ = false;  // a ring that comes only now ends the next sleep early, once
}

// Lets others have the core for a moment; whether it is left to us by and large. Who waits for the other side
// of a call needs it for a turn of some microseconds and waits again; who computes keeps it. Waits for an
// answer and for a request meet others, or do not, each for themselves.
bool Loop::keeps_core() {
  constexpr std::chrono::microseconds kLongestTurn{5};
  if (wait_.habit == nullptr) wait_.habit = expects_more() ? &core_for_others_ : &core_;
  if (detail::lend_core() <= kLongestTurn) return true;
  if (!std::exchange(wait_.lost_core, true)) wait_.habit->lent(false);
  const bool often = wait_.habit->is_crowded();
  bool gives_way = often;
  for (Source* const source : sources_) gives_way &= source->lost_core(often);
  return !gives_way;
}

void Loop::end_wait() {
  if (wait_.habit != nullptr && !wait_.lost_core) wait_.habit->lent(true);
  wait_ = {};
}

void Loop::run() {
  // A turn may take a microsecond, with UCX in it: yielding goes by time, not by turns.
  constexpr std::chrono::microseconds kBetweenYields{1};
  // After one that came alone, in whose wake another is likely at once or not at all.
  constexpr std::chrono::microseconds kSpinOnce{10};
  auto last_event = Clock::now();
  auto last_yield = last_event;
  auto spin = spin_;                        // after the last event
  auto slept = std::chrono::nanoseconds{};  // since then, at last
  while (!stop_) {
    bool something = run_posted();
    run_timers();
    something |= poll_sources();
    const auto now = Clock::now();
    if (something) {
      end_wait();
      const bool came_alone = slept > spin_ && !expects_more();
      if (spin > spin.zero() && slept == slept.zero())
        habit_.found();
      else if (spin == spin_)
        habit_.in_vain(slept);
      spin = !habit_.worth() ? spin.zero()
             : came_alone    ? std::min<std::chrono::nanoseconds>(spin_, kSpinOnce)
                             : spin_;
      slept = slept.zero();
      last_event = last_yield = now;
    } else if (now - last_event >= spin) {
      sleep();  // a timer's end is no event: a loop that only keeps time does not spin
      slept = Clock::now() - now;
    } else if (now - last_yield >= kBetweenYields) {
      if (!keeps_core()) spin = spin.zero();
      last_yield = Clock::now();
    } else {
      detail::pause_processor();
    }
  }
  run_posted();
  stop_ = false;
}

}  // namespace weir::transport
