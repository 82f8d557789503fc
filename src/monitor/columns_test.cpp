#include "monitor/detail/columns.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::monitor::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ColumnsTest : public ::testing::Test {
 protected:
  // A reading in which one counter has this value.
  double next(double value, Traits traits = {}) {
    columns_.begin_text(true, nullptr);
    sink_.source("disk:", "sda");
    sink_.put({"write", "_bytes"}, value, traits);
    columns_.end_reading(changes_);
    return changes_.at(0);
  }
  Columns columns_;
  Sink& sink_ = columns_;
  std::vector<double> changes_;
};

TEST_F(ColumnsTest, GiveDifferencesAndTheirSum) {
  EXPECT_EQ(next(100), 0);
  EXPECT_EQ(next(150), 50);
  EXPECT_EQ(next(150), 0);
  EXPECT_EQ(next(1150), 1000);
  ASSERT_EQ(columns_.counters().size(), 1U);
  EXPECT_EQ(columns_.counters()[0].source, "disk:sda");
  EXPECT_EQ(columns_.counters()[0].name, "write_bytes");
  EXPECT_EQ(columns_.counters()[0].value, 1050);
  EXPECT_THAT(columns_.troubles(), IsEmpty());
}

TEST_F(ColumnsTest, LevelsAreAveraged) {
  const Traits level{.total = false};
  next(1, level);
  EXPECT_EQ(next(3, level), 3);
  EXPECT_EQ(next(5, level), 5);
  EXPECT_EQ(columns_.counters()[0].value, 3);
}

TEST_F(ColumnsTest, AWrapIsNoFall) {
  const Traits wraps{.wraps_at = 1000};
  next(990, wraps);
  EXPECT_EQ(next(15, wraps), 25);
  EXPECT_THAT(columns_.troubles(), IsEmpty());
  EXPECT_EQ(next(5, wraps), 0) << "the way round would be longer";
  EXPECT_THAT(columns_.troubles(), ElementsAre(HasSubstr("disk:sda: write_bytes fell from 15 to 5")));
}

TEST_F(ColumnsTest, AFallCountsNothingAndIsSaid) {
  next(9000);
  EXPECT_EQ(next(12), 0);
  EXPECT_EQ(next(20), 8);
  EXPECT_EQ(columns_.counters()[0].value, 8);
  EXPECT_THAT(columns_.troubles(), ElementsAre(HasSubstr("write_bytes fell from 9000 to 12")));
}

TEST_F(ColumnsTest, ATrifleBackIsNoFallAndIsNotCountedTwice) {
  next(1e9);
  EXPECT_EQ(next(1e9 - 5), 0);
  EXPECT_EQ(next(1e9 + 5), 5);
  EXPECT_THAT(columns_.troubles(), IsEmpty());
}

TEST_F(ColumnsTest, WhatIsGoneChangesNothingAndIsSaid) {
  next(100);
  next(150);
  columns_.end_reading(changes_);
  EXPECT_THAT(changes_, ElementsAre(0));
  EXPECT_THAT(columns_.troubles(), ElementsAre("disk:sda: gone before the end"));
  EXPECT_EQ(next(170), 20) << "and goes on when it is back";
  EXPECT_THAT(columns_.troubles(), IsEmpty());
}

TEST_F(ColumnsTest, ALateCounterCountsFromZeroOnlyWhereTheStartWasRead) {
  next(1);
  const auto late = [&](bool from_zero, std::string_view name) {
    columns_.begin_text(from_zero, nullptr);
    sink_.source("cgroup:", "8:0");
    sink_.put({name}, 70);
    columns_.end_reading(changes_);
    return changes_.back();
  };
  EXPECT_EQ(late(true, "read_bytes"), 70);
  EXPECT_EQ(late(false, "write_bytes"), 0);
}

TEST_F(ColumnsTest, RepeatedNamesAreAddedOrReplacedWithinAReading) {
  const auto read = [&](double a, double b) {
    columns_.begin_text(true, nullptr);
    sink_.source("x", "");
    sink_.add({"sum"}, a);
    sink_.add({"sum"}, b);
    sink_.put({"last"}, a);
    sink_.put({"last"}, b);
    columns_.end_reading(changes_);
  };
  read(1, 2);
  read(10, 20);
  EXPECT_THAT(changes_, ElementsAre(27, 18));
}

TEST_F(ColumnsTest, OrderMayChange) {
  const auto read = [&](std::string_view first, std::string_view second, double value) {
    columns_.begin_text(true, nullptr);
    for (const std::string_view disk : {first, second}) {
      sink_.source("disk:", disk);
      sink_.put({"read_bytes"}, value + (disk == "sdb" ? 1000 : 0));
    }
    columns_.end_reading(changes_);
  };
  read("sda", "sdb", 1);
  read("sdb", "sda", 5);
  EXPECT_THAT(changes_, ElementsAre(4, 4));
  EXPECT_EQ(columns_.size(), 2U);
}

}  // namespace
}  // namespace weir::monitor::detail
