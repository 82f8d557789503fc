#include "stats/sample_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

namespace weir::stats {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Samples parsed(std::string_view text, const SampleQuery& query = {}) {
  auto samples = parse_samples(text, "runs.csv", query);
  EXPECT_TRUE(samples) << samples.error().text();
  return samples ? *std::move(samples) : Samples{};
}

std::string failure(std::string_view text, const SampleQuery& query = {}) {
  const auto samples = parse_samples(text, "runs.csv", query);
  EXPECT_FALSE(samples);
  return samples ? "" : samples.error().text();
}

std::string packed(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(SampleFile, ReadsOneNumberPerLine) {
  const Samples samples = parsed("1.5\n-2e3\r\n\n# remark\n+7\n");
  ASSERT_EQ(samples.groups.size(), 1u);
  EXPECT_THAT(samples.groups[0].values, ElementsAre(1.5, -2000, 7));
  EXPECT_EQ(label(samples.groups[0]), "all");
  EXPECT_TRUE(samples.report.clean());
}

TEST(SampleFile, KeysAloneNeedNoColumnOfNumbers) {
  for (const std::string text :
       {"mode,host\nread,a\nwrite,b\nread,a\n",
        "{\"mode\":\"read\",\"host\":\"a\"}\n{\"mode\":\"write\",\"host\":\"b\"}\n"}) {
    const Samples keys = parsed(text, {.group = {"mode", "host"}, .keys_only = true});
    ASSERT_EQ(keys.groups.size(), 2U);
    EXPECT_EQ(label(keys.groups[1]), "mode=write host=b");
    EXPECT_EQ(keys.report.skipped, 0U);
  }
}

TEST(SampleFile, NumbersAreReadToTheLastBit) {
  // Each literal is rounded by the compiler; 15 digits take the short way, 17 the long one.
  const Samples samples =
      parsed("0.1\n123456789012.345\n.3\n7.\n0.30000000000000004\n1e-300\n999999999999999\n-2.2\n");
  EXPECT_THAT(samples.groups[0].values, ElementsAre(0.1, 123456789012.345, .3, 7., 0.30000000000000004,
                                                    1e-300, 999999999999999.0, -2.2));
}

TEST(SampleFile, FindsTheDelimiter) {
  for (const char* text :
       {"run,time\n1,2.5\n2,3.5\n", "run;time\n1;2.5\n2;3.5\n", "run\ttime\n1\t2.5\n2\t3.5\n",
        "run  time\n  1 2.5\n2     3.5\n", "run|time\n1|2.5\n2|3.5\n", "\xef\xbb\xbfrun,time\n1,2.5\n2,3.5"})
    EXPECT_THAT(parsed(text, {.column = "time"}).groups.at(0).values, ElementsAre(2.5, 3.5)) << text;
}

TEST(SampleFile, ColumnsGoByNameOrNumber) {
  EXPECT_THAT(parsed("a,b\n1,2\n", {.column = "2"}).groups[0].values, ElementsAre(2));
  EXPECT_THAT(parsed("1,2\n3,4\n", {.column = "2"}).groups[0].values, ElementsAre(2, 4));
  EXPECT_THAT(parsed("fread,2\nfread,4\n", {.column = "2"}).groups[0].values, ElementsAre(2, 4));
  EXPECT_THAT(parsed("host,2019\nm1,4\n", {.column = "2019", .group = {"host"}}).groups[0].values,
              ElementsAre(4));
}

TEST(SampleFile, QuotedFieldsMayHoldDelimitersQuotesAndNewlines) {
  const Samples samples = parsed("\"time, s\",\"who\"\n\"1.5\",\"a \"\"b\"\",\nc\"\n2.5 , x\n",
                                 {.column = "time, s", .group = {"who"}});
  ASSERT_EQ(samples.groups.size(), 2u);
  EXPECT_EQ(samples.groups[0].key[0].value, "a \"b\",\nc");
  EXPECT_THAT(samples.groups[1].values, ElementsAre(2.5));
}

TEST(SampleFile, GroupsKeepOrderOfAppearanceAndOfRuns) {
  const Samples samples = parsed("mode,threads,t\nw,2,1\nr,1,2\nw,2,3\nw,1,4\nr,1,5\n",
                                 {.column = "t", .group = {"threads", "mode"}});
  ASSERT_EQ(samples.groups.size(), 3u);
  EXPECT_EQ(label(samples.groups[0]), "threads=2 mode=w");
  EXPECT_THAT(samples.groups[0].values, ElementsAre(1, 3));
  EXPECT_EQ(label(samples.groups[1]), "threads=1 mode=r");
  EXPECT_THAT(samples.groups[1].values, ElementsAre(2, 5));
}

TEST(SampleFile, WideRowsAreGroupsWithTheOtherColumnsAsKey) {
  const Samples samples =
      parsed("threads,t_001_s,t_002_s,t_003_s,size\n4,1,2,3,64\n8,4,5,,64\n", {.wide = "t_"});
  ASSERT_EQ(samples.groups.size(), 2u);
  EXPECT_EQ(label(samples.groups[1]), "threads=8 size=64");
  EXPECT_THAT(samples.groups[0].values, ElementsAre(1, 2, 3));
  EXPECT_THAT(samples.groups[1].values, ElementsAre(4, 5));
  EXPECT_TRUE(samples.report.clean());
}

TEST(SampleFile, ReadsJsonLines) {
  const Samples samples = parsed(R"({"host":"a","r":{"t":1.5}}
{"host":"b","r":{"t":2}}
{"host":"a","r":{"t":[3,4]}}
)",
                                 {.column = "r.t", .group = {"host"}});
  ASSERT_EQ(samples.groups.size(), 2u);
  EXPECT_THAT(samples.groups[0].values, ElementsAre(1.5, 3, 4));
  EXPECT_THAT(failure("{\"time_s\":1}\n", {.column = "time"}), HasSubstr("nearest is 'time_s'"));
  const Samples wide = parsed(R"({"host":"a","t2":5,"t1":6})", {.wide = "t"});
  EXPECT_THAT(wide.groups[0].values, ElementsAre(5, 6));
  EXPECT_EQ(label(wide.groups[0]), "host=a");
}

TEST(SampleFile, BadCellsAreSkippedCountedAndNamed) {
  const Samples samples =
      parsed("run,t\n1,5\n2,nan\n3,inf\n4,fast\n5,\n6\n7,1e999\n8,6\n9,1,2\n", {.column = "t"});
  EXPECT_THAT(samples.groups[0].values, ElementsAre(5, 6));
  EXPECT_EQ(samples.groups[0].skipped, 5u);
  EXPECT_EQ(samples.report.rows, 9u);
  EXPECT_EQ(samples.report.skipped, 7u);
  EXPECT_EQ(samples.report.count(ProblemKind::nan), 1u);
  EXPECT_EQ(samples.report.count(ProblemKind::infinite), 2u);
  EXPECT_EQ(samples.report.count(ProblemKind::text), 1u);
  EXPECT_EQ(samples.report.count(ProblemKind::missing), 1u);
  EXPECT_EQ(samples.report.count(ProblemKind::fields), 2u);
  EXPECT_EQ(samples.report.first[2].message(), "line 5, column 't': 'fast' is not a number");
}

TEST(SampleFile, StrictModeStopsAtTheFirstProblem) {
  SampleQuery query{.column = "t"};
  query.strict = true;
  EXPECT_EQ(failure("run,t\n1,5\n2,slow\n", query), "runs.csv: line 3, column 't': 'slow' is not a number");
  EXPECT_EQ(failure("run,t\n1,5\n2\n", query), "runs.csv: line 3: 1 fields where 2 are due");
  query.group = {"run"};
  EXPECT_EQ(failure("run,t\n1,5\n2,\n", query), "runs.csv: line 3, column 't': no value");
}

TEST(SampleFile, GroupsLeftEmptyAreNamed) {
  const Samples samples = parsed("g,t\na,1\nb,x\n", {.column = "t", .group = {"g"}});
  EXPECT_EQ(samples.groups.size(), 1u);
  EXPECT_THAT(samples.report.empty_groups, ElementsAre("g=b"));
}

TEST(SampleFile, AMissingColumnNamesTheNearest) {
  EXPECT_EQ(failure("run,throughput_kb_s\n1,2\n", {.column = "througput"}),
            "runs.csv: no column 'througput'; nearest is 'throughput_kb_s' (columns: run, throughput_kb_s)");
  EXPECT_THAT(failure("run,t\n1,2\n", {.column = "t", .group = {"rnu"}}), HasSubstr("nearest is 'run'"));
  EXPECT_THAT(failure("1,2\n", {.column = "t"}), HasSubstr("no header line"));
  EXPECT_THAT(failure("a,b\n1,2\n", {.column = "3"}), HasSubstr("no column 3; there are 2"));
  EXPECT_THAT(failure("a,b\n1,2\n"), HasSubstr("say which one with --column: a, b"));
  EXPECT_THAT(failure("a,a\n1,2\n", {.column = "a"}), HasSubstr("more than one column"));
}

TEST(SampleFile, UnusableFilesSayWhy) {
  using namespace std::string_literals;
  EXPECT_EQ(failure(""), "runs.csv: is empty");
  EXPECT_EQ(failure("t\n"), "runs.csv: holds no data rows");
  EXPECT_THAT(failure("t\nx\ny\n"),
              HasSubstr("not one usable value in 2 rows; first: line 2, column 't': 'x'"));
  EXPECT_THAT(failure("1\n2\n\0x"s), HasSubstr("zero byte"));
  EXPECT_THAT(failure("\x1f\x8b\x08garbage"), HasSubstr("gzip"));
  EXPECT_THAT(failure("SQLite format 3\0"s), HasSubstr("SQLite"));
  EXPECT_THAT(failure("t\n\"1\n2\n"), HasSubstr("line 2: a quote is opened and not closed"));
  const auto absent = read_samples("/nonexistent/runs.csv", {});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code(), Errc::not_found);
  EXPECT_THAT(read_samples("/tmp", {}).error().text(), HasSubstr("is a directory"));
}

