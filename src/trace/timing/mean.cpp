#include "trace/timing/mean.hpp"

#include <algorithm>
#include <limits>

#include "trace/timing/detail/signatures.hpp"
#include "trace/timing/detail/wide.hpp"

namespace weir::trace {

namespace {

using detail::LocalSignatures;
using detail::Wide;

// `count` integers that differ by at most 1 and add up to base * count + rest, 0 <= rest < count.
class EvenShares {
 public:
  EvenShares() = default;
  EvenShares(std::int64_t base, std::uint64_t rest, std::uint64_t count)
      : base_(base), rest_(rest), count_(count) {}

  std::int64_t next() {
    sum_ += rest_;
    if (sum_ < count_) return base_;
    sum_ -= count_;
    return base_ + 1;
  }
  double mean() const {
    return static_cast<double>(base_) + static_cast<double>(rest_) / static_cast<double>(count_);
  }

 private:
  std::int64_t base_ = 0;
  std::uint64_t rest_ = 0;
  std::uint64_t count_ = 1;
  std::uint64_t sum_ = 0;
};

struct Tally {
  Wide sum = 0;
  std::uint64_t count = 0;
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = std::numeric_limits<std::int64_t>::min();

  void add(std::int64_t value) {
    sum += value;
    ++count;
    min = std::min(min, value);
    max = std::max(max, value);
  }
  // Mean rounded down, what it leaves of the sum, and the distances of minimum and maximum from it.
  void write(ByteWriter& out) const {
    Wide base = sum / static_cast<Wide>(count);
    Wide rest = sum % static_cast<Wide>(count);
    if (rest < 0) {
      rest += static_cast<Wide>(count);
      --base;
    }
    out.signed_varint(static_cast<std::int64_t>(base));
    out.varint(static_cast<std::uint64_t>(rest));
    out.varint(static_cast<std::uint64_t>(base) - static_cast<std::uint64_t>(min));
    out.varint(static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(base));
  }
};

struct Range {
  EvenShares shares;
  std::int64_t min = 0;
  std::int64_t max = 0;
};

Result<Range> read_range(ByteReader& in, std::uint64_t count) {
  if (count == 0) return Range{};
  const auto base = in.signed_varint();
  if (!base) return base.error();
  const auto rest = in.varint();
  if (!rest) return rest.error();
  if (*rest >= count) return Error{Errc::bad_data, "a mean with more rest than records"};
  const auto below = in.varint();
  if (!below) return below.error();
  const auto above = in.varint();
  if (!above) return above.error();
  const Wide min = Wide{*base} - *below;
  const Wide max = Wide{*base} + *above;
  constexpr Wide kLimit = Wide{kTimeLimit} * 2;
  if (*rest > 0 && *above == 0) return Error{Errc::bad_data, "a maximum below the mean"};
  if (min < -kLimit || max >= kLimit) return Error{Errc::bad_data, "a time beyond the limit"};
  return Range{.shares = EvenShares(*base, *rest, count),
               .min = static_cast<std::int64_t>(min),
               .max = static_cast<std::int64_t>(max)};
}

struct Row {
  std::uint64_t intervals = 0;
  Range duration;
  Range interval;
};

struct Head {
  std::int64_t first_start = 0;
  std::uint64_t last_duration = 0;
  std::vector<Row> rows;
};

Result<Head> read_head(ByteReader& in, const LocalSignatures& local) {
  Head head;
  const auto first = in.signed_varint();
  if (!first) return first.error();
  head.first_start = detail::clamp_start(*first);
  const auto last = in.varint();
  if (!last) return last.error();
  head.last_duration = detail::clamp_duration(*last);
  head.rows.reserve(local.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    // The first record has no interval; it is the first one of local signature 0.
    Row row{.intervals = local.count[i] - (i == 0 ? 1u : 0u), .duration = {}, .interval = {}};
    auto duration = read_range(in, local.count[i]);
    if (!duration) return duration.error();
    if (duration->min < 0) return Error{Errc::bad_data, "a negative duration"};
    row.duration = *duration;
    auto interval = read_range(in, row.intervals);
    if (!interval) return interval.error();
    row.interval = *interval;
    head.rows.push_back(row);
  }
  return head;
}

}  // namespace

void encode_mean(const TimesView& times, ByteWriter& out) {
  if (times.size() == 0) return;
  const LocalSignatures local(times.signature);
  std::vector<Tally> durations(local.size());
  std::vector<Tally> intervals(local.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    durations[local.of_record[i]].add(static_cast<std::int64_t>(times.duration[i]));
    if (i > 0) intervals[local.of_record[i]].add(times.start[i] - times.start[i - 1]);
  }
  out.signed_varint(times.start.front());
  out.varint(times.duration.back());
  for (std::size_t i = 0; i < local.size(); ++i) {
    durations[i].write(out);
    if (intervals[i].count > 0) intervals[i].write(out);
  }
}

Result<std::vector<SignatureTimes>> read_means(ByteReader& in, std::span<const std::uint32_t> signature) {
  if (signature.empty()) return std::vector<SignatureTimes>{};
  const LocalSignatures local(signature);
  const auto head = read_head(in, local);
  if (!head) return head.error();
  std::vector<SignatureTimes> rows;
  rows.reserve(local.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    const Row& row = head->rows[i];
    rows.push_back({.signature = local.global[i],
                    .count = local.count[i],
                    .mean_duration = row.duration.shares.mean(),
                    .min_duration = static_cast<std::uint64_t>(row.duration.min),
                    .max_duration = static_cast<std::uint64_t>(row.duration.max),
                    .intervals = row.intervals,
                    .mean_interval = row.interval.shares.mean(),
                    .min_interval = row.interval.min,
                    .max_interval = row.interval.max});
  }
  return rows;
}

Result<void> decode_mean(ByteReader& in, std::span<const std::uint32_t> signature, const TimesOut& out) {
  if (signature.empty()) return {};
  const LocalSignatures local(signature);
  auto head = read_head(in, local);
  if (!head) return head.error();
  Wide at = head->first_start;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    Row& row = head->rows[local.of_record[i]];
    if (i > 0) at += row.interval.shares.next();
    out.start[i] = detail::clamp_start(at);
    out.duration[i] = detail::clamp_duration(static_cast<std::uint64_t>(row.duration.shares.next()));
  }
  out.duration.back() = head->last_duration;
  return {};
}

}  // namespace weir::trace
