#include "grammar/grammar.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "grammar/detail/run_code.hpp"

namespace weir::grammar {
namespace {

Error damaged(std::string message) { return {Errc::bad_data, std::move(message)}; }

}  // namespace

Grammar::Grammar() : rules_(1) {}

Result<Grammar> Grammar::from_rules(std::vector<Run> runs, std::vector<std::uint32_t> begins) {
  if (begins.empty()) return damaged("a grammar without a start rule");
  if (runs.size() >= kFirstRule)
    return Error{Errc::too_big, fmt::format("a grammar of {} runs", runs.size())};
  Grammar made;
  made.runs_ = std::move(runs);
  made.rules_.resize(begins.size());
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : made.runs_.size();
    if (begins[i] > end || (i == 0 && begins[i] != 0)) return damaged(fmt::format("rule {} out of order", i));
    if (i != 0 && begins[i] == end) return damaged(fmt::format("rule {} is empty", i));
    made.rules_[i].begin = begins[i];
    made.rules_[i].end = static_cast<std::uint32_t>(end);
  }
  if (const auto ok = made.check_order(); !ok) return ok.error();
  if (const auto ok = made.measure(); !ok) return ok.error();
  return made;
}

// The numbering; with it, that there are no cycles and that every rule is defined and used.
Result<void> Grammar::check_order() const {
  std::vector<std::uint32_t> last_user(rules_.size());
  for (std::uint32_t i = 0; i < rules_.size(); ++i)
    for (const Run& run : rule(i)) {
      if (run.count == 0) return damaged(fmt::format("a count of 0 in rule {}", i));
      if (!is_rule(run.symbol)) continue;
      const std::uint32_t used = rule_number(run.symbol);
      if (used >= rules_.size()) return damaged(fmt::format("rule {} uses undefined rule {}", i, used));
      if (used <= i) return damaged(fmt::format("rule {} uses rule {}: a cycle or out of order", i, used));
      last_user[used] = i;
    }
  // Among rules last used by the same rule, the place within it decides.
  std::uint32_t next = 1;
  std::vector<std::uint32_t> last_place(rules_.size());
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    const auto body = rule(i);
    for (std::uint32_t at = 0; at < body.size(); ++at)
      if (is_rule(body[at].symbol)) last_place[rule_number(body[at].symbol)] = at;
    for (std::uint32_t at = 0; at < body.size(); ++at) {
      if (!is_rule(body[at].symbol)) continue;
      const std::uint32_t used = rule_number(body[at].symbol);
      if (last_user[used] != i || last_place[used] != at) continue;
      if (used != next) return damaged(fmt::format("rule {} where rule {} should come", used, next));
      ++next;
    }
  }
  if (next != rules_.size()) return damaged(fmt::format("rule {} is not used", next));
  return {};
}

Result<void> Grammar::measure() {
  for (std::size_t i = rules_.size(); i-- > 0;) {
    std::uint64_t length = 0;
    for (const Run& run : rule(static_cast<std::uint32_t>(i))) {
      std::uint64_t part = 0;
      if (__builtin_mul_overflow(run.count, symbol_length(run.symbol), &part) ||
          __builtin_add_overflow(length, part, &length))
        return damaged(fmt::format("rule {} is longer than 2^64", i));
    }
    rules_[i].length = length;
  }
  marks_.reserve(runs_.size() / kMarkEvery + 1);
  std::uint64_t before = 0;
  for (Rule& rule : rules_) {
    rule.before = before;
    for (std::uint32_t at = rule.begin; at < rule.end; ++at) {
      if (at % kMarkEvery == 0) marks_.push_back(before);
      before += runs_[at].count * symbol_length(runs_[at].symbol);
    }
  }
  return {};
}

