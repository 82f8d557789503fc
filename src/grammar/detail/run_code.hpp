#pragma once

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "grammar/run.hpp"

namespace weir::grammar::detail {

// A run in bytes: a varint whose lowest bit says that a count follows and whose next bit that the rest is the
// distance to a rule instead of a terminal; then the count less 2, where there is one.
inline void write_run(ByteWriter& out, const Run& run, std::uint32_t rule_distance) {
  const std::uint64_t name =
      is_rule(run.symbol) ? std::uint64_t{rule_distance} << 1 | 1 : std::uint64_t{run.symbol} << 1;
  out.varint(name << 1 | (run.count > 1 ? 1 : 0));
  if (run.count > 1) out.varint(run.count - 2);
}

// A varint of how many, then the runs, appended to `runs`. rule_at(distance) gives the rule's number, or one
// of kFirstRule or more for none.
template <class RuleAt>
Result<void> read_runs(ByteReader& in, std::vector<Run>& runs, const RuleAt& rule_at) {
  const auto count = in.count(1);
  if (!count) return count.error();
  if (*count >= kFirstRule - runs.size()) return Error{Errc::too_big, fmt::format("{} runs", *count)};
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto head = in.varint();
    if (!head) return head.error();
    Run run;
    std::uint64_t name = *head >> 2;
    const bool names_rule = (*head & 2) != 0;
    if (names_rule) name = rule_at(name);
    if (name >= kFirstRule - 1)
      return Error{Errc::bad_data, fmt::format("no {}: {}", names_rule ? "rule" : "terminal", *head >> 2)};
    run.symbol = names_rule ? rule_symbol(static_cast<std::uint32_t>(name)) : static_cast<Symbol>(name);
    if ((*head & 1) != 0) {
      const auto more = in.varint();
      if (!more) return more.error();
      if (*more > ~std::uint64_t{0} - 2) return Error{Errc::bad_data, "a count beyond 2^64"};
      run.count = *more + 2;
    }
    runs.push_back(run);
  }
  return {};
}

}  // namespace weir::grammar::detail
