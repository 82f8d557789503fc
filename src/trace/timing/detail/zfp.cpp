#include "trace/timing/detail/zfp.hpp"

#ifdef WEIR_HAVE_ZFP

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <zfp.h>

#include "trace/timing/detail/coding_order.hpp"
#include "trace/timing/detail/step.hpp"

namespace weir::trace::detail {

namespace {

constexpr std::size_t kBlock = 4;  // values that zfp takes at a time in one dimension
using Values = std::array<double, kBlock>;
// More than any bits make zfp read for a block: 12 of the exponent, 64 planes of 4, their tests.
constexpr std::size_t kBlockBytes = 48;

// A logarithm made of the number's length and the rest as a fraction: linear within octaves, continuous, the
// same on every machine, which libm's need not be. An error of t in it is a relative one of at most t.
double logarithm(std::uint64_t value) {
  if (value == 0) return 0;
  const auto length = static_cast<int>(std::bit_width(value));
  return length + std::ldexp(static_cast<double>(value), 1 - length) - 1;
}

std::uint64_t power(double logarithm) {
  if (!(logarithm >= 0.5)) return 0;  // a NaN too
  if (logarithm < 1) return 1;
  if (logarithm >= 64) return static_cast<std::uint64_t>(kTimeLimit) * 2;
  const double length = std::floor(logarithm);
  return static_cast<std::uint64_t>(
      std::round(std::ldexp(1 + (logarithm - length), static_cast<int>(length) - 1)));
}

double signed_logarithm(std::int64_t value) {
  return value < 0 ? -logarithm(magnitude(value)) : logarithm(magnitude(value));
}

std::int64_t add_power(std::int64_t from, double logarithm) {
  return clamp_start(logarithm < 0 ? Wide{from} - power(-logarithm) : Wide{from} + power(logarithm));
}

// zfp's stream over memory of ours, at an accuracy of 2^exponent.
class ZfpStream {
 public:
  ZfpStream(std::size_t blocks, int exponent)
      : bytes_(blocks * kBlockBytes + 64),
        bits_(stream_open(bytes_.data(), bytes_.size())),
        zfp_(zfp_stream_open(bits_)) {
    zfp_stream_set_accuracy(zfp_, std::ldexp(1.0, exponent));
  }
  // To read what was written, zeros behind it.
  ZfpStream(std::size_t blocks, int exponent, ByteSpan written) : ZfpStream(blocks, exponent) {
    std::copy_n(written.begin(), std::min(written.size(), bytes_.size()), bytes_.begin());
  }
  ~ZfpStream() {
    zfp_stream_close(zfp_);
    stream_close(bits_);
  }
  ZfpStream(const ZfpStream&) = delete;
  ZfpStream& operator=(const ZfpStream&) = delete;

  void write(const Values& values) { zfp_encode_block_double_1(zfp_, values.data()); }
  Values read() {
    Values values{};
    zfp_decode_block_double_1(zfp_, values.data());
    return values;
  }
  // The values as they will be read again.
  Values trial(const Values& values) {
    stream_rewind(bits_);
    write(values);
    stream_flush(bits_);
    stream_rewind(bits_);
    return read();
  }
  ByteSpan finish() {
    stream_flush(bits_);
    return {bytes_.data(), stream_size(bits_)};
  }

 private:
  std::vector<std::byte> bytes_;
  bitstream* bits_;
  zfp_stream* zfp_;
};

std::size_t blocks_of(std::size_t values) { return (values + kBlock - 1) / kBlock; }

// What is taken from the logarithms of each local signature: their median, so that zfp sees numbers near 0
// and spends a bit on four times that are as usual. Signatures with few records share one.
class Centres {
 public:
  Centres() = default;
  // `logarithm(i)` for the records from `first` on.
  template <class Logarithm>
  Centres(const LocalSignatures& local, std::size_t first, const Logarithm& logarithm) : local_(&local) {
    std::vector<std::vector<double>> of(1);
    for (std::size_t i = 0; i < local.size(); ++i)
      if (local.count[i] >= kFewest) of.emplace_back();
    number();
    for (std::size_t i = first; i < local.of_record.size(); ++i)
      of[number_[local.of_record[i]]].push_back(logarithm(i));
    for (auto& values : of) {
      std::int64_t centre = 0;
      if (!values.empty()) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        centre = std::llround(*middle * kUnits);
      }
      units_.push_back(centre);
    }
  }
  static Result<Centres> parse(ByteReader& in, const LocalSignatures& local) {
    Centres centres;
    centres.local_ = &local;
    const std::size_t count = centres.number();
    for (std::size_t i = 0; i < count; ++i) {
      const auto units = in.signed_varint();
      if (!units) return units.error();
      if (*units < -64 * kUnits || *units > 64 * kUnits)
        return Error{Errc::bad_data, "a time beyond the limit"};
      centres.units_.push_back(*units);
    }
    return centres;
  }
  void write(ByteWriter& out) const {
    for (const std::int64_t units : units_) out.signed_varint(units);
  }

  double of_record(std::size_t i) const {
    return static_cast<double>(units_[number_[local_->of_record[i]]]) / kUnits;
  }

