#include "grammar/grammar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grammar/detail/test_support.hpp"

namespace weir::grammar {
namespace {

using detail::Sequence;
using Runs = std::vector<grammar::Run>;
using testing::HasSubstr;

std::vector<std::byte> bytes_of(const Grammar& grammar) {
  ByteWriter out;
  grammar.serialize(out);
  return std::move(out).take();
}

std::string complaint(Runs runs, std::vector<std::uint32_t> begins) {
  const auto made = Grammar::from_rules(std::move(runs), std::move(begins));
  return made ? "none" : made.error().text();
}

// What parses must be a grammar: it expands to its length and is written back as it was read.
void parse_anything(ByteSpan bytes) {
  ByteReader in(bytes);
  const auto made = Grammar::parse(in);
  if (!made) {
    ASSERT_FALSE(made.error().message().empty());
    return;
  }
  if (made->length() < 100'000) {
    ASSERT_EQ(detail::read_all(*made), detail::expand(*made));
  }
  const auto written = bytes_of(*made);
  ByteReader again(written);
  const auto back = Grammar::parse(again);
  ASSERT_TRUE(back);
  ASSERT_EQ(*back, *made);
}

TEST(Grammar, ComesBackFromItsBytes) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const std::uint64_t alphabet = 1 + random.below(seed % 2 == 0 ? 1000 : 5);
    const Grammar made = detail::compress(detail::copying_sequence(random, random.below(2000), alphabet));
    const auto bytes = bytes_of(made);
    ByteReader in(bytes);
    const auto back = Grammar::parse(in);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(*back, made);
    EXPECT_EQ(back->hash(), made.hash());
    EXPECT_EQ(back->length(), made.length());
    EXPECT_EQ(bytes_of(*back), bytes);
  }
}

TEST(Grammar, LoopsTakeAFewBytes) {
  Sequence sequence;
  for (int i = 0; i < 100'000; ++i) sequence.insert(sequence.end(), {3, 4, 4, 5});
  EXPECT_EQ(bytes_of(detail::compress(sequence)).size(), 11u);  // 2 rules; 1: R^100000; 3: 3, 4^2, 5
  EXPECT_EQ(bytes_of(Grammar()).size(), 2u);
}

TEST(Grammar, DiffersWhereTheSequenceDiffers) {
  const Grammar a = detail::compress(detail::from_text("abcabcabd"));
  const Grammar b = detail::compress(detail::from_text("abcabcabe"));
  EXPECT_FALSE(a == b);
  EXPECT_NE(a.hash(), b.hash());
  EXPECT_EQ(a, detail::compress(detail::from_text("abcabcabd")));
  // The same runs, cut differently into rules.
  const Symbol one = rule_symbol(1);
  const auto short_start = Grammar::from_rules({{one, 2}, {'a', 1}, {'b', 1}}, {0, 1});
  const auto long_start = Grammar::from_rules({{one, 2}, {'a', 1}, {'b', 1}}, {0, 2});
  ASSERT_TRUE(short_start && long_start);
  EXPECT_FALSE(*short_start == *long_start);
  EXPECT_NE(short_start->hash(), long_start->hash());
}

TEST(Grammar, RefusesWhatIsNoGrammar) {
  const auto r = [](std::uint32_t rule) { return rule_symbol(rule); };
  EXPECT_EQ(complaint({}, {0}), "none");
  EXPECT_EQ(complaint({{r(1), 2}, {1, 1}, {2, 1}}, {0, 1}), "none");
  EXPECT_THAT(complaint({}, {}), HasSubstr("without a start"));
  EXPECT_THAT(complaint({{r(1), 2}}, {0, 1}), HasSubstr("rule 1 is empty"));
  EXPECT_THAT(complaint({{r(1), 2}, {1, 1}}, {0, 2}), HasSubstr("rule 1 is empty"));
  EXPECT_THAT(complaint({{r(1), 2}, {1, 1}}, {0, 5}), HasSubstr("out of order"));
  EXPECT_THAT(complaint({{1, 1}, {2, 1}}, {1}), HasSubstr("out of order"));
  EXPECT_THAT(complaint({{r(0), 2}}, {0}), HasSubstr("cycle"));
  EXPECT_THAT(complaint({{r(1), 2}, {r(1), 2}}, {0, 1}), HasSubstr("cycle"));
  EXPECT_THAT(complaint({{r(1), 2}, {r(2), 2}, {r(1), 2}}, {0, 1, 2}), HasSubstr("cycle"));
  EXPECT_THAT(complaint({{r(1), 2}}, {0}), HasSubstr("undefined rule 1"));
  EXPECT_THAT(complaint({{1, 0}}, {0}), HasSubstr("count of 0"));
  EXPECT_THAT(complaint({{1, 2}, {1, 1}}, {0, 1}), HasSubstr("rule 1 is not used"));
  EXPECT_THAT(complaint({{r(2), 2}, {r(1), 1}, {1, 2}, {2, 2}}, {0, 2, 3}), HasSubstr("should come"));
  EXPECT_THAT(complaint({{1, ~std::uint64_t{0}}, {2, 1}}, {0}), HasSubstr("longer than 2^64"));
  EXPECT_THAT(complaint({{r(1), std::uint64_t{1} << 40}, {1, std::uint64_t{1} << 40}}, {0, 1}),
              HasSubstr("longer than 2^64"));
}

TEST(Grammar, NamesWhereBytesAreDamaged) {
  ByteWriter out;
  out.varint(1000);
  ByteReader in(out.view());
  const auto made = Grammar::parse(in);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().text(), HasSubstr("grammar"));
}

TEST(Grammar, EveryTruncationIsAnError) {
  Random random(11);
  const auto bytes = bytes_of(detail::compress(detail::copying_sequence(random, 3000, 40)));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(ByteSpan(bytes).first(size));
    EXPECT_FALSE(Grammar::parse(in)) << size << " of " << bytes.size();
  }
}

TEST(Grammar, FlippedBytesNeverCrash) {
  const int rounds = detail::long_tests() ? 200'000 : 4'000;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    Random own(12, static_cast<std::uint64_t>(round));
    auto bytes = bytes_of(detail::compress(detail::copying_sequence(own, 1 + own.below(200), 5)));
    for (std::uint64_t flips = 1 + own.below(4); flips > 0; --flips)
      bytes[own.below(bytes.size())] = static_cast<std::byte>(own.below(256));
    ASSERT_NO_FATAL_FAILURE(parse_anything(bytes));
  }
}

TEST(Grammar, RandomBytesNeverCrash) {
  for (std::uint64_t round = 0; round < 20'000; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    Random random(13, round);
    std::vector<std::byte> bytes(random.below(24));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(1 + random.below(256)));
    ASSERT_NO_FATAL_FAILURE(parse_anything(bytes));
  }
}

TEST(Grammar, RenamesTerminals) {
  const Grammar made = detail::compress({0, 1, 2, 0, 1, 2, 2, 1, 0});
  const Sequence terminals = {30, 10, 20};
  const auto renamed = rename(made, terminals);
  ASSERT_TRUE(renamed);
  EXPECT_EQ(*renamed, detail::compress({30, 10, 20, 30, 10, 20, 20, 10, 30}));
  EXPECT_FALSE(rename(made, std::span(terminals).first(2)));
  const Sequence no_terminals = {30, 10, kFirstRule};
  EXPECT_FALSE(rename(made, no_terminals));
  const auto all_one = rename(made, Sequence{4, 4, 4});
  ASSERT_TRUE(all_one);
  EXPECT_EQ(detail::read_all(*all_one), Sequence(9, 4));
}

}  // namespace
}  // namespace weir::grammar
