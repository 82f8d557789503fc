#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "grammar/run.hpp"

namespace weir::grammar::detail {

struct Rules {
  std::vector<Run> runs;
  std::vector<std::uint32_t> begins;  // of each rule in `runs`
};

// Numbers rules in the order in which their last use is met when rules are read in that same order from
// `start`. A rule then refers only to rules of higher numbers, and the numbers depend on nothing but the
// grammar. visit(rule, see) calls see(Run) for the rule's runs in order, with old numbers; uses[rule] is how
// many runs name the rule.
template <class Visit>
Rules canonical_rules(std::uint32_t start, std::vector<std::uint32_t> uses, const Visit& visit) {
  Rules made;
  std::vector<std::uint32_t> order = {start};
  std::vector<std::uint32_t> numbers(uses.size());
  for (std::size_t next = 0; next < order.size(); ++next) {
    made.begins.push_back(static_cast<std::uint32_t>(made.runs.size()));
    visit(order[next], [&](Run run) {
      made.runs.push_back(run);
      if (!is_rule(run.symbol)) return;
      const std::uint32_t rule = rule_number(run.symbol);
      if (--uses[rule] != 0) return;
      numbers[rule] = static_cast<std::uint32_t>(order.size());
      order.push_back(rule);
    });
  }
  for (Run& run : made.runs)
    if (is_rule(run.symbol)) run.symbol = rule_symbol(numbers[rule_number(run.symbol)]);
  return made;
}

}  // namespace weir::grammar::detail