 private:
  static constexpr std::uint32_t kFewest = 16;
  static constexpr int kUnits = 64;  // to one

  std::size_t number() {
    std::uint32_t next = 1;
    for (const std::uint32_t count : local_->count) number_.push_back(count >= kFewest ? next++ : 0);
    return next;
  }

  const LocalSignatures* local_ = nullptr;
  std::vector<std::uint32_t> number_;  // by local signature
  std::vector<std::int64_t> units_;
};

// Values of a few records that zfp left out of their bounds.
struct Listed {
  std::size_t count = 0;
  std::size_t before = 0;
  ByteWriter bytes;

  void at(std::size_t place) {
    bytes.varint(place - before);
    before = place;
    ++count;
  }
  void write(ByteWriter& out) const {
    out.varint(count);
    out.bytes(bytes.view());
  }
};

// Reads such a list: the place of each in order of the records.
class ListReader {
 public:
  static Result<ListReader> open(ByteReader& in, std::size_t records) {
    const auto count = in.count(2);
    if (!count) return count.error();
    if (*count > records) return Error{Errc::bad_data, "a list longer than the records"};
    return ListReader(*count, records);
  }
  // The place of the next; `records` when there is no other.
  Result<std::size_t> next(ByteReader& in) {
    if (left_ == 0) return records_;
    --left_;
    const auto gap = in.varint();
    if (!gap) return gap.error();
    if (*gap >= records_ - place_ || (*gap == 0 && !first_))
      return Error{Errc::bad_data, "a list out of order"};
    first_ = false;
    place_ += *gap;
    return place_;
  }

 private:
  ListReader(std::uint64_t count, std::size_t records) : left_(count), records_(records) {}
  std::uint64_t left_;
  std::size_t records_;
  std::size_t place_ = 0;
  bool first_ = true;
};

void write_stream(ZfpStream& stream, int exponent, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(-exponent));
  const ByteSpan bytes = stream.finish();
  out.varint(bytes.size());
  out.bytes(bytes);
}

struct StreamBytes {
  int exponent = 0;
  ByteSpan bytes;
};

Result<StreamBytes> read_stream(ByteReader& in) {
  const auto exponent = in.u8();
  if (!exponent) return exponent.error();
  if (*exponent > 64) return Error{Errc::bad_data, "an accuracy out of range"};
  const auto size = in.varint();
  if (!size) return size.error();
  const auto bytes = in.bytes(*size);
  if (!bytes) return bytes.error();
  return StreamBytes{.exponent = -static_cast<int>(*exponent), .bytes = *bytes};
}

void write_durations(const TimesView& times, std::span<const std::uint32_t> order,
                     const LocalSignatures& local, const ErrorClasses& classes, const Centres& centres,
                     int exponent, ByteWriter& out) {
  ZfpStream stream(blocks_of(order.size()), exponent);
  ZfpStream scratch(1, exponent);
  Listed listed;
  for (std::size_t begin = 0; begin < order.size(); begin += kBlock) {
    Values values{};
    const std::size_t count = std::min(kBlock, order.size() - begin);
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint32_t i = order[begin + j];
      values[j] = logarithm(times.duration[i]) - centres.of_record(i);
    }
    stream.write(values);
    const Values decoded = scratch.trial(values);
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint32_t i = order[begin + j];
      const std::uint64_t exact = times.duration[i];
      const std::uint64_t got = clamp_duration(power(decoded[j] + centres.of_record(i)));
      if (std::max(exact, got) - std::min(exact, got) <= classes.bound(local.of_record[i]).tolerance(exact))
        continue;
      listed.at(begin + j);
      listed.bytes.varint(exact);
    }
  }
  write_stream(stream, exponent, out);
  listed.write(out);
}

Result<void> read_durations(ByteReader& in, std::span<const std::uint32_t> order,
                            const LocalSignatures& local, const TimesOut& out) {
  const auto centres = Centres::parse(in, local);
  if (!centres) return centres.error();
  const auto from = read_stream(in);
  if (!from) return from.error();
  ZfpStream stream(blocks_of(order.size()), from->exponent, from->bytes);
  for (std::size_t begin = 0; begin < order.size(); begin += kBlock) {
    const Values values = stream.read();
    for (std::size_t j = 0; j < std::min(kBlock, order.size() - begin); ++j) {
      const std::uint32_t i = order[begin + j];
      out.duration[i] = clamp_duration(power(values[j] + centres->of_record(i)));
    }
  }
  auto list = ListReader::open(in, order.size());
  if (!list) return list.error();
  for (;;) {
    const auto place = list->next(in);
    if (!place) return place.error();
    if (*place == order.size()) return {};
    const auto exact = in.varint();
    if (!exact) return exact.error();
    out.duration[order[*place]] = clamp_duration(*exact);
  }
}

