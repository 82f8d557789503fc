#include "grammar/sequitur.hpp"

#include <utility>

#include "base/check.hpp"
#include "grammar/detail/canonical.hpp"

namespace weir::grammar {

// Every neighbouring pair of runs is either entered in the table or queued; each operation forgets the pairs
// it breaks before it changes them and queues the ones it makes.
//
// Termination and cost: let m be the runs of all rules less the number of rules. A push adds 1 to m. Making,
// growing and reusing a rule and absorbing a run each lower it; inlining keeps it and removes a rule. Each is
// constant work, so the work per push is constant when averaged.
//
// Where a rule is left with one use: uses are lost only where a pair gives way to a rule with that pair as
// its body, so the last use is an end of that body.

Sequitur::Sequitur() { new_rule(); }

void Sequitur::push_other(Symbol symbol, std::uint64_t count) {
  if (count == 0) return;
  WEIR_CHECK(symbol != open_.symbol, "more than 2^64 symbols");
  WEIR_CHECK(!__builtin_add_overflow(closed_length_, open_.count, &closed_length_), "more than 2^64 symbols");
  if (open_.count != 0) close_run();
  open_ = {symbol, count};
}

// The open run is over: one more step of the turn, or a new end of the start rule.
void Sequitur::close_run() {
  if (!turn_.empty()) {
    const Node& expected = nodes_[turn_.back().node];
    if (expected.symbol == open_.symbol && expected.count == open_.count) {
      step_turn();
      return;
    }
    leave_turn();
  }
  WEIR_CHECK(open_.symbol < kFirstRule, "terminal {}", open_.symbol);
  append(open_);
  expect_turn();
}

void Sequitur::append(Run run) {
  const Index guard = rules_[0].guard;
  const Index node = new_node(run);
  link(nodes_[guard].prev, node);
  link(node, guard);
  join(node);
  settle();
}

// After two turns of a loop a third is likely.
void Sequitur::expect_turn() {
  const Node& last = nodes_[nodes_[rules_[0].guard].prev];
  if (is_rule(last.symbol) && last.symbol != kGuard && last.count > 1)
    descend(nodes_[rules_[rule_number(last.symbol)].guard].next);
}

// Goes to the first run of terminals at or below `node`.
void Sequitur::descend(Index node) {
  turn_.push_back({node, 0});
  while (is_rule(nodes_[node].symbol)) {
    node = nodes_[rules_[rule_number(nodes_[node].symbol)].guard].next;
    turn_.push_back({node, 0});
  }
}

// What was expected has come.
void Sequitur::step_turn() {
  for (;;) {
    const Index next = nodes_[turn_.back().node].next;
    turn_.pop_back();
    if (!is_guard(next)) {
      descend(next);
      return;
    }
    if (turn_.empty()) break;
    Level& above = turn_.back();
    if (++above.turns < nodes_[above.node].count) {
      descend(nodes_[next].next);
      return;
    }
  }
  const Index last = nodes_[rules_[0].guard].prev;
  forget(nodes_[last].prev);
  ++nodes_[last].count;
  queue_digram(nodes_[last].prev);
  settle();
  expect_turn();
}

// Something else has come: the part of the turn that is over goes to the start rule, in rules as far as they
// are complete. They are counted as used beforehand, so that none is changed or inlined before its turn
// comes.
void Sequitur::leave_turn() {
  left_turn_.clear();
  for (const Level& level : turn_) {
    Index first = level.node;
    while (!is_guard(nodes_[first].prev)) first = nodes_[first].prev;
    for (; first != level.node; first = nodes_[first].next)
      left_turn_.push_back({nodes_[first].symbol, nodes_[first].count});
    if (level.turns != 0) left_turn_.push_back({nodes_[level.node].symbol, level.turns});
  }
  turn_.clear();
  for (const Run& run : left_turn_)
    if (is_rule(run.symbol)) ++rules_[rule_number(run.symbol)].uses;
  for (const Run& run : left_turn_) append(run);
}

Grammar Sequitur::finish() {
  if (open_.count != 0) {
    const std::uint64_t whole = length();
    WEIR_CHECK(whole >= closed_length_, "more than 2^64 symbols");
    closed_length_ = whole;
    close_run();
    open_ = {kGuard, 0};
    leave_turn();
  }
  Grammar made = closed();
  clear();
  return made;
}

Grammar Sequitur::closed() const {
  std::vector<std::uint32_t> uses(rules_.size());
  for (std::size_t i = 0; i < rules_.size(); ++i) uses[i] = rules_[i].uses;
  auto rules = detail::canonical_rules(0, std::move(uses), [this](Index rule, const auto& see) {
    const Index guard = rules_[rule].guard;
    for (Index node = nodes_[guard].next; node != guard; node = nodes_[node].next)
      see(Run{nodes_[node].symbol, nodes_[node].count});
  });
  return Grammar::from_rules(std::move(rules.runs), std::move(rules.begins)).value();
}

void Sequitur::clear() {
  open_ = {kGuard, 0};
  closed_length_ = 0;
  nodes_.clear();
  rules_.clear();
  free_nodes_ = kNone;
  free_rules_ = kNone;
  live_nodes_ = 0;
  live_rules_ = 0;
  digrams_.clear();
  turn_.clear();
  new_rule();
}

void Sequitur::reserve(std::size_t runs) {
  nodes_.reserve(runs + runs / 2);  // a rule costs a guard and has two runs or more
  rules_.reserve(runs / 2);
  digrams_.reserve(runs);
}

std::size_t Sequitur::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + rules_.capacity() * sizeof(Rule) + digrams_.memory_bytes() +
         queued_.capacity() * sizeof(Index) + turn_.capacity() * sizeof(Level) +
         left_turn_.capacity() * sizeof(Run);
}