TEST(SampleFile, UnpacksZstdAndNoticesTruncation) {
  std::string text = "t\n";
  for (int i = 0; i < 200000; ++i) text += std::to_string(i) + "\n";
  std::string file = packed(text);
  const Samples samples = parsed(file);
  ASSERT_EQ(samples.groups[0].values.size(), 200000u);
  EXPECT_EQ(samples.groups[0].values[199999], 199999);
  EXPECT_EQ(samples.groups[0].values.capacity(), 200000u);  // no growth left over
  EXPECT_THAT(failure(file.substr(0, file.size() - 9)), HasSubstr("truncated: the zstd frame has no end"));
  EXPECT_THAT(failure(file.substr(0, file.size() - 9)), HasSubstr("runs.csv: after line "));
  file.replace(12, 100, 100, '\xff');
  EXPECT_THAT(failure(file), HasSubstr("damaged zstd data"));
}

TEST(SampleFile, ReadsTheSharedData) {
  const std::string data = WEIR_SOURCE_DIR "/../shared/data/";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no shared data at " << data;
  const auto example =
      read_samples(data + "sample_size_example_runs.csv", {.column = "throughput_standardised"});
  ASSERT_TRUE(example);
  EXPECT_EQ(example->groups[0].values.size(), 900u);
  const auto wide = read_samples(data + "ssd_random_writers_runs.csv.zst", {.wide = "throughput_"});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->groups.size(), 3330u);
  EXPECT_EQ(label(wide->groups[0]), "freq_khz=1200000 threads=1 file_size_kb=4 record_size_kb=4");
  for (const Group& group : wide->groups) ASSERT_EQ(group.values.size(), 150u);
  const auto moana =
      read_samples(data + "moana_validation_runs.csv.zst",
                   {.column = "throughput_kb_s",
                    .group = {"mode", "io_scheduler", "vm_scheduler", "file_size_kb", "record_size_kb"}});
  ASSERT_TRUE(moana);
  EXPECT_EQ(moana->groups.size(), 1080u);  // README: 43200 rows, 40 runs each
  EXPECT_TRUE(moana->report.clean());
}

}  // namespace
}  // namespace weir::stats
