#include "interference/advice.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/scratch_dir.hpp"

namespace weir::interference {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

Cell cell(const char* probe, const char* signal, std::uint64_t chunk, double percent) {
  Cell made;
  made.probe = probe;
  made.signal = signal;
  made.chunk = made.signal_chunk = Bytes(chunk);
  made.counted.percent = percent;
  made.counted.low = percent - 4;
  made.counted.high = percent + 4;
  return made;
}

// As the source has it: aggregate-write dominates at 1 MiB, all share at 16 MiB.
Cells storage() {
  Cells cells;
  for (const char* const small : {"open_write_close", "write_seek"}) {
    for (const char* const other : {"open_write_close", "write_seek"})
      for (const std::uint64_t chunk : {kMiB, 16 * kMiB})
        cells.cells.push_back(cell(small, other, chunk, 50));
    cells.cells.push_back(cell(small, "aggregate_write", kMiB, 90));
    cells.cells.push_back(cell(small, "aggregate_write", 16 * kMiB, 50));
    cells.cells.push_back(cell("aggregate_write", small, kMiB, 10));
    cells.cells.push_back(cell("aggregate_write", small, 16 * kMiB, 50));
  }
  for (const std::uint64_t chunk : {kMiB, 16 * kMiB})
    cells.cells.push_back(cell("aggregate_write", "aggregate_write", chunk, 50));
  return cells;
}

Program program(const char* text) {
  auto made = parse_program(text);
  EXPECT_TRUE(made) << made.error().text();
  return *std::move(made);
}

TEST(ExpectedLoss, IsInterpolatedOverTheLogarithmOfTheChunk) {
  std::vector<std::string> notes;
  const auto at = [&](const char* chunk) {
    const auto loss = expected_loss(storage(), program(fmt::format("a=owc:{}", chunk).c_str()),
                                    program(fmt::format("b=aw:{}", chunk).c_str()), notes);
    EXPECT_TRUE(loss) << loss.error().text();
    return *loss;
  };
  EXPECT_DOUBLE_EQ(at("1M").percent, 90);
  EXPECT_DOUBLE_EQ(at("16M").percent, 50);
  EXPECT_DOUBLE_EQ(at("4M").percent, 70);
  EXPECT_DOUBLE_EQ(at("4M").low, 66);
  EXPECT_TRUE(notes.empty());
  EXPECT_DOUBLE_EQ(at("4k").percent, 90);
  EXPECT_THAT(notes, testing::Contains(testing::HasSubstr("the nearest is taken")));
}

TEST(ExpectedLoss, UnequalChunksSpanBoth) {
  std::vector<std::string> notes;
  const auto loss = expected_loss(storage(), program("a=owc:1M"), program("b=aw:16M"), notes);
  ASSERT_TRUE(loss);
  EXPECT_DOUBLE_EQ(loss->percent, 70);
  EXPECT_DOUBLE_EQ(loss->low, 46);
  EXPECT_DOUBLE_EQ(loss->high, 94);
  // Once unequal chunks are measured, they count.
  Cells cells = storage();
  cells.cells.push_back(cell("open_write_close", "aggregate_write", kMiB, 80));
  cells.cells.back().signal_chunk = Bytes(16 * kMiB);
  EXPECT_DOUBLE_EQ(expected_loss(cells, program("a=owc:1M"), program("b=aw:16M"), notes)->percent, 80);
}

TEST(ExpectedLoss, GoesWithTheSignalsDuty) {
  std::vector<std::string> notes;
  EXPECT_DOUBLE_EQ(expected_loss(storage(), program("a=owc:1M"), program("b=aw:1M:50%"), notes)->percent, 45);
}

TEST(ExpectedLoss, WhatAppendsAndFlushesHasCellsOfItsOwn) {
  std::vector<std::string> notes;
  Cells cells = storage();
  EXPECT_DOUBLE_EQ(expected_loss(cells, program("a=owc:1M"), program("b=awf:1M"), notes)->percent, 90)
      << "without any, those of aggregate_write are what there is";
  for (const char* const signal : {"open_write_close", "aggregate_write_flushed"}) {
    Cell cell;
    cell.probe = signal;
    cell.signal = cell.probe == "open_write_close" ? "aggregate_write_flushed" : "open_write_close";
    cell.chunk = cell.signal_chunk = Bytes(1U << 20U);
    cell.counted.percent = 50;
    cells.cells.push_back(cell);
  }
  EXPECT_DOUBLE_EQ(expected_loss(cells, program("a=owc:1M"), program("b=awf:1M"), notes)->percent, 50);
  EXPECT_DOUBLE_EQ(expected_loss(cells, program("a=owc:1M"), program("b=aw:1M"), notes)->percent, 90);
}

TEST(ExpectedLoss, WhatWasNotMeasuredIsAnError) {
  std::vector<std::string> notes;
  const auto loss = expected_loss({}, program("a=owc:1M"), program("b=aw:1M"), notes);
  ASSERT_FALSE(loss);
  EXPECT_THAT(loss.error().text(), testing::HasSubstr("open_write_close beside aggregate_write"));
}

TEST(Advice, KeepsSmallCheckpointsFromAppenders) {
  const auto advice = advise(
      storage(), {program("ck1=owc:1M"), program("ck2=ws:1M"), program("out1=aw:1M"), program("out2=aw:1M")});
  ASSERT_TRUE(advice) << advice.error().text();
  ASSERT_EQ(advice->pairs.size(), 6U);
  const auto names = [&](std::size_t pair) {
    return advice->programs[advice->pairs[pair].first].name + "+" +
           advice->programs[advice->pairs[pair].second].name;
  };
  std::vector<std::string> together;
  for (const std::size_t pair : advice->together) together.push_back(names(pair));
  EXPECT_THAT(together, testing::UnorderedElementsAre("ck1+ck2", "out1+out2"));
  EXPECT_NEAR(advice->slowdown_together, 2, 1e-9);                // each half as fast
  EXPECT_NEAR(advice->slowdown_worst, (10 + 1 / 0.9) / 2, 1e-9);  // 90 % and 10 %
  EXPECT_LT(advice->pairs.front().slowdown, advice->pairs.back().slowdown);
  // ck1 beside one equal and two appenders: 1/(1 + 1 + 9 + 9).
  EXPECT_NEAR(advice->all_at_once[0].percent, 95, 1e-9);
  EXPECT_EQ(to_json(*advice)["pairs"].size(), 6U);
  EXPECT_FALSE(advice->pairs.front().keep_apart()) << "no worse than one after the other";
  EXPECT_NEAR(advice->pairs.front().gain_apart().percent, 50, 1e-9);
  EXPECT_TRUE(advice->pairs.back().keep_apart());
  EXPECT_LE(advice->pairs.back().gain_apart().low, advice->pairs.back().gain_apart().percent);
}

TEST(Advice, NeedsTwoPrograms) {
  EXPECT_FALSE(advise(storage(), {program("a=owc:1M")}));
  const auto three = advise(storage(), {program("a=owc:1M"), program("b=ws:1M"), program("c=aw:1M")});
  ASSERT_TRUE(three);
  EXPECT_TRUE(three->together.empty());
  EXPECT_THAT(three->notes, testing::Contains(testing::HasSubstr("odd number")));
}

TEST(Program, IsReadFromWhatClassifyWrote) {
  const ScratchDir scratch;
  const std::string file = scratch.path() / "app.json";
  Class found;
  found.pattern = WritePattern::write_seek;
  found.shares = {0, 1, 0};
  found.chunk = Bytes(74'000'000);
  Json document = json_document("interfere-classify");
  document["class"] = to_json(found);
  std::ofstream(file) << document.dump();
  EXPECT_EQ(program(("mad=" + file).c_str()).found.chunk, Bytes(74'000'000));
  std::ofstream(file) << "{}";
  EXPECT_FALSE(parse_program("mad=" + file));
  for (const char* const wrong :
       {"x", "=owc:1M", "x=owc:", "x=what:1M", "x=owc:1M:200%", "x=read:1M", "x=/no/such.json"})
    EXPECT_FALSE(parse_program(wrong)) << wrong;
}

}  // namespace
}  // namespace weir::interference
