#include "trace/timing/block.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/timing/made_times_test.hpp"

namespace weir::trace {
namespace {

Times decode(ByteSpan block, const Times& times) {
  Times out;
  out.signature = times.signature;
  out.start.resize(times.size());
  out.duration.resize(times.size());
  ByteReader in(block);
  const auto done = decode_timing_block(in, times.signature, {out.start, out.duration});
  EXPECT_TRUE(done.has_value()) << done.error().text();
  EXPECT_TRUE(in.at_end());
  return out;
}

Times round_trip(const Times& times, const TimingOptions& options, std::size_t* bytes = nullptr) {
  ByteWriter out;
  TimingEncoder encoder(options);
  const auto done = encoder.encode(times.view(), out);
  EXPECT_TRUE(done.has_value()) << done.error().text();
  if (bytes != nullptr) *bytes = out.size();
  return decode(out.view(), times);
}

// |a - b| <= error * size, in arithmetic that is exact enough at any size.
bool within(long double a, long double b, double error, long double size) {
  return std::fabs(a - b) <= static_cast<long double>(error) * size;
}

// The first record out of its bound, or "".
std::string beyond(const Times& times, const Times& decoded, const TimingOptions& options) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    double error = options.error;
    const std::uint32_t of = times.signature[i];
    if (of < options.error_of_signature.size() && options.error_of_signature[of] != 0)
      error = options.error_of_signature[of];
    const auto duration = static_cast<long double>(times.duration[i]);
    if (!within(static_cast<long double>(decoded.duration[i]), duration, error, duration))
      return fmt::format("duration {}: {} became {}", i, times.duration[i], decoded.duration[i]);
    const auto start = static_cast<long double>(times.start[i]);
    const long double interval = i == 0 ? 0 : std::fabs(start - static_cast<long double>(times.start[i - 1]));
    if (!within(static_cast<long double>(decoded.start[i]), start, error, interval))
      return fmt::format("start {}: {} became {}, interval {}", i, times.start[i], decoded.start[i],
                         static_cast<double>(interval));
  }
  return "";
}

// Those of this build.
std::vector<TimingMode> bounded_modes() {
  std::vector<TimingMode> modes = {TimingMode::cfg, TimingMode::hist, TimingMode::quant};
#ifdef WEIR_HAVE_ZFP
  modes.push_back(TimingMode::zfp);
#endif
  return modes;
}

TEST(TimingMode, NamesLeadBack) {
  for (const TimingMode mode : timing_modes()) EXPECT_EQ(find_timing_mode(name(mode)), mode);
  EXPECT_EQ(find_timing_mode("fast"), std::nullopt);
}

TEST(TimingMode, BoundsOutsideTheirRangeAreRefused) {
  for (const double error : {0.0, -1.0, 0.00009, 0.51, std::nan("")}) {
    const TimingOptions options{.mode = TimingMode::quant, .error = error, .error_of_signature = {}};
    EXPECT_FALSE(check(options).has_value()) << error;
  }
  const std::vector<double> own = {0, 0.9};
  EXPECT_FALSE(check({.mode = TimingMode::hist, .error_of_signature = own}).has_value());
  EXPECT_TRUE(check({.mode = TimingMode::mean, .error = 9, .error_of_signature = own}).has_value());
}

TEST(TimingBlock, OffGivesZeros) {
  Random random(1);
  const Times times = make_times("loop", 1000, random);
  std::size_t bytes = 0;
  const Times decoded = round_trip(times, {.mode = TimingMode::off, .error_of_signature = {}}, &bytes);
  EXPECT_EQ(bytes, 1u);
  EXPECT_THAT(decoded.start, testing::Each(0));
  EXPECT_THAT(decoded.duration, testing::Each(0u));
}

