// What watching costs: processor time of the sampler with everything there is to watch on this machine, as a
// share of one core, and the cost of reading each source.
//   monitor_bench [SECONDS [SLICE_MS]]        5 100
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "monitor/detail/columns.hpp"
#include "monitor/detail/formats.hpp"
#include "monitor/detail/sources.hpp"
#include "monitor/detail/text_file.hpp"
#include "monitor/watch.hpp"

namespace {

using namespace weir;
using namespace weir::monitor;
namespace parts = weir::monitor::detail;

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void rest(double seconds) {
  timespec time{.tv_sec = static_cast<time_t>(seconds), .tv_nsec = 0};
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  while (::nanosleep(&time, &time) != 0) continue;
}

struct Cost {
  double read_us = 0, parse_us = 0;
};

// Medians over many readings.
Cost cost_of(const parts::SourceFile& source) {
  constexpr std::size_t kTimes = 501;
  parts::TextFile file(source.paths);
  parts::TextBuffer buffer;
  parts::Columns columns;
  std::vector<double> reads, parses, changes;
  for (std::size_t i = 0; i < kTimes; ++i) {
    const auto begin = Clock::monotonic();
    if (file.read(buffer) != 0) return {};
    const auto middle = Clock::monotonic();
    columns.begin_text(true, &source.wanted);
    parts::parser_of(source.format)(buffer.text(), source.instance, columns);
    columns.end_reading(changes);
    const auto end = Clock::monotonic();
    reads.push_back(static_cast<double>((middle - begin).count) / 1e3);
    parses.push_back(static_cast<double>((end - middle).count) / 1e3);
  }
  const auto median = [](std::vector<double>& values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
  };
  return {median(reads), median(parses)};
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  const double slice_ms = argc > 2 ? std::atof(argv[2]) : 100;
  WatchOptions options;
  options.everything = true;
  options.slice = Nanoseconds(static_cast<std::int64_t>(slice_ms * 1e6));

  auto watch = Watch::start(options);
  if (!watch) {
    fmt::print(stderr, "{}\n", watch.error().text());
    return 4;
  }
  const double before = processor_seconds();
  const auto begin = Clock::monotonic();
  rest(seconds);
  const double used = processor_seconds() - before;
  const double took = static_cast<double>((Clock::monotonic() - begin).count) / 1e9;
  const Seen seen = watch->stop();
  fmt::print("{} counters, {} slices of {} ms, {} missed, {} damaged lines\n", seen.counters.size(),
             seen.slices.size(), slice_ms, seen.missed, seen.damaged);
  fmt::print("processor time {:.3f} ms in {:.2f} s: {:.4f} % of one core, {:.1f} us a slice\n", used * 1e3,
             took, 100 * used / took, 1e6 * used / static_cast<double>(seen.slices.size()));
  for (const std::string& line : seen.absent) fmt::print("absent  {}\n", line);

  fmt::print("\n{:<50} {:>10} {:>10}\n", "source", "read us", "parse us");
  for (const auto& source : parts::find_sources(options).files) {
    const Cost cost = cost_of(source);
    fmt::print("{:<50} {:>10.2f} {:>10.2f}\n", source.paths.front().string(), cost.read_us, cost.parse_us);
  }
  return 0;
}
