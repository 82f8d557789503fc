#include "workload/rank.hpp"

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/scratch_dir.hpp"
#include "workload/detail/rank_report.hpp"
#include "workload/detail/test_help.hpp"

namespace weir::workload {
namespace {

using detail::RankReport;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(RankCommand, PutsTheNumberWhereTheLauncherWantsIt) {
  Job job;
  job.count = 4;
  EXPECT_THAT(rank_command({"srun", "-N2", "--ntasks={}"}, "/p", job, "/j", "/o"),
              ElementsAre("srun", "-N2", "--ntasks=4", "/p", "/j", "/o"));
  EXPECT_THAT(rank_command({"mpirun"}, "/p", job, "/j", "/o"),
              ElementsAre("mpirun", "-n", "4", "/p", "/j", "/o"));
}

TEST(RankFiles, JobsAndErrorsComeBack) {
  ScratchDir scratch;
  const auto file = scratch.path() / "f.json";
  Job job;
  job.workers = Workers::mpi;
  job.directory = scratch.path();
  ASSERT_TRUE(write_rank_job(job, file));
  const auto back = read_rank_job(file);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(job));

  const Error error = Error{Errc::full, "no space"}.in("rank 3").with_remedy("make some");
  ASSERT_TRUE(write_rank_outcome(error, file));
  const auto outcome = read_rank_outcome(file);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), Errc::full);
  EXPECT_EQ(outcome.error().text(), error.text());

  std::ofstream(file) << R"({"error": {"code": "nonsense"}})";
  EXPECT_FALSE(read_rank_outcome(file));
  std::ofstream(file) << "not JSON";
  EXPECT_FALSE(read_rank_outcome(file));
  EXPECT_FALSE(read_rank_outcome(scratch.path() / "absent"));
  job.directory = "\xff\xfe";
  const auto refused = write_rank_job(job, file);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("UTF-8"));
}

RankReport example(std::int64_t begin, std::int64_t end, std::uint64_t bytes) {
  RankReport report;
  report.times.begin = Nanoseconds(begin);
  report.times.end = Nanoseconds(end);
  report.times.bytes = Bytes(bytes);
  report.times.operations = 2;
  report.write = {{100, 1}, {300, 1}};
  report.write_max = 301;
  report.progress = {{begin + (end - begin) / 2, bytes / 2}, {end, bytes}};
  report.notes = {"a note"};
  return report;
}

TEST(RankReport, SurvivesTheJourneyAndNoDamage) {
  RankReport report = example(5, 1005, 4096);
  report.error = Error{Errc::full, "no space"}.in("a file").with_remedy("make some");
  const auto bytes = encode(report);
  const auto back = detail::decode(bytes);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(encode(*back), bytes);
  EXPECT_EQ(back->error->text(), report.error->text());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(detail::decode(ByteSpan(bytes).first(length))) << length;
}

TEST(RankReport, TheIntervalOfAllIsInterpolated) {
  // One runs 0 to 1000, the other 200 to 600: together 400 ns, in which the first moved 4000 of its 10000
  // bytes.
  const auto outcome = detail::combine({example(0, 1000, 10'000), example(200, 600, 8000)});
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->whole, Nanoseconds(1000));
  EXPECT_EQ(outcome->bytes, Bytes(18'000));
  EXPECT_EQ(outcome->together, Nanoseconds(400));
  EXPECT_EQ(outcome->bytes_together, Bytes(12'000));
  EXPECT_EQ(outcome->write.count, 4U);
  EXPECT_EQ(outcome->write.max, Nanoseconds(301));
  EXPECT_THAT(outcome->notes, ElementsAre("a note"));

  const auto apart = detail::combine({example(0, 100, 10), example(200, 600, 10)});
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->together, Nanoseconds(0));
  EXPECT_THAT(apart->notes, testing::Contains(HasSubstr("no moment")));

  RankReport failed = example(0, 1, 1);
  failed.error = Error{Errc::io, "broken"};
  const auto error = detail::combine({example(0, 1, 1), failed});
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().text(), "rank 1: broken");
}

// Two ranks under a launcher of this machine.
class Ranks : public testing::TestWithParam<Mpi> {
 protected:
  void SetUp() override {
    const auto program = find_rank_program(GetParam());
    if (!program) GTEST_SKIP() << program.error().text();
    program_ = *program;
    launcher_ = GetParam() == Mpi::openmpi
                    ? std::vector<std::string>{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"}
                    : std::vector<std::string>{"mpirun.mpich"};
    if (std::system(fmt::format("command -v {} > /dev/null", launcher_[0]).c_str()) != 0)
      GTEST_SKIP() << "no " << launcher_[0];
    job_.workers = Workers::mpi;
    job_.count = 2;
    job_.file_size = Bytes(1U << 18U);
    job_.verify = true;
    job_.directory = scratch_.path() / "files";
    std::filesystem::create_directory(job_.directory);
  }

  Result<Outcome> outcome() {
    const auto in = scratch_.path() / "job.json";
    const auto out = scratch_.path() / "outcome.json";
    std::filesystem::remove(out);
    if (auto written = write_rank_job(job_, in); !written) return written.error();
    const auto words = rank_command(launcher_, program_, job_, in, out);
    const int status = std::system(fmt::format("'{}' > /dev/null 2>&1", fmt::join(words, "' '")).c_str());
    if (status != 0) return Error{Errc::internal, fmt::format("status {}", status)};
    return read_rank_outcome(out);
  }

  ScratchDir scratch_;
  std::filesystem::path program_;
  std::vector<std::string> launcher_;
  Job job_;
};

TEST_P(Ranks, MoveAndVerifyTheirBytes) {
  for (const Engine engine : {Engine::posix, Engine::mpiio})
    for (const Layout layout : {Layout::per_worker, Layout::shared}) {
      job_.mode = engine == Engine::mpiio ? Mode::mixed : Mode::initial_write;
      job_.engine = engine;
      job_.layout = layout;
      const auto found = outcome();
      ASSERT_TRUE(found) << found.error().text();
      EXPECT_EQ(found->bytes, Bytes(2U << 18U));
      EXPECT_EQ(found->workers.size(), 2U);
      EXPECT_EQ(found->read.count + found->write.count, 128U);
      EXPECT_TRUE(found->verified);
      EXPECT_THAT(test::names_in(job_.directory), testing::IsEmpty());
    }
}

TEST_P(Ranks, TellWhatIsWrong) {
  job_.directory = scratch_.path() / "absent";
  auto found = outcome();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(), HasSubstr("absent: cannot use it"));
  job_.directory = scratch_.path();
  job_.record_size = Bytes(3000);
  found = outcome();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(), HasSubstr("no multiple"));
}

INSTANTIATE_TEST_SUITE_P(All, Ranks, testing::Values(Mpi::openmpi, Mpi::mpich),
                         [](const auto& each) { return std::string(name(each.param)); });

}  // namespace
}  // namespace weir::workload
