#include "trace/part.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "trace/format.hpp"
#include "trace/made_run_test.hpp"

namespace weir::trace {
namespace {

using namespace made;
namespace fs = std::filesystem;

constexpr std::int32_t kRanks = 13;

std::uint64_t process_of(std::int32_t rank) { return static_cast<std::uint64_t>(100 + (rank * 5) % kRanks); }
std::uint64_t start_of(std::int32_t rank) { return 5'000'000'000 + 1000 * process_of(rank); }

// A rank of two programs, whose texts, names, grammars and words overlap; with more calls if it went on.
void make_rank(const fs::path& run, std::int32_t rank, int calls_afterwards = 0) {
  Lane lane(run, {.process = process_of(rank), .start = start_of(rank)});
  lane.rank(rank, kRanks, rank);
  lane.thread(process_of(rank));
  lane.communicator(1, static_cast<std::uint32_t>(rank), {{0, 1, kRanks}});
  if (rank % 2 == 0) lane.call("fopen", 0, {path("even"), text("w")}, opened(0, 3 + rank), 0, 1);
  for (int i = 0; i < 5 + rank % 2; ++i)
    lane.call("lseek", 0, {literal(rank), literal(rank * rank), literal(0)}, literal(7),
              10 + 10 * static_cast<std::uint64_t>(i), 1);
  lane.call("unlink", 0, {path(rank % 3 == 0 ? "a\x01\x30" : "b\x01\x30", {rank})}, literal(0), 200, 1);
  for (int i = 0; i < calls_afterwards; ++i)
    lane.call("unlink", 0, {path("late\x01\x30", {i})}, literal(0), 300 + 10 * static_cast<std::uint64_t>(i),
              1);
}

class PartTest : public testing::Test {
 protected:
  void SetUp() override {
    for (std::int32_t rank = 0; rank < kRanks; ++rank) make_rank(run_.path(), rank);
    Lane alone(run_.path(), {.process = 99, .start = 4'999'999'000});
    alone.thread(99);
    alone.call("unlink", 0, {path("launcher")}, literal(0), 0, 1);
  }

  MergeOptions options(TimingMode mode = TimingMode::lossless) const {
    MergeOptions options;
    options.timing.mode = mode;
    options.keep_live = true;
    return options;
  }
  // Joined in pairs, as ranks do it.
  void merge_while_running(const MergeOptions& options, std::int32_t ranks = kRanks) {
    const auto clock = settle_run_clock(run_.path(), start_of(0), process_of(0));
    ASSERT_TRUE(clock) << clock.error().text();
    std::vector<RunPart> parts(static_cast<std::size_t>(ranks));
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      auto part = RunPart::of_process(run_.path(), start_of(rank), process_of(rank), options, *clock);
      ASSERT_TRUE(part) << part.error().text();
      parts[static_cast<std::size_t>(rank)] = std::move(*part);
    }
    for (std::size_t bit = 1; bit < parts.size(); bit *= 2)
      for (std::size_t rank = 0; rank + bit < parts.size(); rank += 2 * bit) {
        auto sent = RunPart::parse(parts[rank + bit].bytes());
        ASSERT_TRUE(sent) << sent.error().text();
        parts[rank].join(std::move(*sent));
      }
    ASSERT_TRUE(parts[0].write(run_.path(), start_of(0), process_of(0)));
  }
  // The trace, and how many processes of it were taken from the part.
  std::pair<std::string, std::uint64_t> merged(MergeOptions options, bool with_parts) {
    options.with_parts = with_parts;
    const auto report = merge_run(run_.path(), options);
    EXPECT_TRUE(report) << report.error().text();
    return {*read_text(run_.path() / kFileName), report ? report->merged_before : 0};
  }
  void expect_same(const MergeOptions& options, std::uint64_t merged_before) {
    const auto [bytes, taken] = merged(options, true);
    EXPECT_EQ(taken, merged_before);
    EXPECT_EQ(bytes, merged(options, false).first);
  }
  fs::path file(std::int32_t rank, std::string_view suffix) const {
    return run_.path() / live::kFolder /
           fmt::format("{:016x}-{}{}", start_of(rank), process_of(rank), suffix);
  }

  const ScratchDir run_;
};

TEST_F(PartTest, GivesTheBytesThatTheLanesAloneGive) {
  for (const TimingMode mode : {TimingMode::lossless, TimingMode::mean, TimingMode::quant, TimingMode::off}) {
    SCOPED_TRACE(name(mode));
    merge_while_running(options(mode));
    expect_same(options(mode), kRanks);
  }
}

TEST_F(PartTest, MergesAgainWhoHasGoneOn) {
  merge_while_running(options());
  const std::string before = merged(options(), true).first;
  make_rank(run_.path(), 4, 3);
  make_rank(run_.path(), 7, 1);
  expect_same(options(), kRanks - 2);
  EXPECT_NE(merged(options(), true).first, before);
}

TEST_F(PartTest, MergesAgainWhereAThreadCameLater) {
  merge_while_running(options());
  {
    Lane other(run_.path(), {.process = process_of(2), .number = 1, .start = start_of(2)});
    other.thread(1);
    other.call("unlink", 0, {path("thread")}, literal(0), 500, 1);
  }
  expect_same(options(), kRanks - 1);
}

TEST_F(PartTest, TakesSomeRanksWhereOthersDied) {
  merge_while_running(options(), 6);
  expect_same(options(), 6);
}

TEST_F(PartTest, IsNotUsedForOtherTimes) {
  merge_while_running(options());
  expect_same(options(TimingMode::mean), 0);
}

TEST_F(PartTest, IsNotUsedWhenDamaged) {
  merge_while_running(options());
  std::string bytes = *read_text(file(0, live::kPartSuffix));
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 50) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(replace_file(file(0, live::kPartSuffix), as_bytes(damaged)));
    EXPECT_EQ(merged(options(), true).second, 0U) << at;
  }
  expect_same(options(), 0);
}

TEST_F(PartTest, GoesBackToTheLanesWhereAPieceIsDamagedOrGone) {
  merge_while_running(options());
  fs::remove(file(3, live::kPiecesSuffix));
  expect_same(options(), kRanks - 1);
  std::string pieces = *read_text(file(5, live::kPiecesSuffix));
  pieces.back() = static_cast<char>(pieces.back() ^ 1);
  ASSERT_TRUE(replace_file(file(5, live::kPiecesSuffix), as_bytes(pieces)));
  expect_same(options(), 0);
}

TEST_F(PartTest, LeavesNothingBehindOnceTheTraceIsThere) {
  merge_while_running(options());
  MergeOptions last = options();
  last.keep_live = false;
  merged(last, true);
  EXPECT_FALSE(fs::exists(run_.path() / live::kFolder));
}

// What a peer sends is bytes like any other.
TEST_F(PartTest, RefusesBytesThatContradictThemselves) {
  merge_while_running(options());
  const std::string good = *read_text(file(0, live::kPartSuffix));
  for (std::size_t length = 0; length < good.size(); length += 1 + good.size() / 100)
    EXPECT_FALSE(RunPart::parse(as_bytes(std::string_view(good).substr(0, length)))) << length;
}

TEST(TimingText, ComesBack) {
  MergeOptions options;
  options.timing.mode = TimingMode::quant;
  options.timing.error = 0.05;
  options.timing.clustered = false;
  options.error_of_function = {{"fsync", 0.01}, {"pwrite", 0.3}};
  const std::string text = timing_text(options);
  MergeOptions back;
  ASSERT_TRUE(take_timing_text(text, back));
  EXPECT_EQ(timing_text(back), text);
  EXPECT_EQ(back.error_of_function, options.error_of_function);
  EXPECT_FALSE(take_timing_text("", back));
  EXPECT_FALSE(take_timing_text("quant,x,clustered", back));
  EXPECT_FALSE(take_timing_text("quant,0.1,clustered,fsync", back));
}

}  // namespace
}  // namespace weir::trace
