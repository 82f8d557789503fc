// Traces of older versions stay readable. The data were made by `weir trace` of that time, the texts by its
// `weir dump`.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "trace/record_text.hpp"
#include "trace/records.hpp"

namespace weir::trace {
namespace {

std::filesystem::path datum(const char* name) {
  return std::filesystem::path(WEIR_SOURCE_DIR) / "src/trace/testdata" / name;
}

TraceFile opened(const char* name) {
  auto trace = TraceFile::open(datum(name));
  EXPECT_TRUE(trace.has_value()) << trace.error().text();
  return std::move(*trace);
}

// A line of `weir dump`.
std::string line(const TraceFile& trace, const Records::Item& item) {
  const Record& record = *item.record;
  const bool timed = trace.timing() != TimingMode::off;
  fmt::memory_buffer text;
  const auto seconds = [&](std::uint64_t ns) {
    fmt::format_to(fmt::appender(text), "{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
  };
  if (timed) seconds(static_cast<std::uint64_t>(record.start_ns));
  fmt::format_to(fmt::appender(text), "{}{}  {}  {:{}}", timed ? "  " : "", item.process, record.thread, "",
                 2 * record.depth);
  append_call(text, record);
  fmt::format_to(fmt::appender(text), " = ");
  append_result(text, record);
  if (timed && record.result.kind != Value::Kind::unfinished) {
    fmt::format_to(fmt::appender(text), " <");
    seconds(record.duration_ns);
    text.push_back('>');
  }
  text.push_back('\n');
  return to_string(text);
}

TEST(Version1, ATraceOfManyProcessesReadsAsItDid) {
  const TraceFile trace = opened("version1.weir");
  Records records(trace, {});
  Records::Item item;
  std::string text;
  while (records.next(item)) text += line(trace, item);
  ASSERT_FALSE(records.error()) << records.error()->text();
  EXPECT_EQ(text, *read_text(datum("version1.txt")));
  EXPECT_EQ(trace.processes().size(), 7U);
  EXPECT_EQ(trace.timing_bytes(), 537U);
}

TEST(Version1, BlocksReadAsTheyDidAlsoFromTheMiddle) {
  const TraceFile trace = opened("version1_blocks.weir");
  ASSERT_EQ(trace.processes()[0].streams[0].blocks.size(), 2U);
  ASSERT_EQ(trace.records(), 280'016U);
  std::string text;
  RecordReader reader(trace, 0, 0);
  Record record;
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    reader.seek_record(from);
    for (std::uint64_t i = from; i < to; ++i) {
      ASSERT_TRUE(reader.next(record)) << i;
      EXPECT_EQ(record.index, i);
      text += line(trace, {0, 0, &record, reader.directory()});
    }
  };
  add(280'007, 280'016);
  const std::string end = std::exchange(text, {});
  add(0, 3);
  add(262'142, 262'147);
  EXPECT_EQ(text + end, *read_text(datum("version1_blocks.txt")));
}

TEST(Versions2And3, ATraceOfRanksReadsAsItDid) {
  for (const std::uint32_t version : {2U, 3U}) {
    const std::string name = "version" + std::to_string(version);
    const TraceFile trace = opened((name + ".weir").c_str());
    EXPECT_EQ(trace.version(), version);
    Records records(trace, {});
    Records::Item item;
    std::string text;
    while (records.next(item)) text += line(trace, item);
    ASSERT_FALSE(records.error()) << records.error()->text();
    EXPECT_EQ(text, *read_text(datum((name + ".txt").c_str())));
    EXPECT_EQ(trace.processes().size(), 3U);
    EXPECT_EQ(trace.classes().size(), 3U);
    EXPECT_EQ(trace.communicators().size(), 2U);
    EXPECT_EQ(trace.timing_bytes(), 967U);
  }
}

}  // namespace
}  // namespace weir::trace
