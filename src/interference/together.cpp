#include "interference/together.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "interference/detail/side_process.hpp"

namespace weir::interference {
namespace {

using detail::SideEnd;
using detail::SideProcess;

constexpr auto kGlance = std::chrono::milliseconds(10);

// Periods begin at multiples of theirs: so does a run with a periodic side, or its phase would be chance.
void wait_for_period(std::span<const Side> sides) {
  std::int64_t period = 0;
  for (const Side& side : sides)
    if (side.duty < 1) period = std::max(period, side.period.count);
  if (period == 0) return;
  std::this_thread::sleep_for(std::chrono::nanoseconds(period - Clock::wall().count % period));
}

// Until all have ended; endless sides are stopped when no other is left.
Result<void> conduct(std::vector<SideProcess>& processes) {
  std::vector<bool> fine(processes.size());
  for (;;) {
    bool finite_left = false, any_left = false;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      SideProcess& process = processes[i];
      process.look();
      any_left = any_left || !process.ended();
      finite_left = finite_left || (!process.ended() && !process.side().endless);
      // What a side that failed has to say is the reason; the others need not go on.
      if (process.ended() && !fine[i]) {
        if (const auto result = process.result(); !result) return result.error();
        fine[i] = true;
      }
    }
    if (!any_left) return {};
    if (!finite_left)
      for (SideProcess& process : processes) process.stop();
    if (auto go_on = check_interrupt(); !go_on) return go_on;
    std::this_thread::sleep_for(kGlance);
  }
}

// What a side has done: bytes, or files where no bytes were seen.
const Course& work_of(const SideEnd& end) {
  return end.course.total() > 0 || !end.files ? end.course : *end.files;
}

SideResult summed_up(const SideEnd& end, double counted_s) {
  SideResult side;
  side.course = work_of(end);
  side.whole_s = end.whole_s;
  side.rate = side.course.rate_until(std::min(counted_s, end.whole_s));
  side.rate_whole = end.whole_s > 0 ? side.course.total() / end.whole_s : 0;
  if (end.files) side.files_rate = end.files->rate_until(std::min(counted_s, end.whole_s));
  side.cached = end.cached;
  side.worker_s = end.worker_s;
  return side;
}

// Endless sides have no share of their work to reach; one of whose work nothing was seen is there until it
// has ended.
double counted_time(std::span<const Side> sides, const std::vector<SideEnd>& ends) {
  std::vector<Course> courses;
  double first_end = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i].endless) continue;
    courses.push_back(work_of(ends[i]));
    if (courses.back().total() <= 0) first_end = std::min(first_end, ends[i].whole_s);
  }
  return std::min(first_end, first_to_reach(courses, kCountedShare));
}

Result<void> check_cover(std::span<const Side> sides, const Together& together) {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const SideResult& side = together.sides[i];
    if (sides[i].endless || sides.size() < 2) continue;
    const double covered = side.course.total() > 0 ? side.course.at(together.counted_s) / side.course.total()
                                                   : together.counted_s / side.whole_s;
    // A probe that hardly moves while the other does all its work is the strongest interference, not none:
    // only a program that ended by itself, long before, leaves a probe uncovered.
    for (std::size_t other = 0; other < sides.size(); ++other)
      if (other != i && sides[other].load.is_command() && covered < kLeastCovered &&
          together.sides[other].whole_s < kLeastCovered * side.whole_s)
        return Error{Errc::io, fmt::format("ended after {:.2f} s, when {} had done {:.0f} % of its work",
                                           together.sides[other].whole_s, sides[i].load.name, 100 * covered)}
            .in(sides[other].load.name)
            .with_remedy("let the signal run longer than the probe");
  }
  return {};
}

std::uint32_t workers_of(std::span<const Side> sides) {
  std::uint32_t workers = 0;
  for (const Side& side : sides)
    workers += side.load.is_command() ? static_cast<std::uint32_t>(usable_cores()) : side.processes;
  return workers;
}

}  // namespace

Result<Together> run_together(std::span<const Side> sides, const std::filesystem::path& directory,
                              const campaign::Watched::Options& watched) {
  Together together;
  campaign::RunRow& row = together.row;
  row.notes = Json::array();
  std::vector<SideProcess> processes;
  processes.reserve(sides.size());
  for (const Side& side : sides) {
    auto process = SideProcess::start(side, side.directory.empty() ? directory : side.directory);
    if (!process) return process.error();
    processes.push_back(*std::move(process));
  }
  for (SideProcess& process : processes)
    if (const auto ready = process.wait_until_ready(); !ready) return ready.error();
  auto watch = campaign::Watched::begin(directory, watched, row);
  wait_for_period(sides);
  row.started_ns = Clock::wall().count;
  for (SideProcess& process : processes) process.go();
  const auto done = conduct(processes);
  watch.end(row);
  if (!done) return done.error();
  std::vector<SideEnd> ends;
  for (const SideProcess& process : processes) {
    auto end = process.result();
    if (!end) return end.error();
    for (const std::string& note : end->notes) row.notes.push_back(note);
    ends.push_back(*std::move(end));
  }
  together.counted_s = counted_time(sides, ends);
  for (const SideEnd& end : ends) together.sides.push_back(summed_up(end, together.counted_s));
  if (const auto covered = check_cover(sides, together); !covered) return covered.error();
  watch.judge(row, workers_of(sides));
  const SideResult& first = together.sides.front();
  row.duration_s = first.whole_s;
  row.bytes = first.course.total();
  row.throughput = first.rate_whole;
  row.throughput_together = first.rate;
  return together;
}

}  // namespace weir::interference
