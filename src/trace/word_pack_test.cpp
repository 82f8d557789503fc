#include "trace/word_pack.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace weir::trace {
namespace {

std::vector<std::byte> packed(const std::vector<std::uint32_t>& words) {
  std::vector<std::byte> out(most_packed_bytes(words.size()));
  out.resize(pack_words(words, out.data()));
  return out;
}

TEST(WordPack, ComesBack) {
  constexpr std::uint64_t seed = 9;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  for (std::size_t count = 0; count < 200; ++count) {
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i < count; ++i)
      words.push_back(static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32) >> random.below(33)));
    EXPECT_EQ(unpack_words(packed(words), count), words) << count;
  }
}

TEST(WordPack, TakesABytePerSmallWordAndAQuarterMore) {
  EXPECT_EQ(packed({0, 1, 255, 7}).size(), 5U);
  EXPECT_EQ(packed({256, 65535, 65536, 0xffffffff}).size(), 1U + 2 + 2 + 3 + 4);
  EXPECT_EQ(packed(std::vector<std::uint32_t>(1000, ~0U)).size(), 4250U);
  EXPECT_LE(packed(std::vector<std::uint32_t>(1001, ~0U)).size(), most_packed_bytes(1001));
}

TEST(WordPack, WhatIsCutOrTooLongIsRefused) {
  const std::vector<std::uint32_t> words = {1, 300, 70'000, 20'000'000, 5, 6};
  const std::vector<std::byte> whole = packed(words);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(unpack_words(ByteSpan(whole).first(length), words.size())) << length;
  EXPECT_FALSE(unpack_words(whole, words.size() - 1));
  EXPECT_FALSE(unpack_words(whole, words.size() + 1));
  EXPECT_FALSE(unpack_words(whole, SIZE_MAX / 2));
}

}  // namespace
}  // namespace weir::trace
