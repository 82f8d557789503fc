#include "capture/draft.hpp"

#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calls/call.hpp"
#include "trace/live.hpp"

namespace weir::capture {
namespace {

using testing::ElementsAre;
using trace::Encoding;

std::vector<std::int64_t> columns_of(const Draft& draft) {
  std::vector<std::int64_t> values;
  draft.for_each_column([&](std::int64_t value) { values.push_back(value); });
  return values;
}
std::vector<std::uint64_t> body_of(const Draft& draft) {
  return {draft.words + trace::Head::words(draft.arguments), draft.words + draft.count};
}

// pwrite(handle 3, ?, 4096, 16 behind the end at 8192) = 4096
Draft some_pwrite() {
  Draft draft;
  draft.begin(static_cast<std::uint32_t>(Call::pwrite), 1, 4);
  draft.put(0, Encoding::handle, 3);
  draft.put(1, Encoding::absent);
  draft.put(2, Encoding::literal, 4096);
  draft.put(3, Encoding::distance, 16);
  draft.values[0] = 3;
  draft.values[1] = 0;
  draft.values[2] = 4096;
  draft.values[3] = 8208;
  draft.result = 1000;
  draft.put_result(Encoding::literal, 1000);
  return draft;
}

TEST(Draft, WithoutHolesHasNoColumns) {
  const Draft draft = some_pwrite();
  EXPECT_EQ(draft.function(), static_cast<std::uint32_t>(Call::pwrite));
  EXPECT_THAT(body_of(draft), ElementsAre(3, 4096, 16, 1000));
  EXPECT_TRUE(columns_of(draft).empty());
  EXPECT_FALSE(draft.columns);
}

TEST(Draft, OffsetsBecomeColumnsFirst) {
  Draft out;
  some_pwrite().holed(false, out);
  EXPECT_EQ(out.encoding(3), Encoding::column);
  EXPECT_EQ(out.encoding(2), Encoding::literal);
  EXPECT_EQ(trace::Head::depth(out.words[0]), 1U);
  EXPECT_THAT(body_of(out), ElementsAre(3, 4096, 1000));
  EXPECT_TRUE(out.columns);
  EXPECT_THAT(columns_of(out), ElementsAre(8208)) << "the offset itself, not its distance";
}

TEST(Draft, SizesAndResultsBecomeColumnsInTheOrderOfTheArguments) {
  Draft out;
  some_pwrite().holed(true, out);
  EXPECT_THAT(body_of(out), ElementsAre(3));
  EXPECT_EQ(trace::Head::result(out.words[0]), Encoding::column);
  EXPECT_THAT(columns_of(out), ElementsAre(4096, 8208, 1000));
}

TEST(Draft, AFullOrFailedResultStays) {
  Draft draft = some_pwrite();
  draft.words[0] &= ~trace::Head::result_bits(static_cast<Encoding>(15));
  draft.words[draft.count - 1] = 28;
  draft.put_result(Encoding::failed);
  Draft out;
  draft.holed(true, out);
  EXPECT_EQ(trace::Head::result(out.words[0]), Encoding::failed);
  EXPECT_THAT(body_of(out), ElementsAre(3, 28));
  EXPECT_THAT(columns_of(out), ElementsAre(4096, 8208));
}

TEST(Draft, NumbersOfNamesBecomeColumns) {
  Draft draft;
  draft.begin(static_cast<std::uint32_t>(Call::open), 0, 3);
  draft.put(0, Encoding::path, 5);  // template 5, numbers 10 and 20, one and two more than last time
  draft.words[draft.count++] = 1;
  draft.words[draft.count++] = 2;
  draft.names[draft.name_count++] = {5, 2, {10, 20}};
  draft.put(1, Encoding::literal, 577);
  draft.put(2, Encoding::literal, 0600);
  draft.values[0] = 0;
  draft.values[1] = 577;
  draft.values[2] = 0600;
  draft.result = 42;
  draft.put_result(Encoding::opened, 3);
  EXPECT_THAT(columns_of(draft), ElementsAre(42)) << "the descriptor";
  Draft out;
  draft.holed(true, out);
  EXPECT_EQ(out.encoding(0), Encoding::path_column);
  EXPECT_THAT(body_of(out), ElementsAre(5, 577, 0600, 3)) << "flags and mode are no sizes";
  EXPECT_THAT(columns_of(out), ElementsAre(10, 20, 42));
}

TEST(Draft, ANameWithoutNumbersHasNothingToTakeOut) {
  Draft draft;
  draft.begin(static_cast<std::uint32_t>(Call::rename), 0, 2);
  draft.put(0, Encoding::path, 1);
  draft.names[draft.name_count++] = {1, 0, {}};
  draft.put(1, Encoding::path, 2);
  draft.words[draft.count++] = 9;
  draft.names[draft.name_count++] = {2, 1, {77}};
  draft.values[0] = draft.values[1] = 0;
  draft.put_result(Encoding::literal, 0);
  Draft out;
  draft.holed(false, out);
  EXPECT_EQ(out.encoding(0), Encoding::path);
  EXPECT_EQ(out.encoding(1), Encoding::path_column);
  EXPECT_THAT(body_of(out), ElementsAre(1, 2, 0));
  EXPECT_THAT(columns_of(out), ElementsAre(77));
}

TEST(Draft, TwoNewDescriptorsStandInTheColumns) {
  Draft draft;
  draft.begin(static_cast<std::uint32_t>(Call::pipe), 0, 1);
  draft.put(0, Encoding::opened_pair, 1);
  draft.words[draft.count++] = 2;
  draft.pair[0] = 30;
  draft.pair[1] = 31;
  draft.values[0] = 0;
  draft.put_result(Encoding::literal, 0);
  draft.columns = true;
  Draft out;
  draft.holed(true, out);
  EXPECT_THAT(body_of(out), ElementsAre(1, 2));
  EXPECT_THAT(columns_of(out), ElementsAre(30, 31, 0));
}

TEST(Draft, AnAssignedOneIsTheSame) {
  Draft holed;
  some_pwrite().holed(true, holed);
  Draft other;
  other.assign(holed);
  EXPECT_EQ(body_of(other), body_of(holed));
  EXPECT_EQ(columns_of(other), columns_of(holed));
  EXPECT_EQ(other.words[0], holed.words[0]);
  other.assign(other);
  EXPECT_EQ(columns_of(other), columns_of(holed));
}

// Names are cut into at most six numbers each, and a record has room for fifteen columns.
TEST(Draft, NoCallCanNeedMoreColumnsThanARecordHolds) {
  for (std::size_t c = 0; c < kCallCount; ++c) {
    const auto call = static_cast<Call>(c);
    std::size_t columns = 1;  // the result
    std::size_t paths = 0;
    for (const Argument& argument : arguments(call)) {
      switch (argument.role) {
        case Role::path:
          columns += trace::NameTemplate::kNumbers;
          ++paths;
          break;
        case Role::bytes:
        case Role::count:
        case Role::value:
        case Role::offset:
        case Role::string:
        case Role::buffer:  // the address of a mapping
          ++columns;
          break;
        case Role::file:
          if (argument.direction != Direction::in) columns += 2;
          break;
        default:
          break;
      }
    }
    EXPECT_LE(paths, Draft::kPaths) << name(call);
    EXPECT_LE(columns, trace::live::kMostColumns) << name(call);
  }
}

}  // namespace
}  // namespace weir::capture
