#include "grammar/cursor.hpp"

#include <gtest/gtest.h>

#include "grammar/detail/test_support.hpp"

namespace weir::grammar {
namespace {

using detail::Sequence;

TEST(Cursor, OfTheEmptySequenceIsAtItsEnd) {
  const Grammar empty;
  Cursor cursor(empty);
  grammar::Run run;
  Symbol symbol = 0;
  EXPECT_TRUE(cursor.at_end());
  EXPECT_FALSE(cursor.next(symbol));
  EXPECT_FALSE(cursor.next_run(run));
}

TEST(Cursor, ReadsSymbolsAndRunsAndBlocks) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Sequence sequence = detail::copying_sequence(random, 1 + random.below(3000), 1 + random.below(6));
    const Grammar made = detail::compress(sequence);

    Sequence symbols;
    Cursor one(made);
    for (Symbol symbol = 0; one.next(symbol);) symbols.push_back(symbol);
    EXPECT_TRUE(one.at_end());
    EXPECT_EQ(symbols, sequence);

    symbols.clear();
    Cursor runs(made);
    for (grammar::Run run; runs.next_run(run);) {
      ASSERT_GT(run.count, 0u);
      symbols.insert(symbols.end(), static_cast<std::size_t>(run.count), run.symbol);
      EXPECT_EQ(runs.position(), symbols.size());
    }
    EXPECT_EQ(symbols, sequence);

    symbols.clear();
    Cursor blocks(made);
    Sequence block(7);
    while (const std::size_t got = blocks.read(block))
      symbols.insert(symbols.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got));
    EXPECT_EQ(symbols, sequence);
  }
}

TEST(Cursor, SeeksAnywhere) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    // Some with long rules, so that the marks within a rule are used; some deep.
    const Sequence sequence = seed % 3 == 0 ? detail::random_sequence(random, 3000, 500)
                                            : detail::copying_sequence(random, 3000, 1 + random.below(4));
    const Grammar made = detail::compress(sequence);
    Cursor cursor(made);
    for (int round = 0; round < 300; ++round) {
      const std::uint64_t position = random.below(sequence.size() + 1);
      cursor.seek(position);
      ASSERT_EQ(cursor.position(), position);
      Sequence block(random.below(20));
      const std::size_t got = cursor.read(block);
      ASSERT_EQ(got, std::min<std::size_t>(block.size(), sequence.size() - position));
      for (std::size_t i = 0; i < got; ++i) ASSERT_EQ(block[i], sequence[position + i]);
      Symbol symbol = 0;
      ASSERT_EQ(cursor.next(symbol), position + got < sequence.size());
      if (position + got < sequence.size()) {
        ASSERT_EQ(symbol, sequence[position + got]);
      }
    }
    cursor.seek(0);
    Sequence whole(sequence.size());
    ASSERT_EQ(cursor.read(whole), whole.size());
    ASSERT_EQ(whole, sequence);
  }
}

TEST(Cursor, SeeksInSequencesTooLongToExpand) {
  Sequitur sequitur;
  const std::uint64_t billion = 1'000'000'000;
  for (int i = 0; i < 1000; ++i) {
    sequitur.push(1, billion);
    sequitur.push(2, 1);
    sequitur.push(3, billion * 1000);
  }
  const Grammar made = sequitur.finish();
  EXPECT_EQ(made.run_count(), 4u);
  const std::uint64_t turn = 1001 * billion + 1;
  EXPECT_EQ(made.length(), 1000 * turn);
  Cursor cursor(made);
  cursor.seek(999 * turn + billion);
  grammar::Run run;
  ASSERT_TRUE(cursor.next_run(run));
  EXPECT_EQ(run, (grammar::Run{2, 1}));
  ASSERT_TRUE(cursor.next_run(run));
  EXPECT_EQ(run, (grammar::Run{3, 1000 * billion}));
  EXPECT_TRUE(cursor.at_end());
  cursor.seek(500 * turn + billion - 5);
  ASSERT_TRUE(cursor.next_run(run));
  EXPECT_EQ(run, (grammar::Run{1, 5}));
}

TEST(Cursor, ReadsAChainOfRulesAsDeepAsTheGrammar) {
  // Rule i -> i, rule i+1: 200000 levels.
  const std::uint32_t depth = 200'000;
  std::vector<grammar::Run> runs;
  std::vector<std::uint32_t> begins;
  for (std::uint32_t i = 0; i < depth; ++i) {
    begins.push_back(static_cast<std::uint32_t>(runs.size()));
    runs.push_back({i, 1});
    if (i + 1 < depth) runs.push_back({rule_symbol(i + 1), 1});
  }
  const auto made = Grammar::from_rules(std::move(runs), std::move(begins));
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->length(), depth);
  Cursor cursor(*made);
  Symbol symbol = 0;
  for (std::uint32_t i = 0; i < depth; ++i) {
    ASSERT_TRUE(cursor.next(symbol));
    ASSERT_EQ(symbol, i);
  }
  EXPECT_FALSE(cursor.next(symbol));
  cursor.seek(depth - 1);
  ASSERT_TRUE(cursor.next(symbol));
  EXPECT_EQ(symbol, depth - 1);
}

}  // namespace
}  // namespace weir::grammar
