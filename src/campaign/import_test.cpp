#include "campaign/import.hpp"

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/scratch_dir.hpp"
#include "campaign/store_test_help.hpp"

namespace weir::campaign {
namespace {

using test::opened;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

// The shape of IOR 3.3's output: results of a repetition are a list within the list.
constexpr std::string_view kIor = R"json({
  "Version": "3.3.0",
  "Began": "Thu Mar 30 16:09:19 2023",
  "Command line": "ior -a POSIX -w -r -i 2 -t 1m -b 16m -O summaryFormat=JSON",
  "Machine": "Linux node038",
  "tests": [ {
    "TestID": 0,
    "StartTime": "Thu Mar 30 16:09:19 2023",
    "Capacity": "2.5 TiB", "Used Capacity": "83.2%",
    "Parameters": { "testID": 0, "api": "POSIX", "platform": "node038(Linux)", "testFileName": "/scratch/data",
      "nodes": 1, "repetitions": 2, "filePerProc": 0, "segmentCount": 1, "transferSize": 1048576, "blockSize": 16777216 },
    "Options": { "api": "POSIX", "access": "single-shared-file", "tasks": 4, "xfersize": "1 MiB" },
    "Results": [ [
      { "access": "write", "bwMiB": 512.0, "blockKiB": 16384.0, "xferKiB": 1024.0, "openTime": 0.001,
        "wrRdTime": 0.12, "closeTime": 0.002, "totalTime": 0.125 },
      { "access": "read", "bwMiB": 1024.0, "blockKiB": 16384.0, "xferKiB": 1024.0, "openTime": 0.001,
        "wrRdTime": 0.06, "closeTime": 0.001, "totalTime": 0.0625 } ],
      [ { "access": "write", "bwMiB": 256.0, "totalTime": 0.25 }, { "access": "read", "bwMiB": 2048.0, "totalTime": 0.03125 } ]
    ] } ],
  "summary": [ { "operation": "write", "bwMaxMIB": 512.0 } ],
  "Finished": "Thu Mar 30 16:09:20 2023"
})json";

TEST(Import, IorResultsBecomeRuns) {
  const ScratchDir dir;
  std::ofstream(dir.path() / "ior.json") << kIor;
  Store store = opened(dir.path() / "s.db");
  const auto imported = import_results(store, "night", {dir.path() / "ior.json"}, "unknown");
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->runs, 4u);
  EXPECT_EQ(imported->configurations, 2u);
  const auto facts = store.campaign(imported->campaign);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->kind, "ior");
  EXPECT_EQ(facts->factors.front(), "operation");
  EXPECT_THAT(facts->factors, Contains("transferSize"));
  EXPECT_THAT(facts->factors, Contains("tasks"));
  EXPECT_THAT(facts->factors, ::testing::Not(Contains("testFileName")));
  const auto values = store.throughputs(imported->campaign);
  EXPECT_THAT(values->at(0), ::testing::ElementsAre(512 * 0x1p20, 256 * 0x1p20));
  EXPECT_THAT(values->at(1), ::testing::ElementsAre(1024 * 0x1p20, 2048 * 0x1p20));
  ASSERT_TRUE(store.for_each_run(1, true, [](const RunRow& run, const Levels&) {
    EXPECT_EQ(run.machine, "node038");
    EXPECT_EQ(run.bytes, 64 * 0x1p20) << "4 tasks of 16 MiB";
    EXPECT_EQ(run.read.p50_s, std::nullopt);
    EXPECT_GT(run.started_ns, 0);
  }));
}

TEST(Import, NewerIorHasAFlatList) {
  std::string text(kIor);
  for (const auto& [from, to] : {std::pair<std::string, std::string>("[ [", "["),
                                 {"} ],\n      [ {", "},\n {"},
                                 {"} ]\n    ] }", "} ] }"}}) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  const auto results = parse_foreign(text, "here");
  ASSERT_TRUE(results) << results.error().text();
  EXPECT_EQ(results->runs.size(), 4u);
}

