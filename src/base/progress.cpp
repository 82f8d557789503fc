#include "base/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/terminal.hpp"

namespace weir {
namespace {

constexpr std::int64_t kQuietFor = 2'000'000'000;
constexpr std::int64_t kRedrawEvery = 200'000'000;

std::mutex g_screen;          // guards g_shown and what is on the terminal
Progress* g_shown = nullptr;  // one bar at a time

}  // namespace

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      start_(Clock::monotonic()),
      on_terminal_(is_terminal(STDERR_FILENO)),
      next_draw_ns_(start_.count + kQuietFor) {
  const std::lock_guard guard(g_screen);
  if (on_terminal_ && g_shown == nullptr) g_shown = this;
}

Progress::~Progress() {
  const std::lock_guard guard(g_screen);
  if (g_shown != this) return;
  clear();
  g_shown = nullptr;
}

void Progress::advance(std::uint64_t steps) {
  done_.fetch_add(steps, std::memory_order_relaxed);
  if (!on_terminal_) return;
  const Nanoseconds now = Clock::monotonic();
  std::int64_t due = next_draw_ns_.load(std::memory_order_relaxed);
  if (now.count < due || !next_draw_ns_.compare_exchange_strong(due, now.count + kRedrawEvery)) return;
  const std::lock_guard guard(g_screen);
  if (g_shown == this) draw(now);
}

void Progress::draw(Nanoseconds now) {
  const std::size_t width = terminal_width(STDERR_FILENO, 80);
  fmt::print(stderr, "\r{}\x1b[K", line(what_, done_.load(), total_, now - start_, width - 1));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

std::string Progress::line(std::string_view what, std::uint64_t done, std::uint64_t total,
                           Nanoseconds elapsed, std::size_t width) {
  if (total == 0) return shorten(fmt::format("{}  {}", what, format_count(done)), width);
  done = std::min(done, total);
  const double share = static_cast<double>(done) / static_cast<double>(total);
  std::string left = "?";
  if (done > 0) {
    const double remaining = static_cast<double>(elapsed.count) * (1 - share) / share;
    left = format_duration(Nanoseconds(static_cast<std::int64_t>(remaining / 1e9) * 1'000'000'000));
    if (remaining < 1e9) left = "1 s";
  }
  const std::string facts =
      fmt::format("{} of {}  {:3.0f} %  {} left", format_count(done), format_count(total), share * 100, left);
  const std::size_t taken = display_width(what) + display_width(facts) + 4;
  if (taken + 10 > width) return shorten(fmt::format("{}  {}", what, facts), width);

  const std::size_t cells = std::min<std::size_t>(width - taken, 40);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(cells));
  std::string bar;
  for (std::size_t i = 0; i < cells; ++i) bar += i < filled ? "━" : "─";
  return fmt::format("{}  {}  {}", what, bar, facts);
}

ProgressPause::ProgressPause() : lock_(g_screen) {
  if (g_shown != nullptr) g_shown->clear();
}

}  // namespace weir
