// What a reader makes of traces that are not as they were written.
#include <fstream>

#include <gtest/gtest.h>

#include "base/checksum.hpp"
#include "base/file.hpp"
#include "base/scratch_dir.hpp"
#include "trace/made_run_test.hpp"
#include "trace/own_sections_test.hpp"
#include "trace/summary.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {
namespace {

using namespace made;

class Damage : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      make_ranks();
    } else {
      Lane lane(scratch_.path(), {});
      lane.program("/bin/a", "/scratch", std::string("a\0", 2));
      lane.thread(10);
      lane.call("open", 0, {path("out"), literal(0102), literal(0644)}, opened(0, 3), 0, 10);
      for (unsigned i = 0; i < 50; ++i)
        lane.call("pwrite", 0, {handle(0), absent(), column(i * 37 % 11), distance(0)}, full(), 20 + 10 * i,
                  i % 7);
    }
    ASSERT_TRUE(merge(scratch_.path()));
    const auto text = read_text(file());
    ASSERT_TRUE(text);
    whole_ = *text;
  }

  // Three ranks that have 17 records each, words of their own, a communicator.
  void make_ranks() {
    for (std::int32_t rank = 0; rank < 3; ++rank) {
      Lane lane(scratch_.path(), {.process = 100 + static_cast<std::uint64_t>(rank)});
      lane.program("/bin/a", "/scratch", std::string("a\0", 2));
      lane.thread(100 + static_cast<std::uint64_t>(rank));
      lane.rank(rank, 3, 5 * rank);
      lane.communicator(1, static_cast<std::uint32_t>(rank), {{0, 1, 3}});
      lane.inherited(1, 7, "/dev/null");
      lane.call("open", 0, {path("out\x01\x30", {rank}), literal(0102), literal(0644)}, opened(0, 3 + rank),
                0, 10);
      for (unsigned i = 0; i < 15; ++i)
        lane.call("pwrite", 0, {handle(0), absent(), column(i * 37 % 11), distance(rank * 8)}, full(),
                  20 + 10 * i, i % 7);
      lane.call("lseek", 0, {handle(0), literal(rank * rank), literal(0)}, literal(rank * rank), 300, 1);
    }
  }

  std::filesystem::path file() const { return scratch_.path() / kFileName; }
  void write(std::string_view bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }

  // How many records can be read, or why it does not open.
  Result<std::uint64_t> readable(bool salvage) const {
    const auto trace = TraceFile::open(file(), {.salvage = salvage});
    if (!trace) return trace.error();
    SummaryOptions options;
    options.salvage = salvage;
    options.threads = 1;
    const auto summary = summarize(*trace, options);
    if (!summary) return summary.error();
    return summary->total.calls;
  }

  const ScratchDir scratch_;
  std::string whole_;
};

TEST_P(Damage, WholeOneIsRead) { EXPECT_EQ(readable(false).value(), 51U); }

TEST_P(Damage, EveryChangedByteIsFound) {
  for (std::size_t at = 0; at < whole_.size(); ++at) {
    std::string bytes = whole_;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    write(bytes);
    EXPECT_FALSE(readable(false)) << "byte " << at << " of " << whole_.size();
    (void)readable(true);
  }
}

TEST_P(Damage, EveryCutIsFound) {
  for (std::size_t length = 0; length < whole_.size(); ++length) {
    write(whole_.substr(0, length));
    const auto read = readable(false);
    ASSERT_FALSE(read) << "cut to " << length;
    EXPECT_EQ(exit_code(read.error().code()), 2);
    (void)readable(true);
  }
  write(whole_ + "more");
  EXPECT_FALSE(readable(false));
}

TEST_P(Damage, ACutFooterCostsNothing) {
  write(whole_.substr(0, whole_.size() - 5));
  const auto saved = readable(true);
  ASSERT_TRUE(saved) << saved.error().text();
  EXPECT_EQ(*saved, 51U);
}

TEST_P(Damage, FactsThatNestWithoutEndAreRefused) {
  constexpr std::size_t kFacts = kFileHeaderBytes + kSectionHeaderBytes;
  const std::string whole = with_own_sections(whole_);
  std::uint64_t length = 0;
  std::memcpy(&length, whole.data() + kFileHeaderBytes + 8, sizeof length);
  const std::string nested = "{\"a\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  const std::uint64_t sum = checksum(as_bytes(nested));
  const std::uint64_t nested_length = nested.size();
  std::string bytes = whole.substr(0, kFacts) + nested + whole.substr(kFacts + length);
  std::memcpy(bytes.data() + kFileHeaderBytes + 8, &nested_length, sizeof nested_length);
  std::memcpy(bytes.data() + kFileHeaderBytes + 16, &sum, sizeof sum);
  const std::uint64_t body = bytes.size() - kFooterBytes;
  std::memcpy(bytes.data() + body, &body, sizeof body);
  write(bytes);
  const auto read = readable(false);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text().find("too deep"), std::string::npos) << read.error().text();
}

TEST_P(Damage, NewerAndForeignFilesAreNamedAsSuch) {
  std::string newer = whole_;
  newer[8] = 9;
  write(newer);
  const auto version = readable(true);
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code(), Errc::unsupported);
  EXPECT_NE(version.error().text().find("version 9"), std::string::npos);
  write("{\"not\": \"a trace\", \"but\": \"something else\"}");
  const auto foreign = readable(true);
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().text().find("not a trace"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Trace, Damage, testing::Bool(),
                         [](const auto& of) { return of.param ? "OfRanks" : "OfOneProcess"; });

}  // namespace
}  // namespace weir::trace
