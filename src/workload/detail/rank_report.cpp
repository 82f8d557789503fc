#include "workload/detail/rank_report.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "workload/detail/outcome.hpp"

namespace weir::workload::detail {
namespace {

RankReport::Counts counts_of(const Histogram& histogram, double nanoseconds_per_tick) {
  RankReport::Counts counts;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i)
    if (const std::uint64_t times = histogram.in_bucket(i); times != 0)
      counts.emplace_back(std::llround(Histogram::value_of(i) * nanoseconds_per_tick), times);
  return counts;
}

void write_counts(ByteWriter& out, const RankReport::Counts& counts) {
  out.varint(counts.size());
  for (const auto& [value, times] : counts) {
    out.varint(value);
    out.varint(times);
  }
}

// Reads one field after the other; after a damaged one everything is 0.
class Decoder {
 public:
  explicit Decoder(ByteSpan bytes) : in_(bytes) {}

  std::uint64_t number() { return keep(in_.varint()); }
  std::int64_t signed_number() { return keep(in_.signed_varint()); }
  std::string text() { return std::string(keep(in_.string())); }
  std::uint64_t count(std::uint64_t bytes_each) { return keep(in_.count(bytes_each)); }
  RankReport::Counts counts() {
    RankReport::Counts found(count(2));
    for (auto& [value, times] : found) {
      value = number();
      times = number();
    }
    return found;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  template <class T>
  T keep(const Result<T>& result) {
    if (result && !error_) return *result;
    if (!error_) error_ = result.error();
    return T{};
  }

  ByteReader in_;
  std::optional<Error> error_;
};

double bytes_at(const RankReport& report, double time) {
  std::pair<double, double> before{static_cast<double>(report.times.begin.count), 0};
  for (const auto& [when, bytes] : report.progress) {
    const std::pair<double, double> after{static_cast<double>(when), static_cast<double>(bytes)};
    if (after.first >= time) {
      if (time <= before.first || after.first <= before.first) return before.second;
      return before.second +
             (after.second - before.second) * (time - before.first) / (after.first - before.first);
    }
    before = after;
  }
  return static_cast<double>(report.times.bytes.count);
}

void find_together(const std::vector<RankReport>& reports, Outcome& outcome) {
  Nanoseconds last_begin = reports.front().times.begin;
  Nanoseconds first_end = reports.front().times.end;
  for (const RankReport& report : reports) {
    last_begin = std::max(last_begin, report.times.begin);
    first_end = std::min(first_end, report.times.end);
  }
  if (first_end <= last_begin) {
    outcome.notes.emplace_back(kNeverTogether);
    return;
  }
  outcome.together = first_end - last_begin;
  double bytes = 0;
  for (const RankReport& report : reports)
    bytes += bytes_at(report, static_cast<double>(first_end.count)) -
             bytes_at(report, static_cast<double>(last_begin.count));
  outcome.bytes_together = Bytes(static_cast<std::uint64_t>(std::llround(std::max(0.0, bytes))));
}

}  // namespace

RankReport report_of(const Lane& lane, Tick started, const Calibration& clock) {
  RankReport report;
  const double rate = clock.nanoseconds_per_tick();
  report.times = times_of(lane, started, clock);
  report.read = counts_of(lane.read, rate);
  report.write = counts_of(lane.write, rate);
  report.read_max = static_cast<std::uint64_t>(std::llround(static_cast<double>(lane.read.max()) * rate));
  report.write_max = static_cast<std::uint64_t>(std::llround(static_cast<double>(lane.write.max()) * rate));
  for (std::size_t i = 0; i < lane.timeline.size(); ++i)
    report.progress.emplace_back(clock.duration(started, lane.timeline[i].when).count,
                                 lane.timeline[i].bytes);
  return report;
}

std::vector<std::byte> encode(const RankReport& report) {
  ByteWriter out;
  out.u8(report.error ? 1 : 0);
  if (report.error) {
    out.varint(static_cast<std::uint64_t>(report.error->code()));
    out.string(report.error->context());
    out.string(report.error->message());
    out.string(report.error->remedy());
  }
  for (const Nanoseconds time : {report.times.begin, report.times.end, report.times.open, report.times.close})
    out.signed_varint(time.count);
  out.varint(report.times.bytes.count);
  out.varint(report.times.operations);
  write_counts(out, report.read);
  write_counts(out, report.write);
  out.varint(report.read_max);
  out.varint(report.write_max);
  out.varint(report.progress.size());
  for (const auto& [when, bytes] : report.progress) {
    out.signed_varint(when);
    out.varint(bytes);
  }
  out.varint(report.notes.size());
  for (const std::string& note : report.notes) out.string(note);
  return std::move(out).take();
}

Result<RankReport> decode(ByteSpan bytes) {
  Decoder in(bytes);
  RankReport report;
  if (in.number() != 0) {
    const std::uint64_t code = in.number();
    const std::string context = in.text();
    const std::string message = in.text();
    const std::string remedy = in.text();
    if (code > static_cast<std::uint64_t>(Errc::internal)) return Error{Errc::bad_data, "no such error code"};
    Error error(static_cast<Errc>(code), message);
    if (!context.empty()) error = std::move(error).in(context);
    report.error = remedy.empty() ? error : error.with_remedy(remedy);
  }
  for (Nanoseconds* const time :
       {&report.times.begin, &report.times.end, &report.times.open, &report.times.close})
    time->count = in.signed_number();
  report.times.bytes = Bytes(in.number());
  report.times.operations = in.number();
  report.read = in.counts();
  report.write = in.counts();
  report.read_max = in.number();
  report.write_max = in.number();
  report.progress.resize(in.count(2));
  for (auto& [when, moved] : report.progress) {
    when = in.signed_number();
    moved = in.number();
  }
  report.notes.resize(in.count(1));
  for (std::string& note : report.notes) note = in.text();
  if (in.error()) return in.error()->in("a rank's report");
  return report;
}

Result<Outcome> combine(const std::vector<RankReport>& reports) {
  Outcome outcome;
  const auto read = std::make_unique<Histogram>();
  const auto write = std::make_unique<Histogram>();
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const RankReport& report = reports[rank];
    if (report.error) return report.error->in("rank " + std::to_string(rank));
    outcome.workers.push_back(report.times);
    for (const auto& [value, times] : report.read) read->add(std::min(value, report.read_max), times);
    for (const auto& [value, times] : report.write) write->add(std::min(value, report.write_max), times);
    for (const std::string& note : report.notes)
      if (std::find(outcome.notes.begin(), outcome.notes.end(), note) == outcome.notes.end())
        outcome.notes.push_back(note);
  }
  if (reports.empty()) return outcome;
  outcome.read = latency_of(*read, 1);
  outcome.write = latency_of(*write, 1);
  for (const RankReport& report : reports) {
    const auto larger = [](Nanoseconds& max, std::uint64_t other) {
      max = std::max(max, Nanoseconds(static_cast<std::int64_t>(other)));
    };
    larger(outcome.read.max, report.read_max);
    larger(outcome.write.max, report.write_max);
  }
  sum_up(outcome);
  find_together(reports, outcome);
  return outcome;
}

}  // namespace weir::workload::detail
