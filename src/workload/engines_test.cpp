#include <memory>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "workload/detail/test_help.hpp"
#include "workload/detail/worker.hpp"
#include "workload/run.hpp"

namespace weir::workload {

bool test::has_uring() {
  Job job;
  job.engine = Engine::uring;
  return detail::make_worker(detail::task_of(job, 0, "/")).has_value();
}

namespace {

using detail::Lane;
using detail::Task;

using Case = std::tuple<Engine, Mode>;

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return fmt::format("{}_{}", name(std::get<0>(info.param)), name(std::get<1>(info.param)));
}

// The pairs there are.
std::vector<Case> cases(Sync sync) {
  std::vector<Case> found;
  for (const Engine engine : test::kEngines)
    for (const Mode mode : test::kModes) {
      Job job;
      job.engine = engine;
      job.mode = mode;
      job.sync = sync;
      if (check(job)) found.emplace_back(engine, mode);
    }
  return found;
}

template <class Directory>
class EngineTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    job.engine = std::get<0>(GetParam());
    job.mode = std::get<1>(GetParam());
    job.directory = scratch.path();
    job.file_size = Bytes(kRecords * kRecord);
    job.record_size = Bytes(kRecord);
    if (job.engine == Engine::uring && !test::has_uring()) GTEST_SKIP() << "no io_uring here";
  }

  static constexpr std::uint64_t kRecord = 4096;
  static constexpr std::uint64_t kRecords = 100;
  Directory scratch;
  Job job;
};
using Engines = EngineTest<test::QuickDir>;
using EnginesWithODirect = EngineTest<ScratchDir>;

// A worker's lane outside a board.
struct Alone {
  std::atomic<std::uint32_t> stop{0};
  std::unique_ptr<Lane> lane = std::make_unique<Lane>();
  Alone() { lane->stop = &stop; }
};

// What the kernel counts is what the job says, for calls it counts: read, write and their like.
TEST_P(Engines, MoveTheBytesTheySay) {
  const std::string said = test::in_child([&]() -> std::string {
    const Task task = detail::task_of(job, 0, scratch.path());
    if (auto done = detail::prepare(task); !done) return done.error().text();
    // Twice: a sanitizer looks at a type when it first meets it, and its looking is counted as well.
    Alone rehearsal, alone;
    auto first = detail::make_worker(task);
    auto worker = detail::make_worker(task);
    if (!first || !worker) return "no worker";
    if (auto done = (*first)->run(*rehearsal.lane); !done) return done.error().text();
    (void)test::traffic();
    const test::Traffic before = test::traffic();
    if (auto done = (*worker)->run(*alone.lane); !done) return done.error().text();
    const test::Traffic after = test::traffic();
    return fmt::format("moved {} in {}, counted {}+{}, latencies {}+{}", alone.lane->bytes(),
                       alone.lane->operations, after.read - before.read - before.looking,
                       after.written - before.written, alone.lane->read.count(), alone.lane->write.count());
  });
  const detail::Shape shape = detail::shape_of(job.mode);
  std::uint64_t reads = 0;
  if (shape.moves == detail::Moves::read) reads = kRecords;
  if (shape.moves == detail::Moves::both)
    for (std::uint64_t i = 0; i < kRecords; ++i)
      reads += detail::task_of(job, 0, scratch.path()).coin().reads(i) ? 1 : 0;
  const std::uint64_t writes = kRecords - reads;
  // The kernel counts neither what is copied through a mapping nor what io_uring moves.
  const bool counted = job.engine == Engine::posix || job.engine == Engine::stdio;
  EXPECT_EQ(said, fmt::format("moved {} in {}, counted {}+{}, latencies {}+{}", kRecords * kRecord, kRecords,
                              counted ? reads * kRecord : 0, counted ? writes * kRecord : 0, reads, writes));
}

// Every record holds what belongs there: what is read is compared, what was written is read back.
TEST_P(Engines, DataAreVerified) {
  job.verify = true;
  for (const Workers workers : {Workers::threads, Workers::processes})
    for (const Layout layout : {Layout::per_worker, Layout::shared})
      for (const Sync sync : {Sync::none, Sync::fsync, Sync::osync}) {
        job.workers = workers;
        job.layout = layout;
        job.sync = sync;
        job.count = 2;
        job.file_size = Bytes(30 * kRecord);
        if (!check(job)) continue;
        const auto outcome = run(job);
        ASSERT_TRUE(outcome) << outcome.error().text();
        EXPECT_EQ(outcome->bytes, Bytes(2 * 30 * kRecord));
        EXPECT_TRUE(outcome->verified);
        EXPECT_THAT(test::names_in(scratch.path()), testing::IsEmpty());
      }
}

// Records that are no multiple of a word, a page or a power of two.
TEST_P(Engines, OddRecordsAreVerified) {
  job.verify = true;
  job.layout = job.mode == Mode::open_write_close ? Layout::per_worker : Layout::shared;
  job.count = 3;
  job.record_size = Bytes(997);
  job.file_size = Bytes(53 * 997);
  const auto outcome = run(job);
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->bytes, Bytes(std::uint64_t{3} * 53 * 997));
}

TEST_P(EnginesWithODirect, DataAreVerifiedOrItIsRefused) {
  job.sync = Sync::direct;
  job.verify = true;
  job.file_size = Bytes(10 * kRecord);
  const auto outcome = run(job);
  if (!outcome) {
    EXPECT_EQ(outcome.error().code(), Errc::lacking);
    EXPECT_THAT(outcome.error().text(), testing::HasSubstr("refuses O_DIRECT"));
  }
  EXPECT_THAT(test::names_in(scratch.path()), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, Engines, testing::ValuesIn(cases(Sync::none)), case_name);
INSTANTIATE_TEST_SUITE_P(All, EnginesWithODirect, testing::ValuesIn(cases(Sync::direct)), case_name);

TEST(Uring, ManyRequestsInFlightMoveEveryRecordOnce) {
  if (!test::has_uring()) GTEST_SKIP() << "no io_uring here";
  test::QuickDir scratch;
  for (const Mode mode : {Mode::initial_write, Mode::random_read, Mode::mixed, Mode::random_write})
    for (const Sync sync : {Sync::none, Sync::fsync}) {
      Job job;
      job.mode = mode;
      job.engine = Engine::uring;
      job.depth = 16;
      job.count = 2;
      job.sync = sync;
      job.verify = true;
      job.directory = scratch.path();
      if (!check(job)) continue;
      const auto outcome = run(job);
      ASSERT_TRUE(outcome) << outcome.error().text();
      EXPECT_EQ(outcome->bytes, Bytes(2U << 20U));
      EXPECT_EQ(outcome->read.count + outcome->write.count, 512U);
    }
}

TEST(AggregateWrite, FlushesAsItIsTold) {
  test::QuickDir scratch;
  for (const Flush flush : {Flush::none, Flush::fsync, Flush::reopen})
    for (const Engine engine : {Engine::posix, Engine::stdio, Engine::uring}) {
      if (engine == Engine::uring && !test::has_uring()) continue;
      Job job;
      job.mode = Mode::aggregate_write;
      job.engine = engine;
      job.flush = flush;
      job.flush_every = Bytes(flush == Flush::none ? 0 : 12288);
      job.file_size = Bytes(10 * 4096);
      job.verify = true;
      job.directory = scratch.path();
      const auto outcome = run(job);
      ASSERT_TRUE(outcome) << outcome.error().text();
      EXPECT_EQ(outcome->bytes, job.file_size);
    }
}

}  // namespace
}  // namespace weir::workload
