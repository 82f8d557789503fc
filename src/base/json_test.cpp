#include "base/json.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Json, AnswersBeginWithTheirSchemaAndKeepTheirOrder) {
  Json document = json_document("fit");
  document["z"] = 1;
  document["a"] = 2;
  EXPECT_EQ(document.dump(), R"({"schema":"weir.fit/1","z":1,"a":2})");
}

TEST(Json, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(json_number(0.5).dump(), "0.5");
  EXPECT_TRUE(json_number(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_TRUE(json_number(-std::numeric_limits<double>::infinity()).is_null());
}

TEST(Json, BadTextIsAnErrorWithItsPlace) {
  EXPECT_EQ((*parse_json("{\"a\": [1, 2]}"))["a"][1], 2);
  const auto bad = parse_json("{\"a\": ");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), Errc::bad_data);
  EXPECT_NE(bad.error().text().find("not JSON at byte 7"), std::string::npos) << bad.error().text();
}

TEST(Json, ANumberBeyondAllDoublesIsAnError) {
  const auto large = parse_json("[1e999]");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), Errc::bad_data);
}

}  // namespace
}  // namespace weir
