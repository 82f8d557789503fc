#include "interference/course.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace weir::interference {
namespace {

TEST(Course, WorkGoesOnEvenlyBetweenPoints) {
  const Course course({{1, 100}, {3, 200}, {4, 200}, {5, 300}});
  EXPECT_DOUBLE_EQ(course.at(0), 0);
  EXPECT_DOUBLE_EQ(course.at(0.5), 50);
  EXPECT_DOUBLE_EQ(course.at(2), 150);
  EXPECT_DOUBLE_EQ(course.at(3.5), 200);
  EXPECT_DOUBLE_EQ(course.at(9), 300);
  EXPECT_DOUBLE_EQ(course.when(150), 2);
  EXPECT_DOUBLE_EQ(course.when(200), 3);
  EXPECT_DOUBLE_EQ(course.when(250), 4.5);
  EXPECT_DOUBLE_EQ(course.when(0), 0);
  EXPECT_TRUE(std::isinf(course.when(301)));
  EXPECT_DOUBLE_EQ(course.rate_until(2), 75);
  EXPECT_TRUE(std::isnan(course.rate_until(0)));
}

TEST(Course, WhatGoesBackIsPutRight) {
  const Course course({{2, 100}, {1, 50}, {3, 300}});
  EXPECT_DOUBLE_EQ(course.at(2), 100);
  EXPECT_DOUBLE_EQ(course.at(3), 300);
  EXPECT_DOUBLE_EQ(Course().total(), 0);
  EXPECT_DOUBLE_EQ(Course().at(5), 0);
}

// 90 % of 1000 at 90 s against 90 % of 100 at 4.5 s: the second closes the counted time.
TEST(Course, TheFirstToReachItsShareCounts) {
  const std::array courses = {Course({{100, 1000}}), Course({{5, 100}, {50, 100}}), Course()};
  EXPECT_DOUBLE_EQ(first_to_reach(courses, 0.9), 4.5);
  EXPECT_TRUE(std::isinf(first_to_reach({}, 0.9)));
}

}  // namespace
}  // namespace weir::interference
