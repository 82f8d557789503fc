#include "proxy/call_writer.hpp"

#include <gtest/gtest.h>

namespace weir::proxy {
namespace {

TEST(CallWriter, TextsAreStringLiterals) {
  EXPECT_EQ(c_string("plain"), "\"plain\"");
  EXPECT_EQ(c_string("a\"b\\c\n"), "\"a\\\"b\\\\c\\012\"");
  EXPECT_EQ(c_string("\1"
                     "1"),
            "\"\\0011\"");                     // three digits: the next one is not taken for a part of it
  EXPECT_EQ(c_string("?\?="), "\"\\?\\?=\"");  // no trigraphs
}

TEST(CallWriter, NumbersHaveTheTypeTheyNeed) {
  EXPECT_EQ(number_text(-5), "-5");
  EXPECT_EQ(number_text(std::int64_t{1} << 40), "1099511627776LL");
  EXPECT_EQ(number_text(INT64_MIN), "INT64_MIN");
}

TEST(CallWriter, BaseTypes) {
  EXPECT_EQ(base_type("const MPI_Comm*"), "MPI_Comm");
  EXPECT_EQ(base_type("const struct timespec*"), "timespec");
  EXPECT_EQ(base_type("char* const*"), "char*");
  EXPECT_EQ(base_type("off64_t*"), "off64_t");
}

}  // namespace
}  // namespace weir::proxy