Sequitur::Index Sequitur::new_node(Run run) {
  Index node = free_nodes_;
  if (node != kNone) {
    free_nodes_ = nodes_[node].next;
  } else {
    WEIR_CHECK(nodes_.size() < kFirstRule, "{} runs", nodes_.size());
    node = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
  }
  ++live_nodes_;
  nodes_[node] = {run.count, run.symbol, kNone, kNone, 0};
  return node;
}

void Sequitur::free_node(Index node) {
  --live_nodes_;
  if ((nodes_[node].flags & kQueued) != 0) {
    nodes_[node].flags |= kDead;
    return;
  }
  nodes_[node].next = free_nodes_;
  free_nodes_ = node;
}

Sequitur::Index Sequitur::new_rule() {
  Index rule = free_rules_;
  if (rule != kNone) {
    free_rules_ = rules_[rule].guard;
  } else {
    rule = static_cast<Index>(rules_.size());
    rules_.emplace_back();
  }
  const Index guard = new_node({kGuard, rule});
  link(guard, guard);
  rules_[rule] = {guard, 0};
  ++live_rules_;
  return rule;
}

void Sequitur::free_rule(Index rule) {
  free_node(rules_[rule].guard);
  --live_rules_;
  rules_[rule] = {free_rules_, 0};
  free_rules_ = rule;
}

void Sequitur::drop_use(Index node) {
  const Symbol symbol = nodes_[node].symbol;
  if (is_rule(symbol)) --rules_[rule_number(symbol)].uses;
}

detail::Digram Sequitur::digram_at(Index node) const {
  const Node& left = nodes_[node];
  const Node& right = nodes_[left.next];
  return {left.symbol, right.symbol, left.count, right.count};
}

// The rule whose runs are the pair at `node` and nothing else, or kNone.
Sequitur::Index Sequitur::whole_rule(Index node) const {
  const Index guard = nodes_[node].prev;
  if (!is_guard(guard) || nodes_[nodes_[node].next].next != guard) return kNone;
  const auto rule = static_cast<Index>(nodes_[guard].count);
  return rule == 0 ? kNone : rule;
}

// Whether `node` is a rule, not repeated, that so many runs use.
bool Sequitur::used_only_by(Index node, std::uint32_t uses) const {
  const Node& run = nodes_[node];
  return is_rule(run.symbol) && run.count == 1 && rules_[rule_number(run.symbol)].uses == uses;
}

void Sequitur::forget(Index node) {
  if ((nodes_[node].flags & kEntered) == 0) return;
  digrams_.erase(digram_at(node), node);
  nodes_[node].flags &= ~std::uint32_t{kEntered};
}

void Sequitur::queue_digram(Index node) {
  Node& run = nodes_[node];
  if (run.symbol == kGuard || is_guard(run.next) || (run.flags & (kEntered | kQueued)) != 0) return;
  run.flags |= kQueued;
  queued_.push_back(node);
}

void Sequitur::settle() {
  while (!queued_.empty()) {
    const Index node = queued_.back();
    queued_.pop_back();
    nodes_[node].flags &= ~std::uint32_t{kQueued};
    if ((nodes_[node].flags & kDead) != 0) {
      nodes_[node].next = free_nodes_;
      free_nodes_ = node;
    } else if (!is_guard(nodes_[node].next)) {
      settle_digram(node);
    }
  }
}

