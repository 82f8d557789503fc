#include "trace/detail/signature_class.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace weir::trace::detail {
namespace {

// One member with a fixed word and then these.
SignatureClass one(std::uint32_t member, std::int64_t rank, const std::vector<std::int64_t>& values) {
  SignatureClass made;
  made.ranked = true;
  made.begins = {0};
  made.words = {7};
  made.kinds = {WordKind::fixed};
  for (const std::int64_t value : values) {
    made.words.push_back(static_cast<std::uint64_t>(value));
    made.kinds.push_back(WordKind::free);
  }
  made.members = {member};
  made.ranks = {rank};
  return made;
}

// What a word is, from all values at once: exact arithmetic, no cleverness.
struct Expected {
  bool own = false;
  std::int64_t slope = 0;
  std::int64_t base = 0;
};
Expected expected(const std::vector<std::int64_t>& ranks, const std::vector<std::int64_t>& values) {
  __extension__ using Wide = __int128;
  const auto holds = [&](Wide slope, Wide base) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (base + slope * ranks[i] != values[i]) return false;
    return true;
  };
  if (holds(0, values[0])) return {false, 0, values[0]};
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (ranks[i] == ranks[0]) continue;
    const Wide rise = Wide{values[i]} - values[0];
    const Wide run = ranks[i] - ranks[0];
    const Wide slope = rise / run;
    const Wide base = values[0] - slope * ranks[0];
    const auto fits = [](Wide value) { return value >= INT64_MIN && value <= INT64_MAX; };
    if (rise % run == 0 && fits(slope) && fits(base) && holds(slope, base))
      return {false, static_cast<std::int64_t>(slope), static_cast<std::int64_t>(base)};
    break;
  }
  return {true, 0, 0};
}

TEST(SignatureClass, WhatBecomesOfAWordDoesNotDependOnTheOrderOfJoining) {
  constexpr std::uint64_t seed = 23;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  constexpr std::int64_t kExtremes[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX / 2, INT64_MIN / 2};
  int lines = 0;
  int owns = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t members = 1 + random.below(7);
    constexpr std::size_t kWords = 4;
    std::vector<std::int64_t> ranks;
    std::vector<std::vector<std::int64_t>> values(kWords);
    for (std::size_t i = 0; i < members; ++i)
      ranks.push_back(static_cast<std::int64_t>(random.below(random.below(3) == 0 ? 3 : 100)));
    for (auto& word : values) {
      const std::uint64_t kind = random.below(4);
      const auto slope = static_cast<std::uint64_t>(kExtremes[random.below(7)]) / (1 + random.below(100));
      const auto base = static_cast<std::uint64_t>(kExtremes[random.below(7)]);
      for (std::size_t i = 0; i < members; ++i) {
        std::uint64_t value = base + (kind == 0 ? 0 : slope * static_cast<std::uint64_t>(ranks[i]));
        if (kind == 3 && random.below(members) == 0) value += random.below(3);
        word.push_back(static_cast<std::int64_t>(value));
      }
    }
    std::vector<SignatureClass> parts;
    for (std::size_t i = 0; i < members; ++i) {
      std::vector<std::int64_t> own;
      for (const auto& word : values) own.push_back(word[i]);
      parts.push_back(one(static_cast<std::uint32_t>(i), ranks[i], own));
    }
    while (parts.size() > 1) {
      std::swap(parts[random.below(parts.size())], parts.back());
      SignatureClass last = std::move(parts.back());
      parts.pop_back();
      SignatureClass& other = parts[random.below(parts.size())];
      ASSERT_TRUE(is_same_class(other, last));
      absorb(other, last);
    }
    const SignatureClass& all = parts.front();
    ASSERT_EQ(all.members.size(), members);
    for (std::uint32_t word = 1; word <= kWords; ++word) {
      const Expected want = expected(ranks, values[word - 1]);
      const auto line = std::find_if(all.lines.begin(), all.lines.end(),
                                     [&](const SignatureClass::Line& one) { return one.word == word; });
      const auto own = std::find_if(all.owns.begin(), all.owns.end(),
                                    [&](const SignatureClass::Own& one) { return one.word == word; });
      ASSERT_EQ(own != all.owns.end(), want.own) << round;
      if (want.own) {
        ++owns;
        for (std::size_t i = 0; i < members; ++i)
          EXPECT_EQ(static_cast<std::int64_t>(own->values[i]), values[word - 1][all.members[i]]);
        continue;
      }
      ASSERT_EQ(line != all.lines.end(), want.slope != 0) << round;
      if (want.slope != 0) {
        ++lines;
        EXPECT_EQ(line->slope, want.slope);
      }
      EXPECT_EQ(static_cast<std::int64_t>(all.words[word]), want.base);
    }
  }
  EXPECT_GT(lines, 500);
  EXPECT_GT(owns, 500);
}

TEST(SignatureClass, WhatMustBeTheSameMakesTheClass) {
  const SignatureClass a = one(0, 0, {1, 2});
  SignatureClass other = one(1, 1, {5, 6});
  EXPECT_TRUE(is_same_class(a, other));
  other.words[0] = 8;
  EXPECT_FALSE(is_same_class(a, other)) << "a word that is fixed";
  other = one(1, 1, {1, 2});
  other.kinds[2] = WordKind::text;
  EXPECT_FALSE(is_same_class(a, other)) << "another encoding";
  EXPECT_FALSE(is_same_class(a, one(1, 1, {1}))) << "fewer words";
  SignatureClass unranked = one(0, -1, {1, 2});
  SignatureClass different = one(1, -1, {1, 3});
  unranked.ranked = different.ranked = false;
  EXPECT_FALSE(is_same_class(unranked, different)) << "numbers, without ranks";
  EXPECT_FALSE(is_same_class(a, unranked));
}

}  // namespace
}  // namespace weir::trace::detail
