#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/random.hpp"
#include "grammar/cursor.hpp"
#include "grammar/grammar.hpp"
#include "grammar/sequitur.hpp"

// For the room's tests: sequences, and what a grammar says and must keep, found without the code under test.
namespace weir::grammar::detail {

using Sequence = std::vector<Symbol>;

inline bool long_tests() { return std::getenv("WEIR_LONG_TESTS") != nullptr; }

inline Sequence from_text(const std::string& text) { return {text.begin(), text.end()}; }

inline Grammar compress(const Sequence& sequence) {
  Sequitur sequitur;
  for (const Symbol symbol : sequence) sequitur.push(symbol);
  return sequitur.finish();
}

// The sequence by rewriting rules from the highest number down.
inline Sequence expand(const Grammar& grammar) {
  std::vector<Sequence> rules(grammar.rule_count());
  for (auto i = static_cast<std::uint32_t>(rules.size()); i-- > 0;)
    for (const Run& run : grammar.rule(i))
      for (std::uint64_t times = 0; times < run.count; ++times)
        if (is_rule(run.symbol)) {
          const Sequence& body = rules[rule_number(run.symbol)];
          rules[i].insert(rules[i].end(), body.begin(), body.end());
        } else {
          rules[i].push_back(run.symbol);
        }
  return rules[0];
}

inline Sequence read_all(const Grammar& grammar) {
  Sequence sequence(static_cast<std::size_t>(grammar.length()));
  Cursor cursor(grammar);
  cursor.read(sequence);
  return sequence;
}

// The first thing Sequitur promises that does not hold, or nothing.
inline std::string broken_promise(const Grammar& grammar) {
  std::map<std::tuple<Symbol, std::uint64_t, Symbol, std::uint64_t>, std::uint32_t> pairs;
  std::vector<std::uint64_t> uses(grammar.rule_count());
  for (std::uint32_t i = 0; i < grammar.rule_count(); ++i) {
    const auto rule = grammar.rule(i);
    if (i != 0 && rule.size() < 2) return fmt::format("rule {} has {} runs", i, rule.size());
    for (std::size_t k = 0; k < rule.size(); ++k) {
      if (is_rule(rule[k].symbol)) uses[rule_number(rule[k].symbol)] += rule[k].count;
      if (k == 0) continue;
      if (rule[k - 1].symbol == rule[k].symbol) return fmt::format("rule {}: runs {} not joined", i, k);
      const auto [at, fresh] =
          pairs.try_emplace({rule[k - 1].symbol, rule[k - 1].count, rule[k].symbol, rule[k].count}, i);
      if (!fresh) return fmt::format("the same pair in rules {} and {}", at->second, i);
    }
  }
  for (std::size_t i = 1; i < uses.size(); ++i)
    if (uses[i] < 2) return fmt::format("rule {} is used {} times", i, uses[i]);
  return {};
}

inline Sequence random_sequence(Random& random, std::size_t length, std::uint64_t alphabet) {
  Sequence sequence(length);
  for (Symbol& symbol : sequence) symbol = static_cast<Symbol>(random.below(alphabet));
  return sequence;
}

// Random symbols between repeats of earlier pieces, as programs make them.
inline Sequence copying_sequence(Random& random, std::size_t length, std::uint64_t alphabet,
                                 std::size_t longest = 1000) {
  Sequence sequence;
  while (sequence.size() < length) {
    if (sequence.size() < 5 || random.below(4) != 0) {
      sequence.push_back(static_cast<Symbol>(random.below(alphabet)));
      continue;
    }
    const std::size_t begin = random.below(sequence.size());
    const std::size_t size = 1 + random.below(std::min(sequence.size() - begin, longest));
    for (std::uint64_t times = 1 + random.below(4); times > 0; --times)
      for (std::size_t i = 0; i < size; ++i) sequence.push_back(sequence[begin + i]);
  }
  sequence.resize(length);
  return sequence;
}

// The body of a loop with loops inside, constant turns and one to `depth` levels.
inline Sequence loop_body(Random& random, std::size_t depth, std::uint64_t alphabet) {
  std::vector<Sequence> bodies;
  for (std::size_t level = 0; level < depth; ++level) {
    Sequence body;
    for (std::uint64_t parts = 1 + random.below(6); parts > 0; --parts) {
      const std::uint64_t turns = 1 + random.below(5);
      Sequence part = {static_cast<Symbol>(random.below(alphabet))};
      if (level > 0 && random.below(2) == 0) part = bodies[random.below(level)];
      for (std::uint64_t turn = 0; turn < turns; ++turn) body.insert(body.end(), part.begin(), part.end());
    }
    bodies.push_back(std::move(body));
  }
  return bodies.back();
}

inline Sequence fibonacci_word(std::size_t length) {
  Sequence shorter = {0};
  Sequence word = {0, 1};
  while (word.size() < length) {
    Sequence longer = word;
    longer.insert(longer.end(), shorter.begin(), shorter.end());
    shorter = std::move(word);
    word = std::move(longer);
  }
  word.resize(length);
  return word;
}

template <class SymbolAt>
Sequence sequence_of(std::size_t length, const SymbolAt& symbol_at) {
  Sequence sequence(length);
  for (std::size_t i = 0; i < length; ++i) sequence[i] = static_cast<Symbol>(symbol_at(i));
  return sequence;
}

}  // namespace weir::grammar::detail