TEST(TimingBlock, LosslessReturnsEveryNanosecond) {
  for (const std::string& kind : kinds_of_times())
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(fmt::format("{} seed {}", kind, seed));
      Random random(seed);
      const Times times = make_times(kind, 1 + random.below(20'000), random);
      const Times decoded = round_trip(times, {.error_of_signature = {}});
      EXPECT_EQ(decoded.start, times.start);
      EXPECT_EQ(decoded.duration, times.duration);
    }
}

TEST(TimingBlock, LosslessHasTheBytesOfItsDocument) {  // docs/formats/timing.md
  Times times;
  times.add(1000, 300, 0);
  times.add(1330, 300, 0);
  ByteWriter out;
  ASSERT_TRUE(TimingEncoder({.error_of_signature = {}}).encode(times.view(), out).has_value());
  std::vector<unsigned> bytes;
  for (const std::byte byte : out.view()) bytes.push_back(std::to_integer<unsigned>(byte));
  EXPECT_THAT(bytes, testing::ElementsAre(0x01, 0xd0, 0x0f, 0x01, 0x00, 0x01, 0x00, 0x3c, 0x02, 0x00, 0x00,
                                          0x2c, 0x00, 0x01));
}

TEST(TimingBlock, LosslessTakesAnyInteger) {
  Random random(4);
  Times times;
  for (std::size_t i = 0; i < 5000; ++i) times.add(static_cast<std::int64_t>(random()), random(), 0);
  const Times decoded = round_trip(times, {.error_of_signature = {}});
  EXPECT_EQ(decoded.start, times.start);
  EXPECT_EQ(decoded.duration, times.duration);
}

TEST(TimingBlock, BoundedModesKeepEveryValueWithinTheBound) {
  for (const TimingMode mode : bounded_modes())
    for (const std::string& kind : kinds_of_times())
      for (const double error : {0.0001, 0.001, 0.01, 0.1, 0.5})
        for (const bool clustered : {false, true}) {
          const auto seed = static_cast<std::uint64_t>(error * 1e6);
          SCOPED_TRACE(
              fmt::format("{} {} error {} clustered {} seed {}", name(mode), kind, error, clustered, seed));
          Random random(seed);
          const Times times = make_times(kind, 1 + random.below(8'000), random);
          const TimingOptions options{
              .mode = mode, .error = error, .error_of_signature = {}, .clustered = clustered};
          EXPECT_EQ(beyond(times, round_trip(times, options), options), "");
        }
}

TEST(TimingBlock, EachSignatureKeepsToItsOwnBound) {
  Random random(5);
  const Times times = make_times("loop", 30'000, random);
  const std::vector<double> own = {0, 0, 0, 0, 0, 0, 0, 0.001, 0, 0.02};  // of 7 and 9; 8 has the common one
  for (const TimingMode mode : bounded_modes()) {
    const TimingOptions options{.mode = mode, .error = 0.2, .error_of_signature = own};
    EXPECT_EQ(beyond(times, round_trip(times, options), options), "") << name(mode);
  }
}

TEST(TimingBlock, StartsDoNotDrift) {
  // One long block of like intervals: an error that added up would leave the bound soon.
  Random random(6);
  const Times times = make_times("heavy", kMaxTimingRecords, random);
  for (const TimingMode mode : bounded_modes()) {
    const TimingOptions options{.mode = mode, .error = 0.1, .error_of_signature = {}};
    EXPECT_EQ(beyond(times, round_trip(times, options), options), "") << name(mode);
  }
}

TEST(TimingBlock, ConstantTimesCostNextToNothing) {
  Random random(7);
  const Times times = make_times("constant", 100'000, random);
  for (const TimingMode mode : {TimingMode::lossless, TimingMode::mean, TimingMode::quant}) {
    std::size_t bytes = 0;
    (void)round_trip(times, {.mode = mode, .error_of_signature = {}}, &bytes);
    EXPECT_LT(bytes, 150u) << name(mode);
  }
}

TEST(TimingBlock, TimesBeyondTheLimitAreRefused) {
  Times times;
  times.add(-kTimeLimit, 0, 0);
  ByteWriter out;
  for (const TimingMode mode : {TimingMode::mean, TimingMode::quant}) {
    const auto done = TimingEncoder({.mode = mode, .error_of_signature = {}}).encode(times.view(), out);
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code(), Errc::too_big);
  }
  EXPECT_EQ(out.size(), 0u);
}

#ifndef WEIR_HAVE_ZFP
TEST(TimingBlock, WithoutZfpItsModeIsLackingAndNamesThePackage) {
  Random random(8);
  const Times times = make_times("loop", 100, random);
  ByteWriter out;
  const auto done =
      TimingEncoder({.mode = TimingMode::zfp, .error_of_signature = {}}).encode(times.view(), out);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::lacking);
  EXPECT_THAT(done.error().text(), testing::HasSubstr("libzfp-dev"));
}
#endif

TEST(TimingBlock, UnknownModesAreUnsupported) {
  const std::byte block[] = {std::byte{99}};
  ByteReader in(block);
  const auto done = decode_timing_block(in, {}, {});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::unsupported);
  EXPECT_EQ(in.position(), 0u);
}

TEST(TimingBlock, DamageNeverHarms) {
  for (const TimingMode mode : timing_modes()) {
    if (is_bounded(mode) && std::ranges::count(bounded_modes(), mode) == 0) continue;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", name(mode), seed));
      Random random(seed);
      const Times times = make_times(kinds_of_times()[random.below(kinds_of_times().size())], 300, random);
      ByteWriter out;
      ASSERT_TRUE(
          TimingEncoder({.mode = mode, .error_of_signature = {}}).encode(times.view(), out).has_value());
      std::vector<std::byte> bytes(out.view().begin(), out.view().end());
      if (random.below(3) == 0) bytes.resize(random.below(bytes.size() + 1));
      for (std::uint64_t i = random.below(4); i > 0 && !bytes.empty(); --i)
        bytes[random.below(bytes.size())] = static_cast<std::byte>(random());
      std::vector<std::int64_t> start(times.size());
      std::vector<std::uint64_t> duration(times.size());
      ByteReader in(bytes);
      (void)decode_timing_block(in, times.signature, {start, duration});
    }
  }
}

}  // namespace
}  // namespace weir::trace
