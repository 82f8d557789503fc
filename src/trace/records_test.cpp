#include "trace/records.hpp"

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "trace/made_run_test.hpp"
#include "trace/record_text.hpp"
#include "trace/summary.hpp"

namespace weir::trace {
namespace {

using namespace made;

std::vector<std::string> calls(const TraceFile& trace, const Selection& selection = {}) {
  EXPECT_TRUE(check(selection, trace));
  Records records(trace, selection);
  Records::Item item;
  std::vector<std::string> texts;
  while (records.next(item)) {
    fmt::memory_buffer text;
    fmt::format_to(fmt::appender(text), "{} ", item.process);
    append_call(text, *item.record);
    text.push_back(' ');
    append_result(text, *item.record);
    texts.push_back(to_string(text));
  }
  EXPECT_FALSE(records.error()) << records.error()->text();
  return texts;
}

using Texts = std::vector<std::string>;

// Two processes whose calls interleave, with a call inside another.
void make_two(const std::filesystem::path& run, bool timed = true) {
  {
    Lane lane(run, {.process = 10, .parent = 1, .number = 0, .start = 1000, .timed = timed, .lost = 0});
    lane.program("/bin/a", "/scratch", std::string("a\0", 2));
    lane.thread(10);
    lane.call("mkdir", 0, {path("d"), literal(0755)}, literal(0), 0, 10);
    lane.call("mkdir", 1, {path("/x/e"), literal(0755)}, failed(17), 110, 10);
    lane.call("mkdir", 2, {path("f"), literal(0755)}, literal(0), 131, 2);
    lane.call("mkdir", 1, {path("g"), literal(0755)}, literal(0), 130, 10);
    lane.call("rename", 0, {path("g"), path("/y/h")}, literal(0), 100, 50);
  }
  {
    Lane lane(run, {.process = 11, .parent = 10, .number = 0, .start = 1050, .timed = timed, .lost = 0});
    lane.program("/bin/b", "/other", std::string("b\0", 2));
    lane.thread(11);
    lane.call("unlink", 0, {path("d")}, literal(0), 0, 5);
    lane.call("unlink", 0, {path("z.h5")}, failed(2), 150, 5);
  }
}

TEST(Records, OuterCallsComeFirstAndProcessesInterleave) {
  const ScratchDir scratch;
  make_two(scratch.path());
  ASSERT_TRUE(merge(scratch.path()));
  const auto trace = TraceFile::open(scratch.path());
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(calls(*trace),
            (Texts{R"(0 mkdir("d", 0755) 0)", R"(1 unlink("d") 0)", R"(0 rename("g", "/y/h") 0)",
                   R"(0 mkdir("/x/e", 0755) -1 EEXIST)", R"(0 mkdir("g", 0755) 0)", R"(0 mkdir("f", 0755) 0)",
                   R"(1 unlink("z.h5") -1 ENOENT)"}));
}

TEST(Records, WithoutTimesProcessByProcess) {
  const ScratchDir scratch;
  make_two(scratch.path(), false);
  ASSERT_TRUE(merge(scratch.path()));
  const auto trace = TraceFile::open(scratch.path());
  ASSERT_TRUE(trace) << trace.error().text();
  const Texts all = calls(*trace);
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[1], R"(0 rename("g", "/y/h") 0)");
  EXPECT_EQ(all[5], R"(1 unlink("d") 0)");
  Selection range;
  range.from_ns = 0;
  EXPECT_FALSE(check(range, *trace));
}

TEST(Records, Filters) {
  const ScratchDir scratch;
  make_two(scratch.path());
  ASSERT_TRUE(merge(scratch.path()));
  const auto trace = TraceFile::open(scratch.path());
  ASSERT_TRUE(trace) << trace.error().text();
  const auto count = [&](auto&& set) {
    Selection selection;
    set(selection);
    return calls(*trace, selection).size();
  };
  EXPECT_EQ(count([](Selection& s) { s.process = 1; }), 2U);
  EXPECT_EQ(count([](Selection& s) { s.number = 10; }), 5U);
  EXPECT_EQ(count([](Selection& s) { s.thread = 11; }), 2U);
  EXPECT_EQ(count([](Selection& s) { s.functions = {"mk*", "unlink"}; }), 6U);
  EXPECT_EQ(count([](Selection& s) { s.failed = true; }), 2U);
  EXPECT_EQ(count([](Selection& s) { s.files = {"/scratch/*"}; }), 4U)
      << "relative names count from where they are";
  EXPECT_EQ(count([](Selection& s) { s.files = {"/y/h"}; }), 1U) << "the second name of rename counts too";
  EXPECT_EQ(count([](Selection& s) { s.files = {"*.h5"}; }), 1U);
  EXPECT_EQ(count([](Selection& s) { s.files = {"d"}; }), 2U) << "a pattern without a slash is the last part";
  EXPECT_EQ(count([](Selection& s) { s.from_ns = 140; }), 3U);
  EXPECT_EQ(count([](Selection& s) { s.to_ns = 100; }), 2U);
  Selection wrong;
  wrong.process = 2;
  EXPECT_FALSE(check(wrong, *trace));
}

TEST(Records, ManyCallsInsideOneAreStillGiven) {
  const ScratchDir scratch;
  const unsigned inside = 3 * OuterFirst::kMostKept;
  {
    Lane lane(scratch.path(), {});
    lane.thread(10);
    for (unsigned i = 0; i < inside; ++i) lane.call("fsync", 1, {literal(7)}, failed(9), 10 + 2 * i, 1);
    lane.call("mkdir", 0, {path("d"), literal(0755)}, literal(0), 0, 10 * inside);
  }
  ASSERT_TRUE(merge(scratch.path()));
  const auto trace = TraceFile::open(scratch.path());
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(calls(*trace).size(), inside + 1);
}

// The record of a dup2 onto an open descriptor shows both names as they were when it was made.
TEST(Records, NamesSurviveTheHandleThatReplacesThem) {
  const ScratchDir scratch;
  {
    Lane lane(scratch.path(), {});
    lane.thread(10);
    lane.inherited(0, 3, "/a");
    lane.inherited(1, 4, "/b");
    lane.call("dup2", 0, {handle(0), handle(1)}, opened(1, 4), 10, 1);
    lane.call("dup", 0, {handle(1)}, opened(500, 9), 20, 1);
  }
  if (!merge(scratch.path())) GTEST_SKIP() << "dup2 takes a plain number";
  const auto trace = TraceFile::open(scratch.path());
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(calls(*trace), (Texts{"0 dup2(3</a>, 4</b>) 4</a>", "0 dup(4</a>) 9</a>"}));
}

// A lane begins when its first call has ended; the process was there before, and time counts from then.
TEST(Records, TimeBeginsBeforeTheFirstCall) {
  const ScratchDir scratch;
  {
    Lane::About about;
    about.late = 500;
    Lane lane(scratch.path(), about);
    lane.thread(10);
    lane.call("mkdir", 0, {path("d"), literal(0755)}, literal(0), 100, 400);
  }
  ASSERT_TRUE(merge(scratch.path()));
  const auto trace = TraceFile::open(scratch.path());
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->processes()[0].start_ns, 0);
  Records records(*trace, {});
  Records::Item item;
  ASSERT_TRUE(records.next(item));
  EXPECT_EQ(item.record->start_ns, 100);
}

TEST(Summary, SameForAnyNumberOfThreads) {
  const ScratchDir scratch;
  make_two(scratch.path());
  ASSERT_TRUE(merge(scratch.path()));
  const auto trace = TraceFile::open(scratch.path());
  ASSERT_TRUE(trace) << trace.error().text();
  for (const unsigned threads : {1U, 4U}) {
    SummaryOptions options;
    options.threads = threads;
    const auto summary = summarize(*trace, options);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->total.calls, 7U);
    EXPECT_EQ(summary->total.failed, 2U);
    EXPECT_EQ(summary->total.time_ns, 70U) << "calls inside others do not count again";
    ASSERT_EQ(summary->functions.size(), 3U);
    EXPECT_EQ(summary->functions[0].name, "rename");
    EXPECT_EQ(summary->functions[1].name, "mkdir");
    EXPECT_EQ(summary->functions[1].tally.time_ns, 32U);
    EXPECT_EQ(summary->functions[1].errors.at(17), 1U);
    ASSERT_EQ(summary->files.size(), 6U);
    EXPECT_EQ(summary->files[0].name, "/other/d");
    EXPECT_EQ(summary->processes[0].tally.calls, 5U);
  }
}

}  // namespace
}  // namespace weir::trace