void Sequitur::settle_digram(Index node) {
  const Index other =
      digrams_.find_or_enter(digram_at(node), node, [this](Index at) { return digram_at(at); });
  if (other == kNone) {
    nodes_[node].flags |= kEntered;
    return;
  }
  Index rule = whole_rule(other);
  if (rule == kNone) {
    if (whole_rule(node) == kNone) {
      if (used_only_by(node, 2))
        append_to_rule(node, other);
      else if (used_only_by(nodes_[node].next, 2))
        prepend_to_rule(node, other);
      else
        make_rule(node, other);
      return;
    }
    rule = whole_rule(node);
    replace(other, rule);
    queue_digram(node);
  } else {
    replace(node, rule);
  }
  const Index guard = rules_[rule].guard;
  const Index last = nodes_[guard].prev;
  inline_if_useless(nodes_[guard].next);
  inline_if_useless(last);
}

// The equal pairs at `node` and `other` become a new rule.
void Sequitur::make_rule(Index node, Index other) {
  const detail::Digram pair = digram_at(node);
  const Index rule = new_rule();
  const Index left = new_node({pair.left, pair.left_count});
  const Index right = new_node({pair.right, pair.right_count});
  if (is_rule(pair.left)) ++rules_[rule_number(pair.left)].uses;
  if (is_rule(pair.right)) ++rules_[rule_number(pair.right)].uses;
  link(rules_[rule].guard, left);
  link(left, right);
  link(right, rules_[rule].guard);
  replace(other, rule);
  replace(node, rule);
  queue_digram(left);
}

// The equal pairs at `node` and `other` begin with the only uses of a rule: it takes in what follows. The
// same as making a rule and inlining the old one, in a third of the steps; a loop body is matched in this
// way.
void Sequitur::append_to_rule(Index node, Index other) {
  const Index guard = rules_[rule_number(nodes_[node].symbol)].guard;
  const Index last = nodes_[guard].prev;
  const Index gone = nodes_[node].next;
  const Index moved = nodes_[other].next;
  forget(other);
  forget(gone);
  forget(moved);
  unlink(gone);
  unlink(moved);
  drop_use(gone);
  free_node(gone);
  link(last, moved);
  link(moved, guard);
  join(moved);
  join_both(node, other);
  inline_if_useless(nodes_[guard].prev);
}

void Sequitur::prepend_to_rule(Index node, Index other) {
  const Index kept = nodes_[node].next;
  const Index other_kept = nodes_[other].next;
  const Index guard = rules_[rule_number(nodes_[kept].symbol)].guard;
  const Index first = nodes_[guard].next;
  forget(nodes_[node].prev);
  forget(nodes_[other].prev);
  forget(other);
  unlink(node);
  unlink(other);
  drop_use(node);
  free_node(node);
  link(guard, other);
  link(other, first);
  join(other);
  join_both(kept, other_kept);
  inline_if_useless(nodes_[guard].next);
}

// The pair at `node` becomes a use of `rule`.
void Sequitur::replace(Index node, Index rule) {
  const Index gone = nodes_[node].next;
  forget(nodes_[node].prev);
  forget(node);
  forget(gone);
  drop_use(node);
  drop_use(gone);
  unlink(gone);
  free_node(gone);
  nodes_[node].symbol = rule_symbol(rule);
  nodes_[node].count = 1;
  ++rules_[rule].uses;
  join(node);
}

// A run that is the only use of a rule, and not repeated, becomes the rule's body.
void Sequitur::inline_if_useless(Index use) {
  if (!used_only_by(use, 1)) return;
  const Index rule = rule_number(nodes_[use].symbol);
  const Index guard = rules_[rule].guard;
  const Index before = nodes_[use].prev;
  const Index first = nodes_[guard].next;
  const Index last = nodes_[guard].prev;
  forget(before);
  forget(use);
  link(last, nodes_[use].next);
  link(before, first);
  free_node(use);
  free_rule(rule);
  join(last);
  if (first != last) join(first);
}

// `right` goes into `left`, its neighbour of the same symbol.
void Sequitur::absorb(Index left, Index right) {
  forget(nodes_[left].prev);
  forget(left);
  forget(right);
  nodes_[left].count += nodes_[right].count;
  drop_use(right);
  unlink(right);
  free_node(right);
}

// `node` has new neighbours: runs of the same symbol become one, the pairs around it are queued.
void Sequitur::join(Index node) {
  const Index next = nodes_[node].next;
  if (nodes_[next].symbol == nodes_[node].symbol) absorb(node, next);
  const Index prev = nodes_[node].prev;
  if (nodes_[prev].symbol == nodes_[node].symbol) {
    absorb(prev, node);
    node = prev;
  }
  queue_digram(nodes_[node].prev);
  queue_digram(node);
}

// The same for two runs that may have become neighbours and so one.
void Sequitur::join_both(Index node, Index other) {
  if (nodes_[node].next != other && nodes_[other].next != node) join(other);
  join(node);
}

}  // namespace weir::grammar
