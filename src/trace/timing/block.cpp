#include "trace/timing/block.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "trace/timing/detail/bounded.hpp"
#include "trace/timing/lossless.hpp"
#include "trace/timing/mean.hpp"

namespace weir::trace {

// Memory of the lossless coder, made for the largest block seen.
struct TimingEncoder::State {
  std::vector<std::byte> workspace;
  std::vector<std::byte> output;
  std::size_t records = 0;
  LosslessEncoder lossless;

  void encode(const TimesView& times, ByteWriter& out) {
    if (workspace.empty() || times.size() > records) {
      records = times.size();
      workspace.resize(LosslessEncoder::workspace_bytes(records));
      output.resize(LosslessEncoder::bound(records));
      lossless = LosslessEncoder(workspace, records);
    }
    const std::size_t size = lossless.encode(times.start, times.duration, output);
    WEIR_CHECK(size > 0);
    out.bytes({output.data(), size});
  }
};

TimingEncoder::TimingEncoder(const TimingOptions& options)
    : options_(options), state_(std::make_unique<State>()) {}
TimingEncoder::~TimingEncoder() = default;
TimingEncoder::TimingEncoder(TimingEncoder&&) noexcept = default;
TimingEncoder& TimingEncoder::operator=(TimingEncoder&&) noexcept = default;

namespace {

Result<void> check_size(std::size_t records) {
  if (records <= kMaxTimingRecords) return {};
  return Error{Errc::too_big,
               fmt::format("{} records in one block; {} is the most", records, kMaxTimingRecords)};
}

Result<void> check_times(const TimesView& times) {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times.start[i] <= -kTimeLimit || times.start[i] > kTimeLimit ||
        times.duration[i] > static_cast<std::uint64_t>(kTimeLimit))
      return Error{Errc::too_big, fmt::format("record {}: start {} ns, duration {} ns; the limit is {} ns", i,
                                              times.start[i], times.duration[i], kTimeLimit)};
  return {};
}

}  // namespace

Result<void> TimingEncoder::encode(const TimesView& times, ByteWriter& out) {
  WEIR_CHECK(times.duration.size() == times.size() && times.signature.size() == times.size());
  if (auto fine = check(options_); !fine) return fine;
  if (auto fine = check_size(times.size()); !fine) return fine;
  if (options_.mode == TimingMode::lossless) {
    state_->encode(times, out);
    return {};
  }
  if (options_.mode == TimingMode::off) {
    out.u8(static_cast<std::uint8_t>(options_.mode));
    return {};
  }
  if (auto fine = check_times(times); !fine) return fine;
  if (options_.mode == TimingMode::mean) {
    out.u8(static_cast<std::uint8_t>(options_.mode));
    encode_mean(times, out);
    return {};
  }
  return detail::encode_bounded(times, options_, out);
}

Result<TimingMode> timing_block_mode(ByteSpan block) {
  ByteReader in(block);
  const auto mode = in.u8();
  if (!mode) return mode.error().in("timing block");
  if (*mode > static_cast<std::uint8_t>(timing_modes().back()))
    return Error{Errc::unsupported,
                 fmt::format("timing of mode {}, which this version does not know", *mode)};
  return static_cast<TimingMode>(*mode);
}

namespace {

Result<void> decode_body(TimingMode mode, ByteReader& in, std::span<const std::uint32_t> signature,
                         const TimesOut& out) {
  switch (mode) {
    case TimingMode::off:
      std::fill(out.start.begin(), out.start.end(), 0);
      std::fill(out.duration.begin(), out.duration.end(), 0);
      return {};
    case TimingMode::lossless:
      return decode_lossless(in, out.start, out.duration);
    case TimingMode::mean:
      return decode_mean(in, signature, out);
    default:
      return detail::decode_bounded(mode, in, signature, out);
  }
}

}  // namespace

Result<void> decode_timing_block(ByteReader& in, std::span<const std::uint32_t> signature,
                                 const TimesOut& out) {
  WEIR_CHECK(out.start.size() == signature.size() && out.duration.size() == signature.size());
  if (auto fine = check_size(signature.size()); !fine) return fine;
  ByteReader ahead = in;
  const auto first = ahead.bytes(std::min<std::size_t>(1, ahead.remaining()));
  if (!first) return first.error();
  const auto mode = timing_block_mode(*first);
  if (!mode) return mode.error();
  if (auto done = decode_body(*mode, ahead, signature, out); !done)
    return done.error().in(fmt::format("timing block ({})", name(*mode)));
  in = ahead;
  return {};
}

}  // namespace weir::trace
