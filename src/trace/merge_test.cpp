#include "trace/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/scratch_dir.hpp"
#include "trace/format.hpp"
#include "trace/made_run_test.hpp"
#include "trace/raw_lane_test.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {
namespace {

using made::fsync_words;
using made::Lane;
using made::RawLane;
using testing::ElementsAre;
using testing::HasSubstr;

std::string told(const Value& value) {
  switch (value.kind) {
    case Value::Kind::absent:
      return "?";
    case Value::Kind::null:
      return "null";
    case Value::Kind::failed:
      return fmt::format("error {}", value.number);
    case Value::Kind::handle:
    case Value::Kind::opened:
      return fmt::format("#{}:{}:{}", value.handle, value.number, value.text);
    case Value::Kind::text:
    case Value::Kind::path:
      return std::string(value.text);
    case Value::Kind::unfinished:
      return "unfinished";
    default:
      return std::to_string(value.number);
  }
}

// Each record as "start+duration name(arguments) = result".
std::vector<std::string> told(const TraceFile& trace, std::size_t process = 0, std::size_t stream = 0) {
  std::vector<std::string> lines;
  RecordReader reader(trace, process, stream);
  Record record;
  while (reader.next(record)) {
    std::string arguments;
    for (const Value& value : record.arguments) arguments += (arguments.empty() ? "" : ", ") + told(value);
    lines.push_back(fmt::format("{}+{} {}({}) = {}", record.start_ns, record.duration_ns,
                                record.function->name, arguments, told(record.result)));
  }
  EXPECT_FALSE(reader.error()) << reader.error()->text();
  return lines;
}

// With a tick of exactly a nanosecond; unlike made::merge() also of lanes that are damaged.
Result<MergeReport> merge(const std::filesystem::path& run) {
  MergeOptions options;
  options.readings = {{Tick(0), Nanoseconds(0)}, {Tick(1'000'000'000), Nanoseconds(1'000'000'000)}};
  return merge_run(run, options);
}

TraceFile merged(const std::filesystem::path& run, MergeReport* report = nullptr) {
  const auto done = merge(run);
  EXPECT_TRUE(done.has_value()) << done.error().text();
  if (report != nullptr) *report = *done;
  auto trace = TraceFile::open(run);
  EXPECT_TRUE(trace.has_value()) << trace.error().text();
  return std::move(*trace);
}

TEST(Merge, RecordsComeBackAsTheyWere) {
  const ScratchDir run;
  {
    Lane lane(run.path(), {.process = 100});
    lane.program("/bin/app", "/scratch", std::string_view("app\0-x\0", 7));
    lane.thread(101);
    lane.inherited(0, 0, "/dev/null");
    lane.call("open", 0, {made::path("out.dat"), made::literal(577), made::literal(420)}, made::opened(1, 5),
              10, 100);
    lane.call("pwrite", 0, {made::handle(1), made::absent(), made::literal(4096), made::distance(0)},
              made::full(), 120, 5);
    lane.call("pwrite", 1, {made::handle(1), made::absent(), made::literal(4096), made::distance(0)},
              made::full(), 130, 5);
    lane.call("pwrite", 0, {made::handle(1), made::absent(), made::literal(100), made::column(77)},
              made::literal(50), 140, 5);
    lane.call("pwrite", 0, {made::handle(1), made::absent(), made::literal(1), made::distance(-1)},
              made::failed(28), 150, 0);
    lane.call("read", 0, {made::handle(0), made::null(), made::literal(1)}, made::literal(0), 160, 1);
  }
  MergeReport report;
  const TraceFile trace = merged(run.path(), &report);
  EXPECT_EQ(report.records, 6U);
  EXPECT_EQ(report.processes, 1U);
  EXPECT_EQ(report.damaged, 0U);
  EXPECT_EQ(report.bytes, std::filesystem::file_size(report.file));
  EXPECT_FALSE(std::filesystem::exists(run.path() / live::kFolder)) << "what was merged is removed";
  EXPECT_THAT(told(trace), ElementsAre("10+100 open(out.dat, 577, 420) = #1:5:/scratch/out.dat",
                                       "120+5 pwrite(#1:5:/scratch/out.dat, ?, 4096, 0) = 4096",
                                       "130+5 pwrite(#1:5:/scratch/out.dat, ?, 4096, 4096) = 4096",
                                       "140+5 pwrite(#1:5:/scratch/out.dat, ?, 100, 77) = 50",
                                       "150+0 pwrite(#1:5:/scratch/out.dat, ?, 1, 126) = error 28",
                                       "160+1 read(#0:0:/dev/null, null, 1) = 0"));
  const ProcessInfo& process = trace.processes()[0];
  EXPECT_EQ(process.program, "/bin/app");
  EXPECT_EQ(process.directory, "/scratch");
  EXPECT_EQ(process.host, "node1");
  EXPECT_THAT(process.arguments, ElementsAre("app", "-x"));
}

TEST(Merge, TheSameLanesGiveTheSameBytes) {
  std::string bytes[2];
  for (std::string& made : bytes) {
    const ScratchDir run;
    for (const std::uint64_t process : {300U, 100U, 200U}) {
      Lane lane(run.path(), {.process = process, .start = 1000 * process});
      for (std::uint64_t i = 0; i < 1000; ++i)
        lane.call("pwrite", 0, {made::handle(1), made::absent(), made::literal(8), made::distance(0)},
                  made::full(), i * 10, i % 7);
    }
    const auto report = merge(run.path());
    ASSERT_TRUE(report.has_value()) << report.error().text();
    made = *read_text(report->file);
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST(Merge, LongRecordsKeepGapsBeyond32Bits) {
  const ScratchDir run;
  RawLane lane;
  lane.define_clock(1000);
  lane.define_signature(fsync_words(1));
  lane.record(0, 10, 20);
  lane.long_record(0, std::uint64_t{5} << 32, std::uint64_t{3} << 33);
  lane.record(0, 1, 2);
  lane.write(run.path());
  const TraceFile trace = merged(run.path());
  const std::uint64_t second = 30 + (std::uint64_t{5} << 32);
  const std::uint64_t third = second + (std::uint64_t{3} << 33) + 1;
  EXPECT_THAT(told(trace), ElementsAre("10+20 fsync(#1:-1:) = 0",
                                       fmt::format("{}+{} fsync(#1:-1:) = 0", second, std::uint64_t{3} << 33),
                                       fmt::format("{}+2 fsync(#1:-1:) = 0", third)));
}

TEST(Merge, ALaneWithoutTimesGivesATraceWithoutTimes) {
  const ScratchDir run;
  RawLane lane(false);
  lane.define_signature(fsync_words(1));
  for (int i = 0; i < 3; ++i) lane.untimed_record(0);
  lane.write(run.path());
  const TraceFile trace = merged(run.path());
  EXPECT_EQ(trace.timing(), TimingMode::off);
  EXPECT_EQ(trace.timing_bytes(), 0U);
  EXPECT_THAT(told(trace),
              ElementsAre("0+0 fsync(#1:-1:) = 0", "0+0 fsync(#1:-1:) = 0", "0+0 fsync(#1:-1:) = 0"));
}

TEST(Merge, RestartNumbersEverythingAnew) {
  const ScratchDir run;
  RawLane lane;
  lane.define_clock(1000);
  lane.define(live::Definition::handle,
              made::raw_bytes(live::HandleDefinition{1, 4, 1, 0, 500, 0, 0}) + "/a");
  lane.define_signature(fsync_words(1));
  lane.record(0, 1, 1);
  lane.seal();
  lane.define(live::Definition::restart);
  lane.define_signature(fsync_words(2));
  lane.define(live::Definition::handle, made::raw_bytes(live::HandleDefinition{2, 6, 1, 0, 0, 0, 0}) + "/b");
  lane.define_signature(fsync_words(1));
  lane.record(0, 1, 1);
  lane.record(1, 1, 1);
  lane.write(run.path());
  const TraceFile trace = merged(run.path());
  EXPECT_THAT(told(trace),
              ElementsAre("1+1 fsync(#1:4:/a) = 0", "3+1 fsync(#2:6:/b) = 0", "5+1 fsync(#1:-1:) = 0"));
  EXPECT_EQ(trace.tables().signatures.size(), 2U) << "what was there before the restart is kept once";
}

TEST(Merge, ResetPutsPositionsAndNumbersOfNamesBackToZero) {
  const ScratchDir run;
  RawLane lane;
  lane.define_clock(1000);
  lane.define(live::Definition::handle,
              made::raw_bytes(live::HandleDefinition{1, 4, 1, 0, 500, 0, 0}) + "/a");
  lane.define(live::Definition::name_template,
              "f\1"
              "3");
  lane.define_signature(made::signature_words(Call::pwrite, {{Encoding::handle, {1}},
                                                             {},
                                                             {Encoding::literal, {10}},
                                                             {Encoding::distance, {0}},
                                                             {Encoding::full, {}}}));
  lane.define_signature(
      made::signature_words(Call::unlink, {{Encoding::path, {0, 1}}, {Encoding::literal, {0}}}));
  for (int i = 0; i < 2; ++i) {
    lane.record(0, 0, 0);
    lane.record(1, 0, 0);
  }
  lane.define(live::Definition::reset);
  lane.record(0, 0, 0);
  lane.record(1, 0, 0);
  lane.write(run.path());
  const TraceFile trace = merged(run.path());
  EXPECT_THAT(told(trace), ElementsAre("0+0 pwrite(#1:4:/a, ?, 10, 500) = 10", "0+0 unlink(f001) = 0",
                                       "0+0 pwrite(#1:4:/a, ?, 10, 510) = 10", "0+0 unlink(f002) = 0",
                                       "0+0 pwrite(#1:4:/a, ?, 10, 0) = 10", "0+0 unlink(f001) = 0"));
}

TEST(Merge, ADamagedFrameKeepsWhatCameBeforeIt) {
  const ScratchDir run;
  RawLane lane;
  lane.define_clock(1000);
  lane.define_signature(fsync_words(1));
  lane.record(0, 1, 1);
  lane.seal();
  const std::size_t second = lane.frames.size();
  for (int i = 0; i < 2; ++i) {
    lane.record(0, 1, 1);
    lane.seal();
  }
  lane.record(0, 1, 1);
  lane.frames[second + sizeof(live::FrameHeader)] ^= 4;
  lane.write(run.path());
  MergeReport report;
  const TraceFile trace = merged(run.path(), &report);
  EXPECT_THAT(told(trace), ElementsAre("1+1 fsync(#1:-1:) = 0"));
  EXPECT_EQ(report.damaged, 1U);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_THAT(report.warnings[0], HasSubstr("frame 1 is damaged"));
  EXPECT_EQ(trace.processes()[0].streams[0].damaged, 1U);
  EXPECT_TRUE(std::filesystem::exists(run.path() / live::kFolder)) << "nothing is removed that was not read";
}

TEST(Merge, EntriesThatCannotBeAreReportedAndWhatCameBeforeIsKept) {
  struct Case {
    const char* why;
    void (*damage)(RawLane&);
  };
  const Case cases[] = {
      {"not known", [](RawLane& lane) { lane.tail.push_back(3U << 30); }},
      {"beyond its frame",
       [](RawLane& lane) { lane.tail.push_back(live::definition_word(live::Definition::text, 1000)); }},
      {"beyond its frame",
       [](RawLane& lane) { lane.tail.push_back(live::record_word(live::EntryKind::record, 0, 0)); }},
      {"signature that is not there", [](RawLane& lane) { lane.record(7, 0, 0); }},
      {"wrong number of columns",
       [](RawLane& lane) {
         lane.tail.insert(lane.tail.end(), {live::record_word(live::EntryKind::record, 1, 0), 0, 0, 1, 2});
       }},
      {"half a word", [](RawLane& lane) { lane.define(live::Definition::signature, "abc"); }},
      {"strange length", [](RawLane& lane) { lane.define(live::Definition::clock, "abc"); }},
      {"too short", [](RawLane& lane) { lane.define(live::Definition::handle, "abc"); }},
      {"too short",
       [](RawLane& lane) { lane.define(live::Definition::process, std::string_view("\x09\0\0\0a", 5)); }},
      {"ends in the middle", [](RawLane& lane) { lane.define(live::Definition::name_template, "a\1"); }},
      {"not there", [](RawLane& lane) { lane.define_signature({Head::kFunctions - 1}); }},
  };
  for (const Case& one : cases) {
    const ScratchDir run;
    RawLane lane;
    lane.define_signature(fsync_words(1));
    lane.record(0, 1, 1);
    one.damage(lane);
    lane.write(run.path());
    MergeReport report;
    const TraceFile trace = merged(run.path(), &report);
    EXPECT_EQ(told(trace).size(), 1U) << one.why;
    ASSERT_EQ(report.warnings.size(), 1U) << one.why;
    EXPECT_THAT(report.warnings[0], HasSubstr(one.why));
  }
}

TEST(Merge, ArgumentsThatWereTooLongAreToldOf) {
  const ScratchDir run;
  RawLane lane;
  lane.set(live::HeaderWord::cut, 3);
  lane.define_signature(fsync_words(1));
  lane.record(0, 1, 1);
  lane.write(run.path());
  MergeReport report;
  const TraceFile trace = merged(run.path(), &report);
  EXPECT_EQ(told(trace).size(), 1U);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_THAT(report.warnings[0], HasSubstr("process 100: 3 arguments were too long to be kept whole"));
  EXPECT_EQ(report.damaged, 0U);
  EXPECT_EQ(trace.facts().at("warnings"), Json(report.warnings));
}

TEST(Merge, LanesOfOneProcessAreItsStreams) {
  const ScratchDir run;
  for (const std::uint64_t number : {2U, 0U, 1U}) {
    Lane lane(run.path(), {.process = 100, .number = number});
    if (number == 0) lane.program("/bin/app", "/", "app");
    lane.thread(100 + number);
    for (std::uint64_t i = 0; i <= number; ++i)
      lane.call("fsync", 0, {made::handle(1)}, made::literal(0), 10 * i, 1);
  }
  MergeReport report;
  const TraceFile trace = merged(run.path(), &report);
  EXPECT_EQ(report.streams, 3U);
  ASSERT_EQ(trace.processes().size(), 1U);
  ASSERT_EQ(trace.processes()[0].streams.size(), 3U);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(told(trace, 0, s).size(), s + 1);
    RecordReader reader(trace, 0, s);
    Record record;
    ASSERT_TRUE(reader.next(record));
    EXPECT_EQ(record.thread, 100 + s);
  }
}

TEST(Merge, ParentsAreLinkedByForkAndByExec) {
  const ScratchDir run;
  const auto add = [&](std::uint64_t process, std::uint64_t parent, std::uint64_t start,
                       std::string_view program) {
    Lane lane(run.path(), {.process = process, .parent = parent, .start = start});
    lane.program(program, "/", program);
    lane.call("fsync", 0, {made::handle(1)}, made::literal(0), 1, 1);
  };
  add(100, 1, 1000, "shell");
  add(101, 100, 2000, "shell");  // forked
  add(101, 100, 3000, "tool");   // and another program in it
  add(102, 101, 4000, "child of tool");
  add(103, 99, 5000, "of somebody else");
  const TraceFile trace = merged(run.path());
  std::vector<std::int64_t> parents;
  for (const ProcessInfo& process : trace.processes()) parents.push_back(process.parent);
  EXPECT_THAT(parents, ElementsAre(-1, 0, 1, 2, -1));
  EXPECT_EQ(trace.processes()[2].program, "tool");
  EXPECT_EQ(trace.processes()[2].start_ns, 2000);
}

TEST(Merge, ALaneOfAnotherCallTableIsRefused) {
  const ScratchDir run;
  RawLane lane;
  lane.set(live::HeaderWord::calls, live::kCallTable + 1);
  lane.write(run.path());
  const auto done = merge(run.path());
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::unsupported);
  EXPECT_TRUE(std::filesystem::exists(run.path() / live::kFolder));
}

TEST(Merge, AFileThatIsNoLaneIsReportedAndTheRestIsMerged) {
  const ScratchDir run;
  RawLane lane;
  lane.define_signature(fsync_words(1));
  lane.record(0, 1, 1);
  lane.write(run.path());
  RawLane other;
  other.set(live::HeaderWord::magic, 1);
  other.write(run.path(), "other");
  MergeReport report;
  const TraceFile trace = merged(run.path(), &report);
  EXPECT_EQ(told(trace).size(), 1U);
  EXPECT_EQ(report.damaged, 1U);
  EXPECT_TRUE(std::filesystem::exists(run.path() / live::kFolder));
}

TEST(Merge, WithoutLanesThereIsNothingToMerge) {
  const ScratchDir run;
  EXPECT_FALSE(merge(run.path()).has_value());
  std::filesystem::create_directory(run.path() / live::kFolder);
  const auto done = merge(run.path());
  ASSERT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(done->records, 0U);
  EXPECT_EQ(TraceFile::open(run.path())->processes().size(), 0U);
}

TEST(Merge, LostAndUnseenCallsAreKept) {
  const ScratchDir run;
  RawLane lane;
  lane.define_signature(fsync_words(1));
  lane.record(0, 1, 1);
  lane.set(live::HeaderWord::lost, 5);
  lane.set(live::HeaderWord::unseen, 6);
  lane.write(run.path());
  MergeReport report;
  const TraceFile trace = merged(run.path(), &report);
  EXPECT_EQ(report.lost, 5U);
  EXPECT_EQ(trace.processes()[0].streams[0].lost, 5U);
  EXPECT_EQ(trace.processes()[0].streams[0].unseen, 6U);
}

}  // namespace
}  // namespace weir::trace
