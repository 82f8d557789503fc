#include "trace/timing/mean.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "trace/timing/made_times_test.hpp"

namespace weir::trace {
namespace {

TEST(MeanTiming, KeepsCountMeanMinimumAndMaximum) {
  Times times;
  times.add(100, 10, 3);
  times.add(150, 20, 5);
  times.add(140, 41, 3);  // contains the one before it
  times.add(200, 11, 3);
  ByteWriter out;
  encode_mean(times.view(), out);
  ByteReader in(out.view());
  const auto rows = read_means(in, times.signature);
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 2u);
  const SignatureTimes& row = (*rows)[0];
  EXPECT_EQ(row.signature, 3u);
  EXPECT_EQ(row.count, 3u);
  EXPECT_DOUBLE_EQ(row.mean_duration, 62.0 / 3);
  EXPECT_EQ(row.min_duration, 10u);
  EXPECT_EQ(row.max_duration, 41u);
  EXPECT_EQ(row.intervals, 2u);
  EXPECT_DOUBLE_EQ(row.mean_interval, 25);
  EXPECT_EQ(row.min_interval, -10);
  EXPECT_EQ(row.max_interval, 60);
  EXPECT_EQ((*rows)[1].intervals, 1u);
}

TEST(MeanTiming, FirstStartLastEndAndSumsAreExact) {
  for (const std::string& kind : kinds_of_times()) {
    SCOPED_TRACE(kind);
    if (kind == "empty" || kind == "extreme") continue;  // sums beyond 64 bits are not this test's
    Random random(11);
    const Times times = make_times(kind, 5000, random);
    ByteWriter out;
    encode_mean(times.view(), out);
    ByteReader in(out.view());
    std::vector<std::int64_t> start(times.size());
    std::vector<std::uint64_t> duration(times.size());
    ASSERT_TRUE(decode_mean(in, times.signature, {start, duration}).has_value());
    EXPECT_EQ(start.front(), times.start.front());
    EXPECT_EQ(start.back(), times.start.back());
    EXPECT_EQ(duration.back(), times.duration.back());
    const std::uint64_t sum = std::accumulate(times.duration.begin(), times.duration.end(), std::uint64_t{0});
    const std::uint64_t decoded = std::accumulate(duration.begin(), duration.end(), std::uint64_t{0});
    // The last duration is exact in place of its share of the mean.
    ByteReader again(out.view());
    const auto rows = read_means(again, times.signature);
    for (const SignatureTimes& row : *rows)
      if (row.signature == times.signature.back()) {
        const double mean = row.mean_duration;
        const double difference = static_cast<double>(static_cast<std::int64_t>(decoded - sum));
        EXPECT_NEAR(difference, static_cast<double>(times.duration.back()) - mean, 1 + mean * 1e-9);
      }
  }
}

TEST(MeanTiming, TimesAtTheLimitsAreTaken) {
  Random random(12);
  const Times times = make_times("extreme", 1000, random);
  ByteWriter out;
  encode_mean(times.view(), out);
  ByteReader in(out.view());
  std::vector<std::int64_t> start(times.size());
  std::vector<std::uint64_t> duration(times.size());
  ASSERT_TRUE(decode_mean(in, times.signature, {start, duration}).has_value());
  EXPECT_EQ(start.front(), times.start.front());
  EXPECT_EQ(start.back(), times.start.back());
}

}  // namespace
}  // namespace weir::trace
