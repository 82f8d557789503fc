#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "interference/classify.hpp"

namespace weir::interference {
namespace {

using trace::slices::Operation;

constexpr std::int64_t kSlice = 100'000'000;
constexpr std::uint64_t kMiB = 1U << 20U;

struct Counted {
  Operation operation;
  std::uint64_t calls = 0, bytes = 0, time_ns = 0;
};

// A process with the same counts in each of its slices.
trace::ProcessSlices process(const std::vector<std::int64_t>& slices, const std::vector<Counted>& counts) {
  trace::ProcessSlices made;
  made.slice_ns = kSlice;
  made.started_ns = slices.front() * kSlice;
  for (const std::int64_t slice : slices) {
    trace::ProcessSlice& one = made.slices.emplace_back();
    one.begin_ns = slice * kSlice;
    for (const Counted& each : counts)
      one.counts[0][static_cast<std::size_t>(each.operation)] = {each.calls, each.bytes, each.time_ns};
  }
  return made;
}

TEST(ClassifySlices, ManyFilesWrittenInOneGo) {
  const auto found = classify({process({10, 11, 12}, {{Operation::write, 40, 20 * kMiB, 50'000'000},
                                                      {Operation::open, 20, 0, 0},
                                                      {Operation::close, 20, 0, 0},
                                                      {Operation::whole, 20, 20 * kMiB, 0},
                                                      {Operation::whole_write, 40, 20 * kMiB, 0},
                                                      {Operation::sync, 20, 10 * kMiB, 0}})});
  EXPECT_EQ(found.pattern, WritePattern::open_write_close);
  EXPECT_EQ(found.chunk, Bytes(kMiB));
  EXPECT_EQ(found.files, 60U);
  EXPECT_NEAR(found.flushed_share, 0.5, 1e-9);
  EXPECT_NEAR(found.metadata_per_s, 400, 1e-6);
  EXPECT_NEAR(found.duration_s, 0.3, 1e-9);
}

TEST(ClassifySlices, WritesThatBeginElsewhere) {
  // The file is never closed: the program was killed.
  const auto found =
      classify({process({10}, {{Operation::write, 8, 8 * kMiB, 1}, {Operation::jump, 7, 7 * kMiB, 0}})});
  EXPECT_EQ(found.pattern, WritePattern::write_seek);
  EXPECT_EQ(found.chunk, Bytes(kMiB));
  EXPECT_EQ(found.files, 1U);
}

TEST(ClassifySlices, PiecesOfSeveralWritesBetweenSeeks) {
  const auto found =
      classify({process({10}, {{Operation::write, 20, 40 * kMiB, 1}, {Operation::jump, 10, 40 * kMiB, 0}})});
  EXPECT_EQ(found.pattern, WritePattern::write_seek);
  EXPECT_EQ(found.chunk, Bytes(4 * kMiB));
}

TEST(ClassifySlices, OneFileThatGrows) {
  for (const bool closed : {false, true}) {
    std::vector<Counted> counts = {{Operation::write, 100, 400 * 1024, 1}, {Operation::jump, 1, 16, 0}};
    if (closed) {
      counts.push_back({Operation::whole, 1, 400 * 1024, 0});
      counts.push_back({Operation::whole_write, 100, 400 * 1024, 0});
    }
    const auto found = classify({process({10}, counts)});
    EXPECT_EQ(found.pattern, WritePattern::aggregate_write) << closed;
    EXPECT_EQ(found.chunk, Bytes(4096)) << closed;
  }
}

TEST(ClassifySlices, TwoKindsOfProcessesAreMixed) {
  const auto found =
      classify({process({10}, {{Operation::write, 8, 8 * kMiB, 1}, {Operation::jump, 8, 8 * kMiB, 0}}),
                process({10}, {{Operation::write, 8, 8 * kMiB, 1}})});
  EXPECT_EQ(found.pattern, WritePattern::mixed);
  EXPECT_EQ(found.processes, 2U);
  EXPECT_NEAR(found.shares[1], 0.5, 1e-9);
  EXPECT_NEAR(found.shares[2], 0.5, 1e-9);
}

TEST(ClassifySlices, PhasesHaveAPeriodAndADuty) {
  std::vector<std::int64_t> slices;
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t k = 0; k < 5; ++k) slices.push_back(1000 + 20 * i + k);
  const auto found = classify({process(slices, {{Operation::write, 4, kMiB, 100'000'000}})});
  EXPECT_EQ(found.bursts, 5U);
  ASSERT_TRUE(found.period_s);
  EXPECT_NEAR(*found.period_s, 2, 1e-9);
  EXPECT_NEAR(found.duty, 0.25, 0.01);
}

TEST(ClassifySlices, NothingWritten) {
  const auto found = classify({process({10}, {{Operation::read, 8, 8 * kMiB, 1}})});
  EXPECT_EQ(found.pattern, WritePattern::none);
  EXPECT_EQ(found.read, Bytes(8 * kMiB));
  EXPECT_TRUE(class_from_json(to_json(found)));
}

}  // namespace
}  // namespace weir::interference
