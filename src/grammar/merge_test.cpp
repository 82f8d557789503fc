#include "grammar/merge.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "grammar/detail/test_support.hpp"

namespace weir::grammar {
namespace {

using detail::Sequence;

std::vector<std::byte> bytes_of(const MergedGrammars& merged) {
  ByteWriter out;
  merged.serialize(out);
  return std::move(out).take();
}

void expect_members(const MergedGrammars& merged, const std::vector<Grammar>& grammars) {
  ASSERT_EQ(merged.size(), grammars.size());
  for (std::size_t i = 0; i < grammars.size(); ++i)
    ASSERT_EQ(merged.member(i), grammars[i]) << "member " << i;
}

// As ranks of a program give them: some equal, some alike, some of their own.
std::vector<Grammar> some_grammars(Random& random, std::size_t count) {
  const Sequence common = detail::copying_sequence(random, 400, 6);
  std::vector<Grammar> grammars;
  for (std::size_t i = 0; i < count; ++i) {
    Sequence sequence = common;
    if (i % 3 == 1) sequence.insert(sequence.begin(), static_cast<Symbol>(i % 5));
    if (i % 3 == 2) sequence = detail::copying_sequence(random, random.below(100), 3);
    grammars.push_back(detail::compress(sequence));
  }
  return grammars;
}

TEST(Merge, OfNothingIsEmpty) {
  const MergedGrammars merged = merge(std::span<const Grammar>());
  EXPECT_EQ(merged.size(), 0u);
  const auto bytes = bytes_of(merged);
  ByteReader in(bytes);
  const auto back = MergedGrammars::parse(in);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, merged);
}

TEST(Merge, GivesEveryMemberBack) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const auto grammars = some_grammars(random, 1 + random.below(40));
    const MergedGrammars merged = merge(grammars);
    ASSERT_NO_FATAL_FAILURE(expect_members(merged, grammars));
    const auto bytes = bytes_of(merged);
    ByteReader in(bytes);
    const auto back = MergedGrammars::parse(in);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(*back, merged);
    ASSERT_NO_FATAL_FAILURE(expect_members(*back, grammars));
  }
}

TEST(Merge, KeepsEqualGrammarsOnce) {
  const Grammar one = detail::compress(detail::from_text("abcabcabc"));
  const Grammar two = detail::compress(detail::from_text("xyxyxy"));
  const auto size_of = [&](std::size_t ranks) {
    std::vector<Grammar> grammars(ranks, one);
    grammars.front() = two;
    const MergedGrammars merged = merge(grammars);
    EXPECT_EQ(merged.distinct_count(), 2u);
    EXPECT_EQ(merged.distinct_of(0), 0u);
    EXPECT_EQ(merged.distinct_of(ranks - 1), 1u);
    return bytes_of(merged).size();
  };
  EXPECT_LE(size_of(20'000), size_of(100) + 2);  // the count's varint
}

TEST(Merge, KeepsEqualRulesOnce) {
  // A long piece that both hold twice, with other symbols around it.
  Sequence piece(300);
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<Symbol>(i);
  const auto around = [&](Symbol mark) {
    Sequence sequence = piece;
    sequence.push_back(mark);
    sequence.insert(sequence.end(), piece.begin(), piece.end());
    return detail::compress(sequence);
  };
  const std::vector<Grammar> grammars = {around(1000), around(1001), around(1002)};
  const MergedGrammars merged = merge(grammars);
  EXPECT_EQ(merged.distinct_count(), 3u);
  EXPECT_EQ(merged.pool_rules(), 4u);
  EXPECT_EQ(merged.pool_runs(), 300u + 3 * 3);
  ASSERT_NO_FATAL_FAILURE(expect_members(merged, grammars));
}

TEST(Merge, FindsTheSameDistinctGrammarsInAnyOrder) {
  Random random(4);
  auto grammars = some_grammars(random, 30);
  const auto distinct = [](const MergedGrammars& merged) {
    std::vector<std::vector<std::byte>> all;
    for (std::uint32_t i = 0; i < merged.distinct_count(); ++i) {
      ByteWriter out;
      merged.distinct(i).serialize(out);
      all.push_back(std::move(out).take());
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const MergedGrammars merged = merge(grammars);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = grammars.size(); i > 1; --i) std::swap(grammars[i - 1], grammars[random.below(i)]);
    const MergedGrammars other = merge(grammars);
    EXPECT_EQ(distinct(other), distinct(merged));
    EXPECT_EQ(other.pool_runs(), merged.pool_runs());
    ASSERT_NO_FATAL_FAILURE(expect_members(other, grammars));
  }
}

TEST(Merge, InPairsGivesTheSameBytesAsAtOnce) {
  for (const std::size_t count : {1u, 2u, 7u, 16u, 33u}) {
    Random random(count);
    const auto grammars = some_grammars(random, count);
    std::vector<MergedGrammars> lists;
    for (const Grammar& grammar : grammars) lists.push_back(merge(std::span(&grammar, 1)));
    while (lists.size() > 1) {
      std::vector<MergedGrammars> next;
      for (std::size_t i = 0; i < lists.size(); i += 2)
        next.push_back(merge(std::span(lists).subspan(i, std::min<std::size_t>(2, lists.size() - i))));
      lists = std::move(next);
    }
    EXPECT_EQ(bytes_of(lists.front()), bytes_of(merge(grammars)));
  }
}

TEST(Merge, KeepsEqualRulesWithinOneGrammarApart) {
  // After renaming, two rules of one grammar may be equal; the member must still come back as it was.
  const auto made =
      rename(detail::compress({0, 1, 9, 0, 1, 2, 3, 8, 2, 3}), Sequence{5, 6, 5, 6, 0, 0, 0, 0, 7, 7});
  ASSERT_TRUE(made);
  ASSERT_EQ(made->rule_count(), 3u);
  const std::vector<Grammar> grammars = {*made, detail::compress({5, 6, 7, 5, 6}), *made};
  const MergedGrammars merged = merge(grammars);
  EXPECT_EQ(merged.distinct_count(), 2u);
  ASSERT_NO_FATAL_FAILURE(expect_members(merged, grammars));
}

TEST(Merge, DamagedBytesNeverCrash) {
  Random random(9);
  const auto bytes = bytes_of(merge(some_grammars(random, 9)));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(ByteSpan(bytes).first(size));
    EXPECT_FALSE(MergedGrammars::parse(in)) << size << " of " << bytes.size();
  }
  for (std::uint64_t round = 0; round < (detail::long_tests() ? 100'000u : 2'000u); ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    Random own(9, round);
    auto damaged = bytes;
    for (std::uint64_t flips = 1 + own.below(3); flips > 0; --flips)
      damaged[own.below(damaged.size())] = static_cast<std::byte>(own.below(256));
    ByteReader in(damaged);
    const auto back = MergedGrammars::parse(in);
    if (!back) continue;
    for (std::uint32_t i = 0; i < back->distinct_count(); ++i) {
      const Grammar grammar = back->distinct(i);
      if (grammar.length() < 10'000) {
        ASSERT_EQ(detail::read_all(grammar), detail::expand(grammar));
      }
    }
    if (back->size() > 0) {
      EXPECT_LT(back->distinct_of(back->size() - 1), back->distinct_count());
    }
  }
}

}  // namespace
}  // namespace weir::grammar
