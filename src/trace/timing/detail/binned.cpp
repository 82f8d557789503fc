#include "trace/timing/detail/binned.hpp"

#include <algorithm>

#include "trace/timing/detail/bins.hpp"

namespace weir::trace::detail {

namespace {

struct BinsOfClass {
  explicit BinsOfClass(const ErrorBound& bound) : duration(bound), interval(bound.tightened()) {}
  ExponentialBins duration;
  ExponentialBins interval;
};

std::vector<BinsOfClass> bins_of(const ErrorClasses& classes) {
  return {classes.bounds.begin(), classes.bounds.end()};
}

std::int64_t moved(std::int64_t from, std::uint64_t distance, bool back) {
  return clamp_start(back ? Wide{from} - distance : Wide{from} + distance);
}

}  // namespace

BinnedTimes::BinnedTimes(const TimesView& times, const LocalSignatures& local, const ErrorClasses& classes)
    : first_start(times.start[0]) {
  durations.reserve(times.size());
  intervals.reserve(times.size() - 1);
  std::vector<BinsOfClass> bins = bins_of(classes);
  std::int64_t at = first_start;
  for (std::size_t i = 0; i < times.size(); ++i) {
    BinsOfClass& of = bins[classes.of_signature[local.of_record[i]]];
    durations.push_back(of.duration.bin(times.duration[i]));
    if (i == 0) continue;
    const std::uint64_t tolerance =
        classes.bound(local.of_record[i]).tolerance(magnitude(times.start[i] - times.start[i - 1]));
    const std::int64_t interval = times.start[i] - at;
    const std::uint32_t bin = of.interval.bin(magnitude(interval));
    std::uint64_t value = 0;
    of.interval.find(bin, value);
    const std::int64_t decoded = moved(at, value, interval < 0);
    if (magnitude(decoded - times.start[i]) <= tolerance) {
      intervals.push_back(bin * 2 + (interval < 0 ? 1 : 0));
      at = decoded;
    } else {
      // The error before is large beside this interval, which happens after a far longer one.
      const Step step = step_for(interval, tolerance);
      intervals.push_back(kStep);
      steps.push_back(step);
      at = step.from(at);
    }
  }
}

Result<void> BinnedTimes::restore(const LocalSignatures& local, const ErrorClasses& classes,
                                  const TimesOut& out) const {
  std::vector<BinsOfClass> bins = bins_of(classes);
  auto step = steps.begin();
  std::int64_t at = first_start;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    BinsOfClass& of = bins[classes.of_signature[local.of_record[i]]];
    std::uint64_t value = 0;
    if (!of.duration.find(durations[i], value)) return Error{Errc::bad_data, "a duration in no bin"};
    out.duration[i] = clamp_duration(value);
    if (i > 0) {
      const std::uint32_t symbol = intervals[i - 1];
      if (symbol == kStep) {
        if (step == steps.end()) return Error{Errc::bad_data, "fewer steps than intervals call for"};
        at = (step++)->from(at);
      } else {
        if (!of.interval.find(symbol / 2, value)) return Error{Errc::bad_data, "an interval in no bin"};
        at = moved(at, value, symbol % 2 != 0);
      }
    }
    out.start[i] = at;
  }
  if (step != steps.end()) return Error{Errc::bad_data, "more steps than intervals call for"};
  return {};
}

void BinnedTimes::write_steps(ByteWriter& out) const {
  out.signed_varint(first_start);
  out.varint(steps.size());
  for (const Step& step : steps) write_step(step, out);
}

Result<void> BinnedTimes::read_steps(ByteReader& in, std::size_t records) {
  const auto first = in.signed_varint();
  if (!first) return first.error();
  first_start = clamp_start(*first);
  const auto count = in.count(2);
  if (!count) return count.error();
  if (*count >= records) return Error{Errc::bad_data, "more steps than records"};
  steps.reserve(*count);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto step = read_step(in);
    if (!step) return step.error();
    steps.push_back(*step);
  }
  return {};
}

}  // namespace weir::trace::detail
