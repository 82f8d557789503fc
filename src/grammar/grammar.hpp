#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "grammar/run.hpp"

namespace weir::grammar {

// A finished grammar: one sequence of terminals, never changed. Rule 0 is the start; it alone may be empty.
// Rules are numbered in the order in which their last use is met when they are read in that order, so a rule
// refers only to higher numbers, every rule is used, and the same grammar always has the same bytes.
class Grammar {
 public:
  Grammar();  // of the empty sequence

  // Rule i is runs[begins[i]] up to the next begin. An error where the above does not hold, a count is 0 or
  // the length does not fit 64 bits: what comes from a file may be anything.
  static Result<Grammar> from_rules(std::vector<Run> runs, std::vector<std::uint32_t> begins);

  std::uint64_t length() const { return rules_.front().length; }
  bool empty() const { return length() == 0; }

  std::size_t rule_count() const { return rules_.size(); }
  std::size_t run_count() const { return runs_.size(); }  // in all rules
  std::span<const Run> rule(std::uint32_t number) const {
    return std::span(runs_).subspan(rules_[number].begin, rules_[number].end - rules_[number].begin);
  }
  std::uint64_t rule_length(std::uint32_t number) const { return rules_[number].length; }  // expanded
  std::uint64_t symbol_length(Symbol symbol) const {
    return is_rule(symbol) ? rules_[rule_number(symbol)].length : 1;
  }

  // The run of a rule that holds `offset` of the rule's expansion, which is that long at least, and the
  // offset at which this run begins.
  struct Place {
    std::uint32_t run = 0;  // within the rule
    std::uint64_t begin = 0;
  };
  Place find(std::uint32_t rule, std::uint64_t offset) const;

  std::uint64_t hash() const;
  friend bool operator==(const Grammar& a, const Grammar& b);

  void serialize(ByteWriter& out) const;
  static Result<Grammar> parse(ByteReader& in);

  std::size_t memory_bytes() const;

 private:
  friend class Cursor;

  struct Rule {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint64_t length = 0;
    std::uint64_t before = 0;  // expanded length of all runs of all rules before, modulo 2^64
  };
  static constexpr std::uint32_t kMarkEvery = 16;

  Result<void> measure();
  Result<void> check_order() const;

  std::vector<Run> runs_;
  std::vector<Rule> rules_;
  std::vector<std::uint64_t> marks_;  // `before` of every kMarkEvery-th run
};

// The same grammar over other terminals: t becomes terminals[t]. An error when one has no entry there.
// Runs stay as they are, also where two neighbours come to have the same symbol.
Result<Grammar> rename(const Grammar& grammar, std::span<const Symbol> terminals);

}  // namespace weir::grammar
