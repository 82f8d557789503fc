#include "semantics/timeline.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "trace/made_run_test.hpp"
#include "trace/summary.hpp"

namespace weir::semantics {
namespace {

using namespace trace::made;

class Timelines : public testing::Test {
 protected:
  // Each writes 64 bytes at the given times, 100 ns long.
  void process(std::uint64_t number, const std::vector<std::uint64_t>& times, bool timed = true) {
    Lane lane(run(), {.process = number, .timed = timed});
    lane.program("/bin/app", "/scratch", std::string("app\0", 4));
    lane.thread(number);
    lane.inherited(3, 3, "/scratch/out.dat");
    for (const std::uint64_t at : times)
      lane.call("write", 0, {handle(3), absent(), literal(64)}, literal(64), at, 100);
  }
  Timeline made(const TimelineOptions& options = {}, trace::TimingMode timing = trace::TimingMode::lossless) {
    EXPECT_TRUE(merge(run(), timing));
    const auto trace = trace::TraceFile::open(run());
    EXPECT_TRUE(trace) << trace.error().text();
    auto timeline = make_timeline(*trace, options);
    EXPECT_TRUE(timeline) << timeline.error().text();
    return *std::move(timeline);
  }
  static const std::vector<Timeline::Cell>& writes(const Timeline& timeline, std::size_t row = 0) {
    return timeline.rows.at(row).of_kinds[static_cast<std::size_t>(CallKind::write)];
  }
  std::filesystem::path run() const { return dir_.path() / "run"; }

 private:
  ScratchDir dir_;
};

std::uint64_t sum(const std::vector<Timeline::Cell>& cells, std::uint64_t Timeline::Cell::*field) {
  return std::accumulate(cells.begin(), cells.end(), std::uint64_t{0},
                         [&](std::uint64_t all, const Timeline::Cell& one) { return all + one.*field; });
}

TEST_F(Timelines, CallsBytesAndTimesFallIntoTheirBins) {
  process(100, {0, 1000, 1010, 1900});
  const Timeline timeline = made({.most_bins = 20});
  EXPECT_EQ(timeline.bins, 20U);
  EXPECT_EQ(timeline.bin_ns, 101);  // 2000 ns
  const auto& cells = writes(timeline);
  EXPECT_EQ(sum(cells, &Timeline::Cell::calls), 4U);
  EXPECT_EQ(sum(cells, &Timeline::Cell::bytes), 256U);
  EXPECT_EQ(sum(cells, &Timeline::Cell::time_ns), 400U);
  ASSERT_GE(cells.size(), 3U);
  EXPECT_EQ(cells[0].bin, 0U);
  EXPECT_EQ(cells[1].bin, 9U);  // from 909 to 1010, where the next call begins
  EXPECT_EQ(cells[1].calls, 1U);
  EXPECT_EQ(cells[1].time_ns, 10U);  // of the first call, until 1010
  EXPECT_EQ(cells[2].bin, 10U);
  EXPECT_EQ(cells[2].calls, 1U);
  EXPECT_EQ(cells[2].time_ns, 190U);
}

TEST_F(Timelines, TooManyCellsBecomeFewerAndLoseNothing) {
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < 400; ++i) times.push_back(i * 1000);
  process(100, times);
  const Timeline timeline = made({.most_bins = 4096, .most_cells = 50});
  EXPECT_LE(writes(timeline).size(), 50U);
  EXPECT_EQ(sum(writes(timeline), &Timeline::Cell::calls), 400U);
  EXPECT_EQ(sum(writes(timeline), &Timeline::Cell::time_ns), 40000U);
  EXPECT_GE(timeline.bin_ns * static_cast<std::int64_t>(timeline.bins), 399'100);
}

TEST_F(Timelines, IsTheSameBesideASummary) {
  for (std::uint64_t number = 100; number < 103; ++number) {
    std::vector<std::uint64_t> times;
    for (std::uint64_t i = 0; i < 500; ++i) times.push_back(number + i * number * 7);
    process(number, times);
  }
  const Timeline alone = made();
  const auto trace = trace::TraceFile::open(run());
  ASSERT_TRUE(trace);
  TimelineMaker maker(*trace, {});
  trace::SummaryOptions how;
  how.beside = [&](const trace::Stretch& stretch) { return maker.onlooker(stretch); };
  const auto summary = trace::summarize(*trace, how);
  ASSERT_TRUE(summary) << summary.error().text();
  EXPECT_EQ(summary->total.calls, 1500U);
  const Timeline beside = maker.take();
  EXPECT_EQ(beside.bin_ns, alone.bin_ns);
  ASSERT_EQ(beside.rows.size(), alone.rows.size());
  for (std::size_t row = 0; row < alone.rows.size(); ++row) {
    ASSERT_EQ(writes(beside, row).size(), writes(alone, row).size());
    for (std::size_t i = 0; i < writes(alone, row).size(); ++i) {
      EXPECT_EQ(writes(beside, row)[i].bin, writes(alone, row)[i].bin);
      EXPECT_EQ(writes(beside, row)[i].calls, writes(alone, row)[i].calls);
      EXPECT_EQ(writes(beside, row)[i].time_ns, writes(alone, row)[i].time_ns);
    }
  }
}

TEST_F(Timelines, ProcessesShareRowsWhenThereAreMany) {
  for (std::uint64_t number = 100; number < 107; ++number) process(number, {0, 50 * number});
  const Timeline timeline = made({.most_rows = 3});
  ASSERT_EQ(timeline.rows.size(), 3U);
  EXPECT_EQ(timeline.rows[0].processes.size(), 3U);
  EXPECT_EQ(timeline.rows[2].processes.size(), 1U);
  EXPECT_EQ(sum(writes(timeline, 0), &Timeline::Cell::calls), 6U);
  EXPECT_EQ(sum(writes(timeline, 2), &Timeline::Cell::calls), 2U);
}

TEST_F(Timelines, WithoutTimesThereAreNoBins) {
  process(100, {0, 1000});
  const Timeline timeline = made({}, trace::TimingMode::off);
  EXPECT_EQ(timeline.bins, 0U);
  EXPECT_EQ(timeline.rows.size(), 1U);
}

TEST_F(Timelines, AFunctionIsOfOneKind) {
  const auto kind = [](std::string name, std::string layer) {
    trace::Function function;
    function.name = function.means = std::move(name);
    function.layer = std::move(layer);
    return kind_of(function);
  };
  EXPECT_EQ(kind("pread", "posix"), CallKind::read);
  EXPECT_EQ(kind("fwrite", "stdio"), CallKind::write);
  EXPECT_EQ(kind("MPI_File_iwrite_at", "mpiio"), CallKind::write);
  EXPECT_EQ(kind("MPI_File_open", "mpiio"), CallKind::metadata);
  EXPECT_EQ(kind("H5Dread", "hdf5"), CallKind::read);
  EXPECT_EQ(kind("ncmpi_put_vara_all", "pnetcdf"), CallKind::write);
  EXPECT_EQ(kind("MPI_Barrier", "mpi"), CallKind::communication);
  EXPECT_EQ(kind("fork", "posix"), CallKind::other);
}

}  // namespace
}  // namespace weir::semantics
