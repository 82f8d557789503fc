#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/scratch_dir.hpp"
#include "workload/detail/test_help.hpp"
#include "workload/run.hpp"

// What programs that run several jobs side by side need: a common start, progress, silent phases.
namespace weir::workload {
namespace {

Job appending(const std::filesystem::path& directory) {
  Job job;
  job.mode = Mode::aggregate_write;
  job.count = 2;
  job.file_size = Bytes(200 * 4096);
  job.directory = directory;
  return job;
}

TEST(Control, ProgressGrowsToAllBytes) {
  const ScratchDir scratch;
  for (const Workers workers : {Workers::threads, Workers::processes}) {
    Job job = appending(scratch.path());
    job.workers = workers;
    const auto outcome = run(job, {.before_start = {}, .progress = true});
    ASSERT_TRUE(outcome) << outcome.error().text();
    const auto& progress = outcome->progress;
    ASSERT_GE(progress.size(), 200U);
    EXPECT_EQ(progress.back().bytes, outcome->bytes);
    for (std::size_t i = 1; i < progress.size(); ++i) {
      EXPECT_LE(progress[i - 1].at, progress[i].at);
      EXPECT_LT(progress[i - 1].bytes, progress[i].bytes);
    }
    const Json json = to_json(*outcome);
    const auto back = outcome_from_json(json);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(to_json(*back), json);
    Json damaged = json;
    damaged["progress"]["bytes"].erase(0);
    EXPECT_FALSE(outcome_from_json(damaged));
  }
}

TEST(Control, NoWorkerBeginsBeforeItMay) {
  const ScratchDir scratch;
  std::int64_t let_go = 0;
  const auto outcome =
      run(appending(scratch.path()), {.before_start = [&]() -> Result<void> {
                                        EXPECT_THAT(test::names_in(scratch.path()), testing::SizeIs(1));
                                        let_go = Clock::wall().count;
                                        return {};
                                      },
                                      .progress = false});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_GT(let_go, 0);
  EXPECT_GE(outcome->started_ns + 5'000'000, let_go);  // two clocks
  EXPECT_TRUE(outcome->progress.empty());
}

TEST(Control, ARefusedStartLeavesNothing) {
  const ScratchDir scratch;
  for (const Workers workers : {Workers::threads, Workers::processes}) {
    Job job = appending(scratch.path());
    job.workers = workers;
    const auto outcome = run(job, {.before_start =
                                       [] {
                                         return Result<void>(Error{Errc::interrupted, "not today"});
                                       },
                                   .progress = false});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().message(), "not today");
    EXPECT_THAT(test::names_in(scratch.path()), testing::IsEmpty());
  }
}

TEST(Control, PeriodicJobsAreSilentOutsideTheirDuty) {
  const test::QuickDir scratch;
  Job job = appending(scratch.path());
  job.count = 1;
  job.period = Nanoseconds(40'000'000);
  job.duty = 0.25;
  job.file_size = Bytes(4096);
  // As much as takes some periods: what a record costs here is not known beforehand.
  Result<Outcome> outcome = Error{Errc::internal, "never run"};
  do {
    job.file_size = Bytes(job.file_size.count * 4);
    outcome = run(job, {.before_start = {}, .progress = true});
    ASSERT_TRUE(outcome) << outcome.error().text();
  } while (outcome->whole < Nanoseconds(160'000'000) && job.file_size.count < (std::uint64_t{256} << 20U));
  ASSERT_GE(outcome->whole, Nanoseconds(160'000'000));
  // A record that begins in time may end late on a busy machine; most do not.
  std::uint64_t inside = 0;
  for (const ProgressPoint& point : outcome->progress)
    inside += (outcome->started_ns + point.at.count) % 40'000'000 < 12'000'000 ? 1 : 0;
  EXPECT_GT(inside * 10, outcome->progress.size() * 8);
}

TEST(Control, MetadataMakesAndRemovesAFileForEveryRecord) {
  const ScratchDir scratch;
  Job job = appending(scratch.path());
  job.mode = Mode::metadata;
  const auto before = test::traffic();
  const auto outcome = run(job);
  const auto after = test::traffic();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->write.count, 400U);
  EXPECT_EQ(outcome->workers[0].operations, 200U);
  EXPECT_LT(after.written - before.written, 4096U) << "bytes were moved";
  EXPECT_THAT(test::names_in(scratch.path()), testing::IsEmpty());
}

TEST(Control, WhatIsStillCachedIsTold) {
  const ScratchDir scratch;
  Job job = appending(scratch.path());
  const auto synced = run(job);
  ASSERT_TRUE(synced) << synced.error().text();
  EXPECT_EQ(synced->cached, Bytes(0));
  job.sync_at_end = false;
  const auto not_synced = run(job);
  ASSERT_TRUE(not_synced) << not_synced.error().text();
  EXPECT_LE(not_synced->cached.value_or(Bytes(0)), not_synced->bytes);
}

}  // namespace
}  // namespace weir::workload
