#include "campaign/samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "campaign/store_test_help.hpp"
#include "campaign/until.hpp"

namespace weir::campaign {
namespace {

using test::facts_of;
using test::opened;
using test::run_at;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StoreSamples : public ::testing::Test {
 protected:
  StoreSamples() {
    Store store = opened(file_);
    EXPECT_TRUE(store.add_campaign(facts_of("c", {"mode", "threads", "size"}),
                                   {{"read", "1", "4096"}, {"read", "2", "4096"}, {"write", "1", "4096"}}));
    for (std::int64_t c = 0; c < 3; ++c)
      for (std::uint32_t i = 0; i < 3; ++i) {
        RunRow run = run_at(c, i, 10.0 * static_cast<double>(c) + i);
        run.read.p99_s = c == 0 ? std::optional(0.5 + i) : std::nullopt;
        if (c == 0 && i == 1) run.state = RunState::disturbed;
        if (c == 0 && i == 1) run.reason = "steal";
        if (c == 1 && i == 2) run.state = RunState::failed;
        EXPECT_TRUE(store.add_run(1, run));
      }
  }

  ScratchDir dir_;
  std::filesystem::path file_ = dir_.path() / "s.db";
};

TEST_F(StoreSamples, GroupByWhatVaries) {
  const auto samples = read_samples(file_, {});
  ASSERT_TRUE(samples) << samples.error().text();
  EXPECT_EQ(samples->column, "throughput_bytes_per_s");
  ASSERT_EQ(samples->groups.size(), 3u);
  EXPECT_EQ(label(samples->groups[0]), "mode=read threads=1");
  EXPECT_THAT(samples->groups[0].values, ElementsAre(0, 2));
  EXPECT_THAT(samples->groups[1].values, ElementsAre(10, 11));
  EXPECT_THAT(samples->groups[2].values, ElementsAre(20, 21, 22));
  EXPECT_EQ(samples->groups[0].skipped, 1u);
  EXPECT_EQ(samples->report.rows, 9u);
  EXPECT_EQ(samples->report.values, 7u);
  EXPECT_EQ(samples->report.skipped, 2u);
  EXPECT_THAT(samples->report.first[0].message(), HasSubstr("a run that is disturbed: steal"));
}

TEST_F(StoreSamples, TakeDisturbedRunsOnRequest) {
  EXPECT_THAT(read_samples(file_, {}, true)->groups[0].values, ElementsAre(0, 1, 2));
}

TEST_F(StoreSamples, GroupAndColumnMayBeChosen) {
  const auto by_mode = read_samples(file_, {.group = {"mode"}});
  ASSERT_TRUE(by_mode);
  ASSERT_EQ(by_mode->groups.size(), 2u);
  EXPECT_EQ(by_mode->groups[0].values.size(), 4u);
  const auto latency = read_samples(file_, {.column = "read_p99_s"});
  ASSERT_TRUE(latency) << latency.error().text();
  ASSERT_EQ(latency->groups.size(), 1u);
  EXPECT_THAT(latency->groups[0].values, ElementsAre(0.5, 2.5));
  EXPECT_EQ(latency->report.count(stats::ProblemKind::missing), 5u);
  EXPECT_THAT(latency->report.empty_groups, ElementsAre("mode=read threads=2", "mode=write threads=1"));
  EXPECT_EQ(read_samples(file_, {.group = {"machine"}})->groups.size(), 1u);
}

TEST_F(StoreSamples, MistakesAreNamed) {
  EXPECT_THAT(read_samples(file_, {.column = "troughput"}).error().text(),
              HasSubstr("did you mean 'throughput'"));
  EXPECT_THAT(read_samples(file_, {.group = {"thraeds"}}).error().text(),
              HasSubstr("did you mean 'threads'"));
  EXPECT_THAT(read_samples(file_, {.wide = "run"}).error().text(), HasSubstr("wide columns are for files"));
  EXPECT_THAT(read_samples(file_, {.column = "write_max_s"}).error().text(),
              HasSubstr("not one usable value"));
  EXPECT_FALSE(read_samples(file_, {.column = "read_p99_s", .strict = true}));
  EXPECT_TRUE(read_samples(file_, {.strict = true})) << "marked runs are no mistakes";
}

TEST_F(StoreSamples, CampaignsAreKeptApart) {
  {
    Store store = opened(file_);
    ASSERT_TRUE(store.add_campaign(facts_of("c", {"mode"}), {{"read"}}));
    ASSERT_TRUE(store.add_run(2, run_at(0, 0, 99)));
  }
  const auto samples = read_samples(file_, {});
  ASSERT_TRUE(samples);
  ASSERT_EQ(samples->groups.size(), 4u);
  EXPECT_EQ(label(samples->groups[3]), "campaign=c#2 mode=read threads=");
}

TEST(Until, TheMedianIsNarrowEnoughOnlyWithEnoughRuns) {
  std::vector<double> values(29, 100.0);
  EXPECT_FALSE(narrow_enough(values, 0.05));
  values.push_back(100);
  EXPECT_TRUE(narrow_enough(values, 0.05));
  EXPECT_FALSE(narrow_enough({}, 0.05, 0));
  EXPECT_FALSE(narrow_enough(std::vector<double>{1, 2, 3}, 0.5, 0))
      << "no interval of 95 % from three values";

  // 40 values 1 .. 40: the interval is between the 14th and the 27th (binomial 40, 1/2), the median 20.5.
  values.clear();
  for (int i = 1; i <= 40; ++i) values.push_back(i);
  EXPECT_DOUBLE_EQ(median_half_width(values), 0.5 * (27 - 14) / 20.5);
  EXPECT_FALSE(narrow_enough(values, 0.31));
  EXPECT_TRUE(narrow_enough(values, 0.32));
}

}  // namespace
}  // namespace weir::campaign
