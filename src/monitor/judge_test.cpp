#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "monitor/watch.hpp"

namespace weir::monitor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kMiB = 1 << 20;
constexpr Bytes mebibytes(std::uint64_t count) { return Bytes(count << 20U); }

// Two seconds on a quiet machine whose directories are on disk:sda.
Seen quiet() {
  Seen seen;
  seen.begin_ns = 1'000'000'000;
  seen.end_ns = 3'000'000'000;
  seen.storage.devices = {"disk:sda"};
  seen.counters = {{.source = "psi:cpu", .name = "some_seconds", .value = 0.02},
                   {.source = "cpu", .name = "steal_seconds", .value = 0.01},
                   {.source = "cpu", .name = "all_seconds", .value = 8}};
  return seen;
}

void add_disk(Seen& seen, const std::string& source, double read, double written, double flushes = 0) {
  seen.counters.push_back({.source = source, .name = "read_bytes", .value = read});
  seen.counters.push_back({.source = source, .name = "write_bytes", .value = written});
  seen.counters.push_back({.source = source, .name = "flush_operations", .value = flushes});
}

TEST(Judge, AQuietRunIsClean) {
  Seen seen = quiet();
  add_disk(seen, "disk:sda", 0, 42 * kMiB);
  const Verdict verdict = judge(seen, Bytes(0), mebibytes(40), {});
  EXPECT_TRUE(verdict.clean);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, IsEmpty());
}

TEST(Judge, TrafficOfOthersIsSaidWithNumbers) {
  Seen seen = quiet();
  add_disk(seen, "disk:sda", 0, 52.4 * kMiB);
  const Verdict verdict = judge(seen, Bytes(0), mebibytes(40), {});
  EXPECT_FALSE(verdict.clean);
  EXPECT_THAT(verdict.reasons,
              ElementsAre("others moved 31 % as much through disk:sda (12.4 MiB beside 40.0 MiB)"));
}

TEST(Judge, WritesStillInMemoryDoNotHideReadsOfOthers) {
  Seen seen = quiet();
  add_disk(seen, "disk:sda", 20 * kMiB, 1 * kMiB);
  const Verdict verdict = judge(seen, Bytes(0), mebibytes(40), {});
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("50 %")));
  Seen late = quiet();
  add_disk(late, "disk:sda", 0, 1 * kMiB);
  EXPECT_TRUE(judge(late, Bytes(0), mebibytes(40), {}).clean);
}

