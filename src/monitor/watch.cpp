#include "monitor/watch.hpp"

#include <thread>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/signals_blocked.hpp"
#include "monitor/detail/sampler.hpp"
#include "monitor/detail/slice_timer.hpp"

namespace weir::monitor {
namespace {

constexpr Nanoseconds kShortest{1'000'000};

}  // namespace

struct Watch::State {
  State(detail::Sources sources, detail::SliceTimer slice_timer, Nanoseconds slice_length)
      : slice(slice_length),
        timer(std::move(slice_timer)),
        commands(std::move(sources.commands)),
        sampler(std::move(sources), commands) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { halt(); }

  void start() {
    commands.run_once();
    begin_ns = Clock::wall().count;
    slice_begin = detail::SliceTimer::begin_of(begin_ns, slice);
    sampler.read();
    const SignalsBlocked blocked;
    commands.start();
    thread = std::thread([this] { loop(); });
  }

  void loop() {
    for (;;) {
      const auto woke = timer.wait();
      if (woke == detail::SliceTimer::Woke::stopped) return;
      const std::int64_t now = detail::SliceTimer::begin_of(Clock::wall().count, slice);
      // A tick that was waiting while the one before it came late: its slice is kept already.
      if (now == slice_begin && woke == detail::SliceTimer::Woke::slice) continue;
      sampler.read();
      sampler.keep_slice(slice_begin);
      if (woke == detail::SliceTimer::Woke::clock_set)
        ++clock_set;
      else if (now > slice_begin + slice.count)
        missed += static_cast<std::uint64_t>((now - slice_begin) / slice.count - 1);
      slice_begin = now;
    }
  }

  void halt() {
    timer.stop();
    if (thread.joinable()) thread.join();
    commands.stop();
  }

  Seen finish() {
    timer.stop();
    thread.join();
    sampler.read_files();
    const std::int64_t end_ns = Clock::wall().count;
    commands.stop();
    commands.run_once();
    sampler.read_outputs();
    sampler.end_reading();
    sampler.keep_slice(slice_begin);
    Seen seen = sampler.finish();
    seen.begin_ns = begin_ns;
    seen.end_ns = end_ns;
    seen.missed = missed;
    if (clock_set > 0) seen.absent.emplace_back("slices: the wall clock was set while they were taken");
    return seen;
  }

  Nanoseconds slice;
  detail::SliceTimer timer;
  detail::CommandLoop commands;
  detail::Sampler sampler;
  std::int64_t begin_ns = 0;
  std::int64_t slice_begin = 0;  // from here on this belongs to the thread
  std::uint64_t missed = 0, clock_set = 0;
  std::thread thread;
};

Watch::Watch(std::unique_ptr<State> state) : state_(std::move(state)) {}
Watch::~Watch() = default;
Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;

Result<Watch> Watch::start(const WatchOptions& options) {
  if (options.slice < kShortest)
    return Error{Errc::usage, fmt::format("slices of {} ns", options.slice.count)}.with_remedy(
        "give at least 1 ms");
  auto timer = detail::SliceTimer::create(options.slice);
  if (!timer) return timer.error().in("watching storage");
  auto state = std::make_unique<State>(detail::find_sources(options), std::move(*timer), options.slice);
  state->start();
  return Watch(std::move(state));
}

Seen Watch::stop() {
  WEIR_CHECK(state_ != nullptr, "a watch is stopped once");
  Seen seen = state_->finish();
  state_.reset();
  return seen;
}

double Seen::sum(std::string_view source, std::string_view name) const {
  double sum = 0;
  for (const Counter& counter : counters)
    if (counter.name == name && counter.source.starts_with(source)) sum += counter.value;
  return sum;
}

}  // namespace weir::monitor
