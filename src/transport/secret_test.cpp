#include "transport/secret.hpp"

#include <gtest/gtest.h>

namespace weir::transport {
namespace {

TEST(Secret, IsNewEachTimeAndComesBackFromItsText) {
  const Secret one = Secret::make(), other = Secret::make();
  EXPECT_FALSE(one.equals(other));
  const auto again = Secret::parse(one.hex());
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->equals(one));
}

TEST(Secret, DiffersInEveryBit) {
  const Secret one = Secret::make();
  for (std::size_t bit = 0; bit < 8 * Secret::kBytes; ++bit) {
    Secret other = one;
    other.bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_FALSE(one.equals(other));
  }
}

TEST(Secret, OtherTextsAreRefusedWithoutBeingRepeated) {
  for (const std::string& text :
       {std::string(), std::string(63, 'a'), std::string(64, 'g'), std::string(65, 'a')}) {
    const auto parsed = Secret::parse(text);
    ASSERT_FALSE(parsed);
    if (!text.empty()) {
      EXPECT_EQ(parsed.error().text().find(text), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace weir::transport