// The first interval of each of zfp's blocks is taken from the last decoded start, the others from each
// other.
void write_starts(const TimesView& times, const LocalSignatures& local, const ErrorClasses& classes,
                  const Centres& centres, int exponent, ByteWriter& out) {
  const std::size_t records = times.size();
  ZfpStream stream(blocks_of(records - 1), exponent);
  ZfpStream scratch(1, exponent);
  Listed listed;
  std::int64_t at = times.start[0];
  for (std::size_t begin = 1; begin < records; begin += kBlock) {
    Values values{};
    const std::size_t count = std::min(kBlock, records - begin);
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t i = begin + j;
      values[j] =
          signed_logarithm(times.start[i] - (j == 0 ? at : times.start[i - 1])) - centres.of_record(i);
    }
    stream.write(values);
    const Values decoded = scratch.trial(values);
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t i = begin + j;
      at = add_power(at, decoded[j] + centres.of_record(i));
      const Step step = step_for(
          times.start[i] - at,
          classes.bound(local.of_record[i]).tolerance(magnitude(times.start[i] - times.start[i - 1])));
      if (step.none) continue;
      listed.at(i);
      write_step(step, listed.bytes);
      at = step.from(at);
    }
  }
  write_stream(stream, exponent, out);
  listed.write(out);
}

Result<void> read_starts(ByteReader& in, std::int64_t first, const LocalSignatures& local,
                         const TimesOut& out) {
  const std::size_t records = out.start.size();
  const auto centres = Centres::parse(in, local);
  if (!centres) return centres.error();
  const auto from = read_stream(in);
  if (!from) return from.error();
  ZfpStream stream(blocks_of(records - 1), from->exponent, from->bytes);
  auto list = ListReader::open(in, records);
  if (!list) return list.error();
  auto place = list->next(in);
  if (!place) return place.error();
  std::int64_t at = first;
  Values values{};
  out.start[0] = at;
  for (std::size_t i = 1; i < records; ++i) {
    if ((i - 1) % kBlock == 0) values = stream.read();
    at = add_power(at, values[(i - 1) % kBlock] + centres->of_record(i));
    if (*place == i) {
      const auto step = read_step(in);
      if (!step) return step.error();
      at = step->from(at);
      place = list->next(in);
      if (!place) return place.error();
    }
    out.start[i] = at;
  }
  if (*place != records) return Error{Errc::bad_data, "a list out of order"};
  return {};
}

// zfp keeps well within the accuracy it is asked for, so a coarser one may be smaller in spite of its list.
template <class Write>
void write_smallest(const ErrorClasses& classes, ByteWriter& out, const Write& write) {
  std::uint32_t finest = std::numeric_limits<std::uint32_t>::max();
  for (const ErrorBound& bound : classes.bounds) finest = std::min(finest, bound.fraction());
  const int exponent = static_cast<int>(std::bit_width(finest)) - 33;  // 2^exponent <= e
  ByteWriter best;
  for (int coarser = 0; coarser <= 2; ++coarser) {
    ByteWriter trial;
    write(std::min(exponent + coarser, 0), trial);
    if (coarser == 0 || trial.size() < best.size()) best = std::move(trial);
  }
  out.bytes(best.view());
}

}  // namespace

Result<void> encode_zfp(const TimesView& times, const LocalSignatures& local, const ErrorClasses& classes,
                        bool clustered, ByteWriter& out) {
  out.u8(clustered ? 1 : 0);
  out.signed_varint(times.start[0]);
  const std::vector<std::uint32_t> order = coding_order(local, clustered);
  const Centres durations(local, 0, [&](std::size_t i) { return logarithm(times.duration[i]); });
  durations.write(out);
  write_smallest(classes, out, [&](int exponent, ByteWriter& to) {
    write_durations(times, order, local, classes, durations, exponent, to);
  });
  const Centres intervals(
      local, 1, [&](std::size_t i) { return signed_logarithm(times.start[i] - times.start[i - 1]); });
  intervals.write(out);
  write_smallest(classes, out, [&](int exponent, ByteWriter& to) {
    write_starts(times, local, classes, intervals, exponent, to);
  });
  return {};
}

Result<void> decode_zfp(ByteReader& in, const LocalSignatures& local, const ErrorClasses& /*classes*/,
                        const TimesOut& out) {
  const auto clustered = in.u8();
  if (!clustered) return clustered.error();
  if (*clustered > 1) return Error{Errc::bad_data, "an unknown order of durations"};
  const auto first = in.signed_varint();
  if (!first) return first.error();
  if (auto done = read_durations(in, coding_order(local, *clustered == 1), local, out); !done) return done;
  return read_starts(in, clamp_start(*first), local, out);
}

}  // namespace weir::trace::detail

#else

namespace weir::trace::detail {

namespace {

Error no_zfp() {
  return Error{Errc::lacking, "this build has no zfp"}.with_remedy("install libzfp-dev and build again");
}

}  // namespace

Result<void> encode_zfp(const TimesView& /*times*/, const LocalSignatures& /*local*/,
                        const ErrorClasses& /*classes*/, bool /*clustered*/, ByteWriter& /*out*/) {
  return no_zfp();
}

Result<void> decode_zfp(ByteReader& /*in*/, const LocalSignatures& /*local*/, const ErrorClasses& /*classes*/,
                        const TimesOut& /*out*/) {
  return no_zfp();
}

}  // namespace weir::trace::detail

#endif