Grammar::Place Grammar::find(std::uint32_t number, std::uint64_t offset) const {
  const Rule& rule = rules_[number];
  std::uint32_t at = rule.begin;
  std::uint64_t begin = 0;
  // The last mark of the rule at or before the offset; differences are exact though sums wrap.
  std::uint32_t low = (rule.begin + kMarkEvery - 1) / kMarkEvery;
  std::uint32_t high = (rule.end + kMarkEvery - 1) / kMarkEvery;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (marks_[middle] - rule.before <= offset) {
      at = middle * kMarkEvery;
      begin = marks_[middle] - rule.before;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (;; ++at) {
    const std::uint64_t length = runs_[at].count * symbol_length(runs_[at].symbol);
    if (offset - begin < length) return {at - rule.begin, begin};
    begin += length;
  }
}

std::uint64_t Grammar::hash() const {
  Checksum sum;
  std::vector<std::uint64_t> words;
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    words.clear();
    words.push_back(rule(i).size());
    for (const Run& run : rule(i)) words.insert(words.end(), {run.symbol, run.count});
    sum.update(std::as_bytes(std::span(words)));
  }
  return sum.value();
}

bool operator==(const Grammar& a, const Grammar& b) {
  return a.rules_.size() == b.rules_.size() && a.runs_ == b.runs_ &&
         std::equal(a.rules_.begin(), a.rules_.end(), b.rules_.begin(),
                    [](const Grammar::Rule& x, const Grammar::Rule& y) { return x.end == y.end; });
}

// rule count; for each rule its number of runs and the runs. A rule is named by how much higher its number
// is.
void Grammar::serialize(ByteWriter& out) const {
  out.varint(rules_.size());
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    out.varint(rules_[i].end - rules_[i].begin);
    for (const Run& run : rule(i))
      detail::write_run(out, run, is_rule(run.symbol) ? rule_number(run.symbol) - i : 0);
  }
}

Result<Grammar> Grammar::parse(ByteReader& in) {
  const auto rules = in.count(1);
  if (!rules) return rules.error().in("grammar");
  if (*rules >= kFirstRule) return Error{Errc::too_big, fmt::format("a grammar of {} rules", *rules)};
  std::vector<Run> runs;
  std::vector<std::uint32_t> begins;
  begins.reserve(static_cast<std::size_t>(*rules));
  for (std::uint32_t i = 0; i < *rules; ++i) {
    begins.push_back(static_cast<std::uint32_t>(runs.size()));
    const auto read = detail::read_runs(in, runs, [i, &rules](std::uint64_t up) -> std::uint64_t {
      return up < *rules - i ? i + up : ~std::uint64_t{0};
    });
    if (!read) return read.error().in(fmt::format("rule {}", i)).in("grammar");
  }
  auto made = from_rules(std::move(runs), std::move(begins));
  if (!made) return made.error().in("grammar");
  return made;
}

std::size_t Grammar::memory_bytes() const {
  return runs_.capacity() * sizeof(Run) + rules_.capacity() * sizeof(Rule) +
         marks_.capacity() * sizeof(std::uint64_t);
}

Result<Grammar> rename(const Grammar& grammar, std::span<const Symbol> terminals) {
  std::vector<Run> runs;
  std::vector<std::uint32_t> begins;
  runs.reserve(grammar.run_count());
  begins.reserve(grammar.rule_count());
  for (std::uint32_t i = 0; i < grammar.rule_count(); ++i) {
    begins.push_back(static_cast<std::uint32_t>(runs.size()));
    for (Run run : grammar.rule(i)) {
      if (!is_rule(run.symbol)) {
        if (run.symbol >= terminals.size())
          return damaged(fmt::format("terminal {} of {}", run.symbol, terminals.size()));
        run.symbol = terminals[run.symbol];
        if (is_rule(run.symbol)) return damaged(fmt::format("no terminal: {}", run.symbol));
      }
      runs.push_back(run);
    }
  }
  return Grammar::from_rules(std::move(runs), std::move(begins));
}

}  // namespace weir::grammar
