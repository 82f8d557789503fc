#include "monitor/watch.hpp"

#include <cmath>
#include <optional>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/unique_fd.hpp"
#include "monitor/detail/sampler.hpp"
#include "monitor/fake_system_test.hpp"
#include "monitor/find_value_test.hpp"

namespace weir::monitor {
namespace {

using test::disk_stat;
using test::FakeSystem;
using test::value;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr Nanoseconds kHour{3'600'000'000'000};

// A machine with one disk, its root on it.
void furnish(const FakeSystem& system) {
  system.disk("sda", "8:0", disk_stat(100, 1000));
  system.mounts("22 1 8:0 / / rw - ext4 /dev/sda rw\n");
  system.write("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=1000000\n");
  system.write("proc/stat", "cpu  100 0 100 1000 0 0 0 10 0 0\n");
}

WatchOptions options_for(const FakeSystem& system, Nanoseconds slice = kHour) {
  return {
      .root = system.root(), .directories = {"/work"}, .everything = false, .slice = slice, .commands = {}};
}

TEST(Watch, GivesWhatChangedBetweenStartAndStop) {
  const FakeSystem system;
  furnish(system);
  auto watch = Watch::start(options_for(system));
  ASSERT_TRUE(watch.has_value()) << watch.error().text();
  system.write("sys/devices/block/sda/stat", disk_stat(110, 1500));
  system.write("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=3500000\n");
  const Seen seen = watch->stop();
  EXPECT_THAT(value(seen.counters, "disk:sda", "read_bytes"), Optional(10.0 * 512));
  EXPECT_THAT(value(seen.counters, "disk:sda", "write_bytes"), Optional(500.0 * 512));
  EXPECT_THAT(value(seen.counters, "psi:cpu", "some_seconds"), Optional(2.5));
  EXPECT_EQ(seen.sum("disk:", "write_bytes"), 500.0 * 512);
  EXPECT_EQ(seen.sum("nfs:", "write_bytes"), 0);
  EXPECT_THAT(seen.storage.devices, ::testing::ElementsAre("disk:sda"));
  EXPECT_EQ(seen.damaged, 0U);
  EXPECT_LE(seen.begin_ns, seen.end_ns);
  ASSERT_FALSE(seen.slices.empty());
  EXPECT_EQ(seen.slices.front().begin_ns % kHour.count, 0);
}

TEST(Watch, RefusesSlicesThatNobodyCanKeep) {
  const FakeSystem system;
  const auto watch = Watch::start(options_for(system, Nanoseconds(1000)));
  ASSERT_FALSE(watch.has_value());
  EXPECT_EQ(watch.error().code(), Errc::usage);
}

TEST(Watch, IsStoppedByItsEndToo) {
  const FakeSystem system;
  furnish(system);
  auto first = Watch::start(options_for(system));
  auto second = Watch::start(options_for(system));
  ASSERT_TRUE(first && second);
  *first = std::move(*second);
}

// Busy until the watch must have seen a few slices.
void work_for(Nanoseconds time) {
  const auto end = Clock::monotonic() + time;
  while (Clock::monotonic() < end) continue;
}

TEST(Watch, SlicesBeginAtWholeMultiplesAndAddUp) {
  const FakeSystem system;
  furnish(system);
  constexpr Nanoseconds kSlice{2'000'000};
  auto watch = Watch::start(options_for(system, kSlice));
  ASSERT_TRUE(watch.has_value()) << watch.error().text();
  work_for(Nanoseconds(20'000'000));
  // One character of the number of sectors written: a reader sees the old one or the new.
  const UniqueFd file(::open((system.root() / "sys/devices/block/sda/stat").c_str(), O_WRONLY | O_CLOEXEC));
  const std::string text = disk_stat(100, 1000);
  ASSERT_EQ(::pwrite(file.get(), "5", 1, static_cast<off_t>(text.find("1000"))), 1);
  work_for(Nanoseconds(20'000'000));
  const Seen seen = watch->stop();

  ASSERT_GE(seen.slices.size(), 2U);
  EXPECT_LE(seen.slices.front().begin_ns, seen.begin_ns);
  EXPECT_GT(seen.slices.front().begin_ns + kSlice.count, seen.begin_ns);
  std::uint64_t left_out = 0;
  for (std::size_t i = 0; i < seen.slices.size(); ++i) {
    EXPECT_EQ(seen.slices[i].begin_ns % kSlice.count, 0);
    EXPECT_EQ(seen.slices[i].changes.size(), seen.counters.size());
    if (i == 0) continue;
    const std::int64_t step = seen.slices[i].begin_ns - seen.slices[i - 1].begin_ns;
    EXPECT_GE(step, kSlice.count);
    left_out += static_cast<std::uint64_t>(step / kSlice.count - 1);
  }
  EXPECT_EQ(seen.missed, left_out);
  EXPECT_THAT(value(seen.counters, "disk:sda", "write_bytes"), Optional(4000.0 * 512));
  for (std::size_t i = 0; i < seen.counters.size(); ++i) {
    if (!seen.counters[i].total) continue;
    double sum = 0;
    for (const Slice& slice : seen.slices) sum += slice.changes[i];
    EXPECT_DOUBLE_EQ(sum, seen.counters[i].value) << seen.counters[i].name;
  }
}

TEST(Watch, SlicesThatComeTooLateAreCounted) {
  const FakeSystem system;
  furnish(system);
  std::string long_text;  // takes many milliseconds to read
  for (int i = 0; i < 100'000; ++i)
    long_text += "cpu" + std::to_string(i) + " 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n";
  system.write("proc/pressure/io", long_text);
  auto watch = Watch::start(options_for(system, Nanoseconds(1'000'000)));
  ASSERT_TRUE(watch.has_value()) << watch.error().text();
  work_for(Nanoseconds(50'000'000));
  system.write("sys/devices/block/sda/stat", disk_stat(100, 9000));
  const Seen seen = watch->stop();
  EXPECT_GT(seen.missed, 0U);
  EXPECT_THAT(value(seen.counters, "disk:sda", "write_bytes"), Optional(8000.0 * 512)) << "nothing is lost";
  EXPECT_EQ(seen.damaged, 100'000U) << "lines that are always damaged count once";
  EXPECT_TRUE(seen.first_damaged.starts_with("cpu0 1 2 3"));
}

TEST(Watch, ReadsWhatCommandsPrint) {
  const FakeSystem system;
  furnish(system);
  const auto answer = [](int written) {
    return "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ 1 _tu_ 0 _cl_ c _fs_ big _d_ 3 _br_ 1 _bw_ " +
           std::to_string(written) + "\n";
  };
  system.write("answer", answer(100));
  WatchOptions options = options_for(system);
  options.commands = {
      {"cat", (system.root() / "answer").string()}, {"weir-has-no-such-program"}, {"echo", "something else"}};
  auto watch = Watch::start(options);
  ASSERT_TRUE(watch.has_value()) << watch.error().text();
  system.write("answer", answer(350));
  const Seen seen = watch->stop();
  EXPECT_THAT(value(seen.counters, "gpfs:n1/big", "application_write_bytes"), Optional(250.0));
  EXPECT_THAT(seen.absent, Contains(HasSubstr("command: weir-has-no-such-program: cannot be started")));
  EXPECT_THAT(seen.absent, Contains(HasSubstr("no known format: something else")));
}

TEST(Watch, EverythingLeavesPartitionsOut) {
  const FakeSystem system;
  furnish(system);
  system.write("proc/diskstats",
               "8 0 sda 1 0 100 1 1 0 1000 1 0 1 1\n8 1 sda1 1 0 100 1 1 0 1000 1 0 1 1\n"
               "8 16 sdb 1 0 100 1 1 0 1000 1 0 1 1\n");
  system.disk("sdb", "8:16", disk_stat(1, 1));
  WatchOptions options = options_for(system);
  options.everything = true;
  auto watch = Watch::start(options);
  ASSERT_TRUE(watch.has_value()) << watch.error().text();
  system.write("proc/diskstats",
               "8 0 sda 1 0 100 1 1 0 1100 1 0 1 1\n8 1 sda1 1 0 100 1 1 0 1100 1 0 1 1\n"
               "8 16 sdb 1 0 100 1 1 0 1010 1 0 1 1\n");
  EXPECT_EQ(watch->stop().sum("disk:", "write_bytes"), 110.0 * 512);
}

TEST(Watch, SeesThisMachine) {
  WatchOptions options;
  options.everything = true;
  options.directories = {"."};
  options.slice = Nanoseconds(5'000'000);
  auto watch = Watch::start(options);
  ASSERT_TRUE(watch.has_value()) << watch.error().text();
  work_for(Nanoseconds(30'000'000));
  const Seen seen = watch->stop();
  EXPECT_EQ(seen.damaged, 0U) << seen.first_damaged;
  for (const Counter& counter : seen.counters) {
    EXPECT_TRUE(std::isfinite(counter.value)) << counter.source << " " << counter.name;
    EXPECT_GE(counter.value, 0) << counter.source << " " << counter.name;
  }
  const auto time = value(seen.counters, "cpu", "all_seconds");
  if (!time) GTEST_SKIP() << "no /proc/stat here";
  EXPECT_GT(*time, 0);
}

// The steps of a watch one by one, without its clock.
class SamplerTest : public ::testing::Test {
 protected:
  SamplerTest() { furnish(system_); }
  void begin() {
    sampler_.emplace(detail::find_sources(options_for(system_)), commands_);
    sampler_->read();
  }
  void slice() {
    sampler_->read();
    sampler_->keep_slice(++slices_);
  }
  FakeSystem system_;
  detail::CommandLoop commands_{{}};
  std::optional<detail::Sampler> sampler_;
  std::int64_t slices_ = 0;
};

TEST_F(SamplerTest, ADeviceThatVanishesAndComesBackGivesNothingNegative) {
  begin();
  const std::string stat = "sys/devices/block/sda/stat";
  system_.write(stat, disk_stat(100, 1100));
  slice();
  system_.write(stat, "");  // as an emptied or removed attribute reads
  slice();
  system_.write(stat, disk_stat(0, 30));  // begun anew
  slice();
  system_.write(stat, disk_stat(0, 50));
  slice();
  const Seen seen = sampler_->finish();
  EXPECT_THAT(value(seen.counters, "disk:sda", "write_bytes"), Optional(120.0 * 512));
  for (const Slice& each : seen.slices)
    for (std::size_t i = 0; i < each.changes.size(); ++i)
      if (seen.counters[i].total) {
        EXPECT_GE(each.changes[i], 0);
      }
  EXPECT_THAT(seen.absent, Contains(HasSubstr("disk:sda: read_bytes fell from 51200 to 0")));
}

TEST_F(SamplerTest, AFileThatIsGoneIsSaid) {
  begin();
  system_.remove("sys/devices/block/sda/stat");  // the open one still reads, as files do
  slice();
  system_.write("proc/stat", "cpu  x\n");
  slice();
  const Seen seen = sampler_->finish();
  EXPECT_THAT(seen.absent, Contains("cpu: gone before the end"));
  EXPECT_EQ(seen.damaged, 1U);
  EXPECT_EQ(seen.first_damaged, "cpu  x");
}

TEST_F(SamplerTest, ALineThatAppearsCountsFromZero) {
  system_.mounts("22 1 8:0 / / rw - ext4 /dev/sda rw\n32 1 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  system_.write("proc/self/cgroup", "0::/\n");
  system_.write("sys/fs/cgroup/io.stat", "8:16 rbytes=5 wbytes=5 rios=1 wios=1 dbytes=0 dios=0\n");
  begin();
  system_.write("sys/fs/cgroup/io.stat",
                "8:16 rbytes=5 wbytes=5 rios=1 wios=1 dbytes=0 dios=0\n"
                "8:0 rbytes=0 wbytes=4096 rios=0 wios=1 dbytes=0 dios=0\n");
  slice();
  const Seen seen = sampler_->finish();
  EXPECT_EQ(seen.sum("cgroup:", "write_bytes"), 4096);
}

TEST_F(SamplerTest, JsonIsCompactAndWhole) {
  begin();
  system_.write("sys/devices/block/sda/stat", disk_stat(100, 1008));
  slice();
  slice();
  const Json json = to_json(sampler_->finish());
  EXPECT_EQ(json["counters"]["disk:sda"].dump(), R"({"write_bytes":4096})");
  EXPECT_EQ(json["counters"]["psi:cpu"].dump(), "{}") << "idle, not absent";
  EXPECT_EQ(json["slices"].dump(), R"({"begin_ns":[1,2],"disk:sda":{"write_bytes":[4096,0]}})");
  EXPECT_EQ(json["missed"], 0);
  EXPECT_EQ(json["damaged"], 0);
  EXPECT_THAT(json["absent"].dump(), HasSubstr("nfs: no such mount"));
}

TEST_F(SamplerTest, JsonHasNoDigitsOfRounding) {
  system_.write("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=12075253865\n");
  begin();
  system_.write("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=12075255165\n");
  slice();
  const Json json = to_json(sampler_->finish());
  EXPECT_EQ(json["counters"]["psi:cpu"]["some_seconds"].dump(), "0.0013");
}

}  // namespace
}  // namespace weir::monitor
