#include "campaign/export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "campaign/store_test_help.hpp"
#include "stats/sample_file.hpp"

namespace weir::campaign {
namespace {

using test::facts_of;
using test::opened;
using test::run_at;

TEST(Export, WritesOneRowPerRun) {
  const ScratchDir dir;
  Store store = opened(dir.path() / "s.db");
  ASSERT_TRUE(store.add_campaign(facts_of("a, \"quoted\" name", {"mode", "state"}), {{"read", "x"}}));
  ASSERT_TRUE(store.add_campaign(facts_of("b", {"threads"}), {{"4"}}));
  RunRow run = run_at(0, 0, 1.25e8);
  run.started_ns = 1'700'000'000'000'000'001;
  run.duration_s = 0.1;
  run.bytes = 1048576;
  run.write = {5, 1e-6, 2e-6, 3e-6, 4e-6};
  run.state = RunState::disturbed;
  run.reason = "two\nlines";
  ASSERT_TRUE(store.add_run(1, run));
  ASSERT_TRUE(store.add_run(2, run_at(0, 0, 3)));
  std::string text;
  const auto runs = export_csv(store, {}, [&](std::string_view piece) {
    text += piece;
    return Result<void>();
  });
  ASSERT_TRUE(runs) << runs.error().text();
  EXPECT_EQ(*runs, 2u);
  EXPECT_EQ(
      text,
      "campaign,machine,mode,factor_state,threads,repeat,started,duration_s,throughput_bytes_per_s,"
      "throughput_together_bytes_per_s,bytes,read_p50_s,read_p99_s,read_p999_s,read_max_s,"
      "write_p50_s,write_p99_s,write_p999_s,write_max_s,state,reason\n"
      "\"a, \"\"quoted\"\" name\",here,read,x,,0,2023-11-14T22:13:20.000000001Z,0.1,125000000,,1048576,,,,,"
      "1e-06,2e-06,3e-06,4e-06,disturbed,\"two\nlines\"\n"
      "b,here,,,4,0,2023-11-14T22:13:20.000000000Z,,3,,,,,,,,,,,ok,\n");
  text.clear();
  ASSERT_EQ(*export_csv(store, {2},
                        [&](std::string_view piece) {
                          text += piece;
                          return Result<void>();
                        }),
            1u);
  const auto samples = stats::parse_samples(text, "runs.csv", {.column = "throughput_bytes_per_s"});
  ASSERT_TRUE(samples) << samples.error().text();
  EXPECT_EQ(samples->groups.at(0).values, std::vector<double>{3});
}

TEST(Export, EndsWhenTheReaderDoes) {
  const ScratchDir dir;
  Store store = opened(dir.path() / "s.db");
  ASSERT_TRUE(store.add_campaign(facts_of("c", {"threads"}), {{"4"}}));
  std::vector<RunRow> runs;
  for (std::uint32_t i = 0; i < 5000; ++i) runs.push_back(run_at(0, i, i));
  ASSERT_TRUE(store.add_runs(1, runs));
  int pieces = 0;
  const auto ended = export_csv(store, {}, [&](std::string_view) -> Result<void> {
    ++pieces;
    return Error{Errc::io, "broken pipe"};
  });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().text(), "broken pipe");
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace weir::campaign
