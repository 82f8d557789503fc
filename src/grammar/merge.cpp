#include "grammar/merge.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/checksum.hpp"
#include "grammar/cursor.hpp"
#include "grammar/detail/canonical.hpp"
#include "grammar/detail/run_code.hpp"

namespace weir::grammar {

std::span<const Run> MergedGrammars::pool_rule(std::uint32_t rule) const {
  const std::size_t end = rule + 1 < begins_.size() ? begins_[rule + 1] : runs_.size();
  return std::span(runs_).subspan(begins_[rule], end - begins_[rule]);
}

std::uint32_t MergedGrammars::distinct_of(std::uint64_t index) const {
  WEIR_CHECK(index < size(), "grammar {} of {}", index, size());
  Cursor cursor(members_);
  cursor.seek(index);
  Symbol number = 0;
  cursor.next(number);
  return number;
}

Grammar MergedGrammars::distinct(std::uint32_t number) const {
  WEIR_CHECK(number < starts_.size(), "grammar {} of {}", number, starts_.size());
  // The rules reached from the start, in ascending order; `local` is a rule's place among them.
  std::vector<std::uint32_t> reached = {starts_[number]};
  std::unordered_map<std::uint32_t, std::uint32_t> local = {{starts_[number], 0}};
  std::vector<std::uint32_t> uses = {0};
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (const Run& run : pool_rule(reached[next])) {
      if (!is_rule(run.symbol)) continue;
      const auto [entry, fresh] =
          local.try_emplace(rule_number(run.symbol), static_cast<std::uint32_t>(reached.size()));
      if (fresh) {
        reached.push_back(rule_number(run.symbol));
        uses.push_back(0);
      }
      ++uses[entry->second];
    }
  auto rules = detail::canonical_rules(0, std::move(uses), [&](std::uint32_t rule, const auto& see) {
    for (Run run : pool_rule(reached[rule])) {
      if (is_rule(run.symbol)) run.symbol = rule_symbol(local.find(rule_number(run.symbol))->second);
      see(run);
    }
  });
  return Grammar::from_rules(std::move(rules.runs), std::move(rules.begins)).value();
}

// Whether `grammar` is what distinct(number) would give: the rules of the two match one to one.
bool MergedGrammars::is_distinct(std::uint32_t number, const Grammar& grammar) const {
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  std::vector<std::uint32_t> pooled(grammar.rule_count(), kUnknown);
  pooled[0] = starts_[number];
  for (std::uint32_t rule = 0; rule < pooled.size(); ++rule) {  // users come before what they use
    const auto same = [&](const Run& mine, const Run& pool) {
      if (!is_rule(mine.symbol) || !is_rule(pool.symbol)) return mine == pool;
      std::uint32_t& partner = pooled[rule_number(mine.symbol)];
      if (partner == kUnknown) partner = rule_number(pool.symbol);
      return partner == rule_number(pool.symbol) && mine.count == pool.count;
    };
    if (!std::ranges::equal(grammar.rule(rule), pool_rule(pooled[rule]), same)) return false;
  }
  std::ranges::sort(pooled);
  return std::ranges::adjacent_find(pooled) == pooled.end();
}

std::size_t MergedGrammars::memory_bytes() const {
  return runs_.capacity() * sizeof(Run) + (begins_.capacity() + starts_.capacity()) * sizeof(std::uint32_t) +
         members_.memory_bytes();
}

// rule count; for each rule its number of runs and the runs, a rule named by how much lower its number is;
// the number of distinct grammars and their start rules; the grammar of members.
void MergedGrammars::serialize(ByteWriter& out) const {
  out.varint(begins_.size());
  for (std::uint32_t i = 0; i < begins_.size(); ++i) {
    out.varint(pool_rule(i).size());
    for (const Run& run : pool_rule(i))
      detail::write_run(out, run, is_rule(run.symbol) ? i - rule_number(run.symbol) : 0);
  }
  out.varint(starts_.size());
  for (const std::uint32_t start : starts_) out.varint(start);
  members_.serialize(out);
}

Result<MergedGrammars> MergedGrammars::parse(ByteReader& in) {
  const auto rules = in.count(1);
  if (!rules) return rules.error().in("merged grammars");
  if (*rules >= kFirstRule) return Error{Errc::too_big, fmt::format("{} rules in merged grammars", *rules)};
  MergedGrammars made;
  made.begins_.reserve(static_cast<std::size_t>(*rules));
  for (std::uint32_t i = 0; i < *rules; ++i) {
    made.begins_.push_back(static_cast<std::uint32_t>(made.runs_.size()));
    const auto read = detail::read_runs(in, made.runs_, [i](std::uint64_t down) -> std::uint64_t {
      return down != 0 && down <= i ? i - down : ~std::uint64_t{0};
    });
    if (!read) return read.error().in(fmt::format("rule {}", i)).in("merged grammars");
  }
  const auto distinct = in.count(1);
  if (!distinct) return distinct.error().in("merged grammars");
  if (*distinct >= kFirstRule) return Error{Errc::too_big, fmt::format("{} grammars", *distinct)};
  made.starts_.reserve(static_cast<std::size_t>(*distinct));
  for (std::uint64_t i = 0; i < *distinct; ++i) {
    const auto start = in.varint();
    if (!start) return start.error().in("merged grammars");
    if (*start >= *rules)
      return Error{Errc::bad_data, fmt::format("merged grammars: start rule {} of {}", *start, *rules)};
    made.starts_.push_back(static_cast<std::uint32_t>(*start));
  }
  auto members = Grammar::parse(in);
  if (!members) return members.error().in("members").in("merged grammars");
  made.members_ = *std::move(members);
  if (const auto ok = made.check(); !ok) return ok.error().in("merged grammars");
  return made;
}

// That every member is a grammar. References downwards exclude cycles.
Result<void> MergedGrammars::check() const {
  std::vector<std::uint64_t> lengths(begins_.size());
  for (std::uint32_t i = 0; i < begins_.size(); ++i)
    for (const Run& run : pool_rule(i)) {
      std::uint64_t part = 1;
      if (is_rule(run.symbol)) {
        part = lengths[rule_number(run.symbol)];
        if (part == 0) return Error{Errc::bad_data, fmt::format("rule {} uses an empty rule", i)};
      }
      if (__builtin_mul_overflow(run.count, part, &part) ||
          __builtin_add_overflow(lengths[i], part, &lengths[i]))
        return Error{Errc::bad_data, fmt::format("rule {} is longer than 2^64", i)};
    }
  std::vector<std::uint32_t> starts = starts_;
  std::ranges::sort(starts);
  if (std::ranges::adjacent_find(starts) != starts.end())
    return Error{Errc::bad_data, "the same grammar listed twice"};
  for (std::uint32_t i = 0; i < members_.rule_count(); ++i)
    for (const Run& run : members_.rule(i))
      if (!is_rule(run.symbol) && run.symbol >= starts_.size())
        return Error{Errc::bad_data, fmt::format("grammar {} of {}", run.symbol, starts_.size())};
  return {};
}

void Merger::add(const Grammar& grammar, std::uint64_t times) {
  if (times != 0) members_.push(intern(grammar), times);
}

void Merger::add(const MergedGrammars& list) {
  // By first appearance in `list`, which is the order of its distinct grammars.
  std::vector<std::uint32_t> numbers;
  numbers.reserve(list.distinct_count());
  for (std::uint32_t i = 0; i < list.distinct_count(); ++i) numbers.push_back(intern(list.distinct(i)));
  Cursor cursor(list.members());
  for (Run run; cursor.next_run(run);) members_.push(numbers[run.symbol], run.count);
}

MergedGrammars Merger::finish() {
  made_.members_ = members_.finish();
  MergedGrammars made = std::exchange(made_, {});
  distinct_by_hash_.clear();
  rules_by_hash_.clear();
  taken_by_.clear();
  return made;
}

std::uint32_t Merger::intern(const Grammar& grammar) {
  const std::uint64_t hash = grammar.hash();
  const auto [first, last] = distinct_by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (made_.is_distinct(at->second, grammar)) return at->second;
  // From the highest number down, so that a rule comes after the rules it uses.
  std::vector<std::uint32_t> pooled(grammar.rule_count());
  std::vector<Run> body;
  for (auto rule = static_cast<std::uint32_t>(grammar.rule_count()); rule-- > 0;) {
    const auto runs = grammar.rule(rule);
    body.assign(runs.begin(), runs.end());
    for (Run& run : body)
      if (is_rule(run.symbol)) run.symbol = rule_symbol(pooled[rule_number(run.symbol)]);
    pooled[rule] = intern_rule(body);
  }
  const auto number = static_cast<std::uint32_t>(made_.starts_.size());
  made_.starts_.push_back(pooled[0]);
  distinct_by_hash_.emplace(hash, number);
  return number;
}

// The pool's rule with this body that the grammar at hand has not taken yet: a grammar may hold equal rules
// (renamed terminals) and must come back with both.
std::uint32_t Merger::intern_rule(std::span<const Run> body) {
  std::vector<std::uint64_t> words;
  words.reserve(2 * body.size());
  for (const Run& run : body) words.insert(words.end(), {run.symbol, run.count});
  const std::uint64_t hash = checksum(std::as_bytes(std::span(words)));
  const auto grammar = static_cast<std::uint32_t>(made_.starts_.size());
  const auto [first, last] = rules_by_hash_.equal_range(hash);
  std::uint32_t found = ~std::uint32_t{0};  // the lowest, whatever the order within the table
  for (auto at = first; at != last; ++at)
    if (taken_by_[at->second] != grammar && std::ranges::equal(made_.pool_rule(at->second), body))
      found = std::min(found, at->second);
  if (found == ~std::uint32_t{0}) {
    WEIR_CHECK(made_.runs_.size() + body.size() < kFirstRule, "more than 2^31 runs");
    found = static_cast<std::uint32_t>(made_.begins_.size());
    made_.begins_.push_back(static_cast<std::uint32_t>(made_.runs_.size()));
    made_.runs_.insert(made_.runs_.end(), body.begin(), body.end());
    rules_by_hash_.emplace(hash, found);
    taken_by_.push_back(grammar);
  }
  taken_by_[found] = grammar;
  return found;
}

MergedGrammars merge(std::span<const Grammar> grammars) {
  Merger merger;
  for (const Grammar& grammar : grammars) merger.add(grammar);
  return merger.finish();
}

MergedGrammars merge(std::span<const MergedGrammars> lists) {
  Merger merger;
  for (const MergedGrammars& list : lists) merger.add(list);
  return merger.finish();
}

}  // namespace weir::grammar