TEST(Import, FioOutputOfThisMachine) {
  const ScratchDir dir;
  const std::string command = fmt::format(
      "cd '{}' && fio --output-format=json --output=out.json --ioengine=psync --size=256k "
      "--name=w --filename=f --rw=write --bs=4k --name=m --stonewall --filename=f --rw=randrw --bs=16k "
      "> log.txt 2>&1",
      dir.path().string());
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "fio is not installed, or cannot run here";
  Store store = opened(dir.path() / "s.db");
  const auto imported =
      import_results(store, "fio night", {dir.path() / "out.json", dir.path() / "out.json"}, "here");
  ASSERT_TRUE(imported) << imported.error().text();
  EXPECT_EQ(imported->configurations, 2u);
  EXPECT_EQ(imported->runs, 4u) << "the same options again are repeats";
  EXPECT_EQ(store.campaign(1)->kind, "fio");
  EXPECT_THAT(store.campaign(1)->factors, Contains("bs"));
  int mixed = 0;
  ASSERT_TRUE(store.for_each_run(1, true, [&](const RunRow& run, const Levels& levels) {
    EXPECT_EQ(run.state, RunState::ok) << run.reason;
    EXPECT_EQ(run.bytes, 262144);
    EXPECT_GT(run.throughput.value_or(0), 0);
    EXPECT_GT(run.started_ns, 1'600'000'000'000'000'000);
    EXPECT_GT(run.write.p50_s.value_or(0), 0);
    EXPECT_LE(run.write.p50_s.value_or(1), run.write.p99_s.value_or(0));
    EXPECT_LE(run.write.p999_s.value_or(1), run.write.max_s.value_or(0) * 1.05);
    EXPECT_LT(run.write.max_s.value_or(1e9), 60);
    if (std::find(levels.begin(), levels.end(), "16384") == levels.end()) {
      EXPECT_EQ(run.write.count, 64u);
      EXPECT_EQ(run.read.count, 0u);
      EXPECT_EQ(run.read.max_s, std::nullopt);
    } else {
      ++mixed;
      EXPECT_EQ(run.read.count + run.write.count, 16u);
    }
  }));
  EXPECT_EQ(mixed, 2);
}

constexpr std::string_view kFio = R"(note: both iodepth >= 1 and synchronous I/O engine are selected
{ "fio version" : "fio-3.33", "timestamp_ms" : 1700000001000,
  "global options" : { "bs" : "4k", "ioengine" : "psync" },
  "jobs" : [ { "jobname" : "a", "error" : 0, "job options" : { "bs" : "64k", "filename" : "x" },
    "read" : { "io_bytes" : 1048576, "bw_bytes" : 2097152, "runtime" : 500, "total_ios" : 16,
               "clat_ns" : { "max" : 9000, "percentile" : { "50.000000" : 1000, "99.000000" : 2000 } } },
    "write" : { "io_bytes" : 0, "bw_bytes" : 0, "runtime" : 0, "total_ios" : 0 } } ] })";

TEST(Import, FioOptionsAndNumbersAreReadAsTheyStand) {
  const auto results = parse_foreign(kFio, "here");
  ASSERT_TRUE(results) << results.error().text();
  ASSERT_EQ(results->runs.size(), 1u);
  const ForeignRun& run = results->runs[0];
  EXPECT_THAT(run.options, Contains(Pair("bs", "65536"))) << "a job's own options win";
  EXPECT_THAT(run.options, Contains(Pair("ioengine", "psync")));
  EXPECT_EQ(run.options.size(), 2u);
  EXPECT_EQ(run.row.throughput, 2097152);
  EXPECT_DOUBLE_EQ(*run.row.duration_s, 0.5);
  EXPECT_DOUBLE_EQ(*run.row.read.p50_s, 1e-6);
  EXPECT_EQ(run.row.read.p999_s, std::nullopt);
  EXPECT_EQ(run.row.started_ns, 1'700'000'000'500'000'000);
}

TEST(Import, DamagedFilesAreNamed) {
  const auto failure = [](std::string_view text) {
    const auto results = parse_foreign(text, "here");
    return results ? "" : results.error().text();
  };
  EXPECT_THAT(failure(""), HasSubstr("not JSON"));
  EXPECT_THAT(failure(kFio.substr(0, kFio.size() - 20)), HasSubstr("not JSON"));
  EXPECT_THAT(failure("{\"a\": 1}"), HasSubstr("neither fio's nor IOR's"));
  EXPECT_THAT(failure("[1, 2]"), HasSubstr("neither fio's nor IOR's"));
  EXPECT_THAT(failure(R"({"fio version": "fio-3.33", "jobs": []})"), HasSubstr("no jobs"));
  EXPECT_THAT(failure(R"({"fio version": "fio-3.33", "jobs": [3]})"), HasSubstr("job 1: is no table"));
  EXPECT_THAT(failure(R"({"fio version": "fio-3.33", "jobs": [{"read": {"io_bytes": "x"}}]})"),
              HasSubstr("job 1: 'read' lacks bandwidth"));
  EXPECT_THAT(failure(R"({"tests": []})"), HasSubstr("no tests"));
  EXPECT_THAT(failure(R"({"tests": [{"Results": []}]})"), HasSubstr("test 1: has no results"));
  EXPECT_THAT(failure(R"({"tests": [{"Results": [{"access": "read"}]}]})"), HasSubstr("result 1: lacks"));
  EXPECT_THAT(failure(R"({"tests": [{"Results": [{"access": "read", "bwMiB": nan}]}]})"),
              HasSubstr("not JSON"));

  const ScratchDir dir;
  std::ofstream(dir.path() / "fio.json") << kFio;
  std::ofstream(dir.path() / "ior.json") << kIor;
  Store store = opened(dir.path() / "s.db");
  EXPECT_THAT(
      import_results(store, "x", {dir.path() / "fio.json", dir.path() / "ior.json"}, "m").error().text(),
      HasSubstr("one kind at a time"));
  EXPECT_FALSE(import_results(store, "x", {}, "m"));
  EXPECT_TRUE(store.campaigns()->empty());
}

}  // namespace
}  // namespace weir::campaign
