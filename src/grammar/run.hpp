#pragma once

#include <cstdint>

namespace weir::grammar {

// A symbol is a terminal, below kFirstRule, or kFirstRule plus the number of a rule.
using Symbol = std::uint32_t;

inline constexpr Symbol kFirstRule = Symbol{1} << 31;

constexpr bool is_rule(Symbol symbol) { return symbol >= kFirstRule; }
constexpr Symbol rule_symbol(std::uint32_t rule) { return kFirstRule + rule; }
constexpr std::uint32_t rule_number(Symbol symbol) { return symbol - kFirstRule; }

// symbol^count, count at least 1.
struct Run {
  Symbol symbol = 0;
  std::uint64_t count = 1;

  friend bool operator==(const Run&, const Run&) = default;
};

}  // namespace weir::grammar
