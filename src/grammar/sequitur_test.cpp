#include "grammar/sequitur.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "grammar/detail/test_support.hpp"

namespace weir::grammar {
namespace {

using detail::Sequence;

// Compares the grammar, as it stands and as it would end here, with all that was pushed.
void check_now(const Sequitur& sequitur, std::span<const Symbol> pushed) {
  ASSERT_EQ(sequitur.length(), pushed.size());
  const Grammar closed = sequitur.closed();
  ASSERT_EQ(detail::broken_promise(closed), "");
  ASSERT_EQ(closed.rule_count(), sequitur.rule_count());
  ASSERT_EQ(closed.run_count(), sequitur.run_count());
  const Sequence begin = detail::expand(closed);
  ASSERT_LT(begin.size(), pushed.size());
  ASSERT_TRUE(std::equal(begin.begin(), begin.end(), pushed.begin()));
  const Grammar whole = Sequitur(sequitur).finish();
  ASSERT_EQ(detail::broken_promise(whole), "");
  ASSERT_TRUE(std::ranges::equal(detail::expand(whole), pushed));
}

void check_every_push(const Sequence& sequence) {
  Sequitur sequitur;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    sequitur.push(sequence[i]);
    ASSERT_NO_FATAL_FAILURE(check_now(sequitur, std::span(sequence).first(i + 1)));
  }
}

void check_at_end(const Sequence& sequence) {
  const Grammar grammar = detail::compress(sequence);
  ASSERT_EQ(grammar.length(), sequence.size());
  ASSERT_EQ(detail::broken_promise(grammar), "");
  ASSERT_TRUE(detail::read_all(grammar) == sequence);
}

// Every sequence up to `longest` over the alphabet: with it every push, since what came before is one of them
// too.
void check_exhaustively(std::size_t longest, std::size_t alphabet) {
  Sequitur sequitur;
  Sequence sequence;
  for (;;) {
    // The next one: count up, with one more symbol where that runs over.
    std::size_t at = 0;
    while (at < sequence.size() && sequence[at] + 1 == alphabet) sequence[at++] = 0;
    if (at < sequence.size())
      ++sequence[at];
    else
      sequence.push_back(0);
    if (sequence.size() > longest) return;
    sequitur.clear();
    for (const Symbol symbol : sequence) sequitur.push(symbol);
    check_now(sequitur, sequence);
    if (testing::Test::HasFatalFailure()) FAIL() << testing::PrintToString(sequence);
  }
}

TEST(Sequitur, EmptyGivesTheEmptySequence) {
  Sequitur sequitur;
  EXPECT_EQ(sequitur.length(), 0u);
  EXPECT_EQ(sequitur.run_count(), 0u);
  EXPECT_EQ(sequitur.finish(), Grammar());
}

TEST(Sequitur, TwoTurnsMakeARule) {
  const Grammar made = detail::compress(detail::from_text("abab"));
  ASSERT_EQ(made.rule_count(), 2u);
  EXPECT_EQ(made.rule(0).size(), 1u);
  EXPECT_EQ(made.rule(0)[0], (grammar::Run{rule_symbol(1), 2}));
  EXPECT_EQ(made.rule(1)[0], (grammar::Run{'a', 1}));
  EXPECT_EQ(made.rule(1)[1], (grammar::Run{'b', 1}));
}

TEST(Sequitur, EveryShortSequenceOverThreeSymbols) {
  ASSERT_NO_FATAL_FAILURE(check_exhaustively(detail::long_tests() ? 13 : 10, 3));
}

TEST(Sequitur, EveryShortSequenceOverTwoSymbols) {
  ASSERT_NO_FATAL_FAILURE(check_exhaustively(detail::long_tests() ? 20 : 14, 2));
}

TEST(Sequitur, PromisesHoldAfterEveryPush) {
  for (std::uint64_t seed = 1; seed <= (detail::long_tests() ? 4000u : 400u); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const std::size_t length = 1 + random.below(250);
    const std::uint64_t alphabet = 1 + random.below(seed % 4 == 0 ? 1000 : 4);
    ASSERT_NO_FATAL_FAILURE(check_every_push(detail::copying_sequence(random, length, alphabet)));
  }
}

TEST(Sequitur, RandomSequencesOverAlphabetsUpToAThousand) {
  for (std::uint64_t alphabet = 1; alphabet <= 1000; alphabet += 1 + alphabet / 4) {
    SCOPED_TRACE(fmt::format("alphabet {}", alphabet));
    Random random(alphabet);
    ASSERT_NO_FATAL_FAILURE(check_at_end(detail::random_sequence(random, 20'000, alphabet)));
    ASSERT_NO_FATAL_FAILURE(check_at_end(detail::copying_sequence(random, 20'000, alphabet)));
  }
}

TEST(Sequitur, LongSequences) {
  const std::size_t length = detail::long_tests() ? 10'000'000 : 1'000'000;
  Random random(7);
  ASSERT_NO_FATAL_FAILURE(check_at_end(detail::random_sequence(random, length, 64)));
  ASSERT_NO_FATAL_FAILURE(check_at_end(detail::copying_sequence(random, length, 5, 100'000)));
  ASSERT_NO_FATAL_FAILURE(check_at_end(detail::fibonacci_word(length)));
  ASSERT_NO_FATAL_FAILURE(
      check_at_end(detail::sequence_of(length, [](std::size_t i) { return std::popcount(i) % 2; })));
  // The ruler sequence: the deepest rules for the length.
  ASSERT_NO_FATAL_FAILURE(
      check_at_end(detail::sequence_of(length, [](std::size_t i) { return std::countr_zero(i + 1); })));
  ASSERT_NO_FATAL_FAILURE(check_at_end(detail::sequence_of(length, [](std::size_t i) { return i % 997; })));
  ASSERT_NO_FATAL_FAILURE(  // a run of every length: no pair ever comes twice
      check_at_end(detail::sequence_of(length, [](std::size_t i) {
        const auto turn = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(i) + 1) - 1) / 2);
        return turn % 2;
      })));
}

TEST(Sequitur, LoopsThatBreakOff) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Sequence sequence;
    while (sequence.size() < 3000) {
      const Symbol breaking = static_cast<Symbol>(2 + random.below(2));
      for (std::uint64_t turns = random.below(20); turns > 0; --turns)
        sequence.insert(sequence.end(), {0, 1});
      if (random.below(2) == 0) sequence.push_back(0);
      sequence.push_back(breaking);
    }
    ASSERT_NO_FATAL_FAILURE(check_at_end(sequence));
    sequence.resize(400);
    ASSERT_NO_FATAL_FAILURE(check_every_push(sequence));
  }
}

// Every word of `width` symbols once (Fredricksen, Kessler and Maiorana): nothing to find beyond that width.
TEST(Sequitur, DeBruijnSequences) {
  for (const auto& [alphabet, width] : {std::pair{2u, 14u}, {3u, 8u}, {10u, 4u}}) {
    Sequence sequence;
    Sequence word(width + 1);
    std::size_t length = 1;
    while (length != 0) {
      if (width % length == 0)
        sequence.insert(sequence.end(), word.begin() + 1,
                        word.begin() + 1 + static_cast<std::ptrdiff_t>(length));
      for (std::size_t i = length + 1; i <= width; ++i) word[i] = word[i - length];
      length = width;
      while (length != 0 && word[length] == alphabet - 1) --length;
      if (length != 0) ++word[length];
    }
    ASSERT_EQ(sequence.size(), static_cast<std::size_t>(std::pow(alphabet, width)));
    ASSERT_NO_FATAL_FAILURE(check_at_end(sequence));
  }
}

// x y, then x y z, then x y z w: each turn makes a rule that swallows the one before.
TEST(Sequitur, RulesThatSwallowRules) {
  Sequence growing;
  for (Symbol length = 1; length <= 120; ++length)
    for (Symbol symbol = 0; symbol < length; ++symbol) growing.push_back(symbol);
  ASSERT_NO_FATAL_FAILURE(check_at_end(growing));
  Sequence backwards(growing.rbegin(), growing.rend());
  ASSERT_NO_FATAL_FAILURE(check_at_end(backwards));
  growing.resize(600);
  ASSERT_NO_FATAL_FAILURE(check_every_push(growing));
  backwards.resize(2000);
  ASSERT_NO_FATAL_FAILURE(check_every_push(backwards));
}

// Prefixes of one word, each followed by a symbol of its own: a chain of rules, each used by the one above.
TEST(Sequitur, DeepRules) {
  Sequence sequence;
  for (Symbol level = 2; level < 1000; ++level) {
    for (Symbol symbol = 0; symbol < level; ++symbol) sequence.push_back(symbol);
    sequence.push_back(1000 + level);
  }
  const Grammar grammar = detail::compress(sequence);
  EXPECT_GT(grammar.rule_count(), 990u);
  EXPECT_EQ(detail::broken_promise(grammar), "");
  EXPECT_TRUE(detail::read_all(grammar) == sequence);
}

// Runs of a whole grammar for `body` repeated, after `lead`.
std::size_t loop_size(const Sequence& lead, const Sequence& body, std::uint64_t turns) {
  Sequitur sequitur;
  for (const Symbol symbol : lead) sequitur.push(symbol);
  for (std::uint64_t turn = 0; turn < turns; ++turn)
    for (const Symbol symbol : body) sequitur.push(symbol);
  const std::uint64_t length = sequitur.length();
  const Grammar grammar = sequitur.finish();
  EXPECT_EQ(grammar.length(), length);
  return grammar.run_count();
}

TEST(Sequitur, LoopsCostAConstant) {
  struct Case {
    std::string body;
    std::size_t runs;
  };
  // Written by hand: a^N; R^N, R -> a b; ...; a R^(N-1) b a, R -> b a^2, since runs join across turns.
  for (const auto& [body, runs] : {Case{"a", 1},
                                   {"ab", 3},
                                   {"abc", 4},
                                   {"aab", 3},
                                   {"aba", 6},
                                   {"abab", 3},
                                   {"ababc", 5},
                                   {"aabaabaac", 6},
                                   {"abcabcdabcabcde", 8}}) {
    SCOPED_TRACE(body);
    for (const std::uint64_t turns : {10u, 11u, 64u, 1000u, 4097u, 100'000u})
      EXPECT_EQ(loop_size({}, detail::from_text(body), turns), runs) << turns << " turns";
  }
  for (const std::string body : {"ab", "aba"})
    EXPECT_EQ(loop_size({}, detail::from_text(body), 1'000'000), loop_size({}, detail::from_text(body), 10));
}

TEST(Sequitur, NestedLoopsCostAConstant) {
  const auto nested = [](std::uint64_t inner, std::uint64_t middle, std::uint64_t outer) {
    Sequitur sequitur;
    for (std::uint64_t i = 0; i < outer; ++i) {
      for (std::uint64_t j = 0; j < middle; ++j) {
        for (std::uint64_t k = 0; k < inner; ++k) {
          sequitur.push('a');
          sequitur.push('b');
        }
        sequitur.push('c');
      }
      sequitur.push('d');
    }
    return sequitur.finish().run_count();
  };
  // S -> U^outer, U -> T^middle d, T -> R^inner c, R -> a b.
  for (const std::uint64_t inner : {2u, 3u, 10u, 101u})
    for (const std::uint64_t middle : {2u, 3u, 10u, 37u})
      for (const std::uint64_t outer : {10u, 100u}) EXPECT_EQ(nested(inner, middle, outer), 7u);
  EXPECT_EQ(nested(1000, 100, 10), 7u);
  EXPECT_EQ(nested(10, 10, 10'000), 7u);
}

TEST(Sequitur, RandomLoopsCostAConstant) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; seed <= (detail::long_tests() ? 5000u : 500u); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Sequence body = detail::loop_body(random, 1 + random.below(4), 1 + random.below(5));
    if (body.size() > 2000) continue;
    ++tried;
    // The loop begins in the middle of a turn, after something else.
    Sequence lead = detail::random_sequence(random, random.below(4), 8);
    lead.insert(lead.end(), body.begin() + static_cast<std::ptrdiff_t>(random.below(body.size())),
                body.end());
    const std::size_t runs = loop_size(lead, body, 20);
    for (const std::uint64_t turns : {33u, 100u, 301u}) ASSERT_EQ(loop_size(lead, body, turns), runs);
  }
  EXPECT_GT(tried, 300u);
}

TEST(Sequitur, CountsStandForRepeatedPushes) {
  Sequitur one_by_one;
  Sequitur counted;
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto symbol = static_cast<Symbol>(random.below(3));
    const std::uint64_t count = random.below(4);
    for (std::uint64_t k = 0; k < count; ++k) one_by_one.push(symbol);
    counted.push(symbol, count);
    EXPECT_EQ(one_by_one.length(), counted.length());
  }
  EXPECT_EQ(one_by_one.finish(), counted.finish());
}

TEST(Sequitur, CountsNearTheLimit) {
  Sequitur sequitur;
  sequitur.push(1, std::uint64_t{1} << 63);
  sequitur.push(2, (std::uint64_t{1} << 63) - 1);
  EXPECT_EQ(sequitur.length(), ~std::uint64_t{0});
  EXPECT_EQ(sequitur.finish().length(), ~std::uint64_t{0});
  EXPECT_DEATH(
      {
        sequitur.push(1, ~std::uint64_t{0});
        sequitur.push(2);
        sequitur.finish();
      },
      "2\\^64");
  EXPECT_DEATH(sequitur.push(kFirstRule, 1); sequitur.push(2), "terminal");
}

TEST(Sequitur, ClearedIsAsNewAndKeepsItsMemory) {
  Random random(5);
  const Sequence sequence = detail::random_sequence(random, 5000, 20);
  const Grammar expected = detail::compress(sequence);
  Sequitur sequitur;
  for (int round = 0; round < 3; ++round) {
    for (const Symbol symbol : detail::random_sequence(random, 5000, 7)) sequitur.push(symbol);
    const std::size_t memory = sequitur.memory_bytes();
    sequitur.clear();
    EXPECT_EQ(sequitur.memory_bytes(), memory);
    EXPECT_EQ(sequitur.length(), 0u);
    for (const Symbol symbol : sequence) sequitur.push(symbol);
    EXPECT_EQ(sequitur.finish(), expected);
  }
}

TEST(Sequitur, ReservedRoomIsEnough) {
  Random random(5);
  Sequitur sequitur;
  sequitur.reserve(20'000);
  const std::size_t memory = sequitur.memory_bytes();
  for (const Symbol symbol : detail::random_sequence(random, 20'000, 20)) sequitur.push(symbol);
  EXPECT_LT(sequitur.memory_bytes(), memory + 1024);  // the queue of pairs to look at is not counted in
  EXPECT_LT(sequitur.run_count(), 20'000u);
}

}  // namespace
}  // namespace weir::grammar