TEST(Judge, AJournalIsNobodysTraffic) {
  Seen seen = quiet();
  add_disk(seen, "disk:sda", 0, 4 * kMiB + 1000 * 10'000, 1000);  // 4 KiB and a sync, a thousand times
  EXPECT_TRUE(judge(seen, Bytes(0), mebibytes(4), {}).clean);
  EXPECT_FALSE(judge(seen, Bytes(0), mebibytes(4), {.metadata_per_flush = Bytes(0)}).clean);
}

TEST(Judge, LittleIsNothing) {
  Seen seen = quiet();
  add_disk(seen, "disk:sda", 0.5 * kMiB, 0);
  EXPECT_TRUE(judge(seen, Bytes(4096), Bytes(0), {}).clean);
}

TEST(Judge, AProgramInTheCacheIsDisturbedToo) {
  Seen seen = quiet();
  add_disk(seen, "disk:sda", 100 * kMiB, 0);
  EXPECT_THAT(judge(seen, Bytes(0), Bytes(0), {}).reasons,
              ElementsAre("others moved 100 MiB through disk:sda while the program moved nothing"));
}

TEST(Judge, TargetsAreSummedAndDisksBelowAreJudgedAlone) {
  Seen seen = quiet();
  seen.storage = {.devices = {"disk:loop0", "disk:loop1"}, .beneath = {"disk:sda"}, .elsewhere = {}};
  add_disk(seen, "disk:loop0", 0, 20 * kMiB);
  add_disk(seen, "disk:loop1", 0, 20 * kMiB);
  add_disk(seen, "disk:sda", 0, 41 * kMiB);
  add_disk(seen, "disk:sdz", 0, 900 * kMiB);  // has nothing to do with it
  EXPECT_TRUE(judge(seen, Bytes(0), mebibytes(40), {}).clean);
  seen.counters[7].value = 30 * kMiB;  // loop1's writes
  ASSERT_EQ(seen.counters[7].source, "disk:loop1");
  EXPECT_THAT(
      judge(seen, Bytes(0), mebibytes(40), {}).reasons,
      ElementsAre("others moved 25 % as much through disk:loop0, disk:loop1 (10.0 MiB beside 40.0 MiB)"));
  seen.counters[7].value = 20 * kMiB;
  seen.counters[10].value = 60 * kMiB;
  ASSERT_EQ(seen.counters[10].source, "disk:sda");
  EXPECT_THAT(judge(seen, Bytes(0), mebibytes(40), {}).reasons,
              ElementsAre(HasSubstr("50 % as much through disk:sda")));
}

TEST(Judge, WithoutABlockDeviceTrafficIsNotJudged) {
  Seen seen = quiet();
  seen.storage = {.devices = {}, .beneath = {}, .elsewhere = {"/dev/shm: tmpfs, no block device"}};
  add_disk(seen, "disk:sda", 900 * kMiB, 0);
  const Verdict verdict = judge(seen, Bytes(0), mebibytes(4), {});
  EXPECT_TRUE(verdict.clean);
  EXPECT_THAT(verdict.notes, ElementsAre("traffic is not judged on /dev/shm: tmpfs, no block device"));
}

TEST(Judge, WithoutDirectoriesEveryDiskIsJudgedAlone) {
  Seen seen = quiet();
  seen.storage = {};
  add_disk(seen, "disk:sda", 0, 40 * kMiB);
  add_disk(seen, "disk:dm-0", 0, 40 * kMiB);
  EXPECT_TRUE(judge(seen, Bytes(0), mebibytes(40), {}).clean) << "the same bytes on two levels";
  add_disk(seen, "disk:sdb", 0, 100 * kMiB);
  EXPECT_THAT(judge(seen, Bytes(0), mebibytes(40), {}).reasons,
              ElementsAre(HasSubstr("150 % as much through disk:sdb")));
}

TEST(Judge, PressureAndStealAreShares) {
  Seen seen = quiet();
  add_disk(seen, "disk:sda", 0, 0);
  seen.counters[0].value = 0.5;
  seen.counters[1].value = 0.4;
  EXPECT_THAT(judge(seen, Bytes(0), Bytes(0), {}).reasons,
              ElementsAre("some task waited for a processor in 25 % of the time (0.50 of 2.00 s; limit 10 %)",
                          "the hypervisor took 5.0 % of the processor time (0.40 of 8.00 s; limit 2.0 %)"));
  EXPECT_TRUE(judge(seen, Bytes(0), Bytes(0), {.cpu_pressure = 0.3, .steal = 0.06}).clean);
}

// 0.19 s on two processors: all that was stolen may be the error of the kernel's ticks, one on each.
TEST(Judge, AFewTicksOfAShortRunAreNoEvidenceOfSteal) {
  Seen seen = quiet();
  add_disk(seen, "disk:sda", 0, 0);
  seen.end_ns = seen.begin_ns + 190'000'000;
  seen.counters[0].value = 0;
  seen.counters[1].value = 0.02;
  seen.counters[2].value = 0.38;
  const Verdict few = judge(seen, Bytes(0), Bytes(0), {});
  EXPECT_TRUE(few.clean) << few.reasons.front();
  EXPECT_THAT(few.notes, ElementsAre(HasSubstr("0.38 s of processor time are too few for a limit of 2.0 %")));
  seen.counters[1].value = 0.03;  // at least one tick of 38 was stolen
  EXPECT_THAT(judge(seen, Bytes(0), Bytes(0), {}).reasons,
              ElementsAre("the hypervisor took 7.9 % of the processor time (0.03 of 0.38 s; limit 2.0 %)"));
}

TEST(Judge, TheErrorOfTicksCountsLittleInALongRun) {
  Seen seen = quiet();  // 8 s of processor time on four of them
  add_disk(seen, "disk:sda", 0, 0);
  seen.counters[1].value = 0.19;
  EXPECT_TRUE(judge(seen, Bytes(0), Bytes(0), {}).clean);
  EXPECT_THAT(judge(seen, Bytes(0), Bytes(0), {}).notes, IsEmpty());
  seen.counters[1].value = 0.21;
  EXPECT_THAT(judge(seen, Bytes(0), Bytes(0), {}).reasons, ElementsAre(HasSubstr("took 2.6 %")));
}

TEST(Judge, WhatHasNoFiguresIsSaid) {
  const Verdict verdict = judge(Seen{}, Bytes(0), Bytes(0), {});
  EXPECT_TRUE(verdict.clean);
  EXPECT_EQ(verdict.notes.size(), 3U);
}

}  // namespace
}  // namespace weir::monitor
