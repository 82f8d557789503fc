#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "workload/detail/data_pattern.hpp"
#include "workload/detail/histogram.hpp"
#include "workload/detail/lane.hpp"
#include "workload/detail/record_order.hpp"

namespace weir::workload::detail {
namespace {

template <Order O>
std::vector<std::uint64_t> visited(std::uint64_t count, std::uint64_t stride = 17, std::uint64_t seed = 1) {
  RecordOrder<O> order(count, stride, seed);
  std::vector<std::uint64_t> records;
  for (std::uint64_t i = 0; i < count; ++i) records.push_back(order.next());
  return records;
}

TEST(RecordOrder, EveryRecordIsVisitedOnce) {
  for (const std::uint64_t count : {1U, 2U, 3U, 16U, 17U, 18U, 100U, 1000U, 4097U}) {
    std::vector<std::uint64_t> all(count);
    for (std::uint64_t i = 0; i < count; ++i) all[i] = i;
    EXPECT_EQ(visited<Order::forward>(count), all);
    for (auto records : {visited<Order::backward>(count), visited<Order::strided>(count),
                         visited<Order::strided>(count, 1), visited<Order::strided>(count, 5000),
                         visited<Order::shuffled>(count), visited<Order::shuffled>(count, 17, 99)}) {
      std::sort(records.begin(), records.end());
      EXPECT_EQ(records, all);
    }
  }
}

TEST(RecordOrder, IsAsIozoneDoesIt) {
  EXPECT_EQ(visited<Order::backward>(4), (std::vector<std::uint64_t>{3, 2, 1, 0}));
  EXPECT_EQ(visited<Order::strided>(7, 3), (std::vector<std::uint64_t>{0, 3, 6, 1, 4, 2, 5}));
}

TEST(RecordOrder, ShufflesDifferBySeedAndLookRandom) {
  constexpr std::uint64_t kCount = 1000;
  const auto records = visited<Order::shuffled>(kCount);
  EXPECT_NE(records, visited<Order::shuffled>(kCount, 17, 2));
  // The mean distance between neighbours of a random permutation is (n+1)/3.
  double distance = 0;
  for (std::size_t i = 1; i < records.size(); ++i)
    distance += std::abs(static_cast<double>(records[i]) - static_cast<double>(records[i - 1]));
  EXPECT_NEAR(distance / (kCount - 1), (kCount + 1) / 3.0, 30);
}

TEST(Coin, KeepsItsShare) {
  for (const double share : {0.0, 0.25, 1.0}) {
    const Coin coin(share, 7);
    int reads = 0;
    for (std::uint64_t i = 0; i < 10'000; ++i) reads += coin.reads(i) ? 1 : 0;
    EXPECT_NEAR(reads, share * 10'000, share == 0.25 ? 200 : 0);
  }
}

TEST(DataPattern, IsTheSameHoweverItIsCut) {
  const DataPattern pattern(5, 2, Generation::written);
  std::vector<std::byte> whole(1000);
  pattern.fill(whole, 24);
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t from = random.below(900);
    std::vector<std::byte> part(random.below(100));
    pattern.fill(part, 24 + from);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(from)));
    EXPECT_FALSE(pattern.compare(part, 24 + from));
  }
}

TEST(DataPattern, EveryFlippedByteIsFound) {
  const DataPattern pattern(5, 2, Generation::written);
  std::vector<std::byte> bytes(100);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    pattern.fill(bytes, 3);
    bytes[at] ^= std::byte{0x40};
    const auto found = pattern.compare(bytes, 3);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offset, 3 + at);
    EXPECT_EQ(found->expected ^ 0x40, found->found);
  }
}

TEST(DataPattern, OtherFilesGenerationsAndPlacesHoldOtherBytes) {
  std::vector<std::byte> bytes(64);
  DataPattern(5, 2, Generation::written).fill(bytes, 0);
  EXPECT_TRUE(DataPattern(5, 2, Generation::prepared).compare(bytes, 0));
  EXPECT_TRUE(DataPattern(5, 3, Generation::written).compare(bytes, 0));
  EXPECT_TRUE(DataPattern(6, 2, Generation::written).compare(bytes, 0));
  EXPECT_TRUE(DataPattern(5, 2, Generation::written).compare(bytes, 4096));
}

TEST(DataPattern, StampsMakeEveryBlockDiffer) {
  const DataPattern pattern(5, 2, Generation::written);
  std::vector<std::byte> bytes(8192);
  std::set<std::vector<std::byte>> blocks;
  for (std::uint64_t at = 0; at < 64 * 8192; at += 8192) {
    pattern.stamp(bytes, at);
    blocks.emplace(bytes.begin(), bytes.begin() + 4096);
    blocks.emplace(bytes.begin() + 4096, bytes.end());
  }
  EXPECT_EQ(blocks.size(), 128U);
}

// Against the exact order statistic: numbers over nine decades, off by at most 1 %.
TEST(Histogram, QuantilesAreOffByAtMostOnePercent) {
  Random random(3);
  std::vector<std::uint64_t> values;
  auto histogram = std::make_unique<Histogram>();
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<std::uint64_t>(std::pow(10.0, 9 * random.uniform())));
    histogram->add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(std::ceil(share * 20'000)) - 1]);
    EXPECT_NEAR(histogram->quantile(share), exact, 0.01 * exact) << share;
  }
  EXPECT_EQ(histogram->max(), values.back());
  EXPECT_EQ(histogram->count(), 20'000U);
}

TEST(Histogram, EveryNumberHasItsBucket) {
  for (unsigned bit = 0; bit < 64; ++bit)
    for (const std::uint64_t value : {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1,
                                      (std::uint64_t{1} << bit) + (std::uint64_t{1} << bit) / 3}) {
      const std::size_t bucket = Histogram::bucket_of(value);
      ASSERT_LT(bucket, Histogram::kBuckets);
      EXPECT_NEAR(Histogram::value_of(bucket), static_cast<double>(value),
                  0.004 * static_cast<double>(value));
    }
  EXPECT_LT(Histogram::bucket_of(~std::uint64_t{0}), Histogram::kBuckets);
  EXPECT_EQ(Histogram().quantile(0.5), 0);
}

TEST(Timeline, KeepsPointsOverAnyLength) {
  Timeline timeline;
  std::uint64_t until = 1;
  for (std::uint64_t i = 1; i <= 1'000'000; ++i)
    if (--until == 0) until = timeline.add(Tick(10 * i), i);
  EXPECT_GT(timeline.size(), Timeline::kPoints / 4);
  for (std::size_t i = 1; i < timeline.size(); ++i) {
    EXPECT_EQ(timeline[i].when.count, 10 * timeline[i].bytes);
    EXPECT_LT(timeline[i - 1].when, timeline[i].when);
  }
  EXPECT_GT(timeline[timeline.size() - 1].bytes, 990'000U);
}

TEST(FixedError, ComesBackAsItWas) {
  FixedError fixed;
  EXPECT_FALSE(fixed.is_set());
  const Error error = Error{Errc::full, "no space"}.in("a file").with_remedy("make some");
  fixed.set(error);
  EXPECT_EQ(fixed.get().text(), error.text());
  EXPECT_EQ(fixed.get().code(), Errc::full);
  fixed.set(Error{Errc::io, std::string(100'000, 'x')});
  EXPECT_LT(fixed.get().text().size(), 5000U);
}

}  // namespace
}  // namespace weir::workload::detail
