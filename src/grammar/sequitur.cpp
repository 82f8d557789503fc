#include "grammar/sequitur.hpp"

#include <utility>

#include "base/check.hpp"
#include "grammar/detail/canonical.hpp"

namespace weir::grammar {

// Every neighbouring pair of runs is either entered in the table or queued; each operation forgets the pairs
// it breaks before it changes them and queues the ones it makes. Operations only queue what follows from
// them, so none meets a half-changed grammar.
//
// Termination and cost: let m be the runs of all rules less the number of rules. A push adds 1 to m; making a
// rule, reusing one, uniting two and absorbing a run each lower it; inlining and dissolving keep it and
// remove a rule. Each is constant work but for the relabelling in unite_rules() and dissolve_rule().

Sequitur::Sequitur() { new_rule(); }

void Sequitur::push_other(Symbol symbol, std::uint64_t count) {
  if (count == 0) return;
  WEIR_CHECK(symbol != open_.symbol, "more than 2^64 symbols");
  WEIR_CHECK(!__builtin_add_overflow(closed_length_, open_.count, &closed_length_), "more than 2^64 symbols");
  if (open_.count != 0) close_run();
  open_ = {symbol, count};
}

void Sequitur::close_run() {
  WEIR_CHECK(open_.symbol < kFirstRule, "terminal {}", open_.symbol);
  const Index guard = rules_[0].guard;
  const Index last = nodes_[guard].prev;
  const Index node = new_node(open_);
  link(last, node);
  link(node, guard);
  queue_digram(last);
  settle();
}

Grammar Sequitur::finish() {
  if (open_.count != 0) {
    const std::uint64_t whole = length();
    WEIR_CHECK(whole >= closed_length_, "more than 2^64 symbols");
    closed_length_ = whole;
    close_run();
    open_ = {kGuard, 0};
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
  relabelled_ = 0;
  digrams_.clear();
  new_rule();
}

void Sequitur::reserve(std::size_t runs) {
  nodes_.reserve(runs + runs / 2);  // a rule costs a guard and has two runs or more
  rules_.reserve(runs / 2);
  digrams_.reserve(runs);
}

std::size_t Sequitur::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + rules_.capacity() * sizeof(Rule) + digrams_.memory_bytes() +
         (queued_digrams_.capacity() + queued_rules_.capacity()) * sizeof(Index);
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
  nodes_[node] = {run.count, run.symbol, kNone, kNone, kNone, kNone, 0};
  if (is_rule(run.symbol) && run.symbol != kGuard) add_use(node);
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
  const Index guard = new_node({kGuard, 0});
  nodes_[guard].next_use = rule;
  link(guard, guard);
  rules_[rule] = {guard, kNone, 0, 0};
  ++live_rules_;
  return rule;
}

void Sequitur::free_rule(Index rule) {
  free_node(rules_[rule].guard);
  --live_rules_;
  if ((rules_[rule].flags & kQueued) != 0) {
    rules_[rule].flags |= kDead;
    return;
  }
  rules_[rule].guard = free_rules_;
  free_rules_ = rule;
}

void Sequitur::add_use(Index node) {
  Rule& rule = rules_[rule_number(nodes_[node].symbol)];
  nodes_[node].prev_use = kNone;
  nodes_[node].next_use = rule.first_use;
  if (rule.first_use != kNone) nodes_[rule.first_use].prev_use = node;
  rule.first_use = node;
  ++rule.uses;
}

void Sequitur::drop_use(Index node) {
  const Node& run = nodes_[node];
  if (!is_rule(run.symbol)) return;
  const Index number = rule_number(run.symbol);
  Rule& rule = rules_[number];
  if (run.prev_use != kNone)
    nodes_[run.prev_use].next_use = run.next_use;
  else
    rule.first_use = run.next_use;
  if (run.next_use != kNone) nodes_[run.next_use].prev_use = run.prev_use;
  if (--rule.uses == 1) queue_rule(number);
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
  const Index rule = nodes_[guard].next_use;
  return rule == 0 ? kNone : rule;
}

void Sequitur::forget(Index node) {
  if ((nodes_[node].flags & kEntered) == 0) return;
  digrams_.erase(digram_at(node), node);
  nodes_[node].flags &= ~std::uint32_t{kEntered};
}

void Sequitur::queue_digram(Index node) {
  Node& run = nodes_[node];
  if (run.symbol == kGuard || (run.flags & (kEntered | kQueued)) != 0) return;
  run.flags |= kQueued;
  queued_digrams_.push_back(node);
}

void Sequitur::queue_rule(Index rule) {
  if (rule == 0 || (rules_[rule].flags & kQueued) != 0) return;
  rules_[rule].flags |= kQueued;
  queued_rules_.push_back(rule);
}

void Sequitur::queue_if_single(Index node) {
  const Index guard = nodes_[node].prev;
  if (is_guard(guard) && nodes_[node].next == guard) queue_rule(nodes_[guard].next_use);
}

void Sequitur::settle() {
  for (;;) {
    if (!queued_rules_.empty()) {
      const Index rule = queued_rules_.back();
      queued_rules_.pop_back();
      settle_rule(rule);
    } else if (!queued_digrams_.empty()) {
      const Index node = queued_digrams_.back();
      queued_digrams_.pop_back();
      settle_digram(node);
    } else {
      return;
    }
  }
}

void Sequitur::settle_digram(Index node) {
  Node& run = nodes_[node];
  run.flags &= ~std::uint32_t{kQueued};
  if ((run.flags & kDead) != 0) {
    run.next = free_nodes_;
    free_nodes_ = node;
    return;
  }
  if (is_guard(run.next)) return;
  const Index other =
      digrams_.find_or_enter(digram_at(node), node, [this](Index at) { return digram_at(at); });
  if (other == kNone) {
    run.flags |= kEntered;
    return;
  }
  const Index rule = whole_rule(node);
  const Index other_rule = whole_rule(other);
  if (other_rule == kNone && rule == kNone) {
    make_rule(node, other);
  } else if (other_rule == kNone) {
    replace(other, rule);
    queue_digram(node);
  } else if (rule == kNone) {
    replace(node, other_rule);
  } else {
    unite_rules(rule, other_rule);
  }
}

void Sequitur::settle_rule(Index rule) {
  rules_[rule].flags &= ~std::uint32_t{kQueued};
  if ((rules_[rule].flags & kDead) != 0) {
    rules_[rule].guard = free_rules_;
    free_rules_ = rule;
    return;
  }
  if (rules_[rule].uses == 1 && nodes_[rules_[rule].first_use].count == 1) {
    inline_rule(rule);
    return;
  }
  const Index first = nodes_[rules_[rule].guard].next;
  if (nodes_[first].next == rules_[rule].guard) dissolve_rule(rule);
}

// The equal pairs at `node` and `other` become a new rule.
void Sequitur::make_rule(Index node, Index other) {
  const detail::Digram pair = digram_at(node);
  const Index rule = new_rule();
  const Index left = new_node({pair.left, pair.left_count});
  const Index right = new_node({pair.right, pair.right_count});
  link(rules_[rule].guard, left);
  link(left, right);
  link(right, rules_[rule].guard);
  replace(other, rule);
  replace(node, rule);
  queue_digram(left);
}

// The pair at `node` becomes a use of `rule`.
void Sequitur::replace(Index node, Index rule) {
  const Index before = nodes_[node].prev;
  const Index gone = nodes_[node].next;
  forget(before);
  forget(node);
  forget(gone);
  drop_use(node);
  drop_use(gone);
  link(node, nodes_[gone].next);
  free_node(gone);
  nodes_[node].symbol = rule_symbol(rule);
  nodes_[node].count = 1;
  add_use(node);
  join(node);
}

// Two rules have come to consist of the same pair: the one with fewer uses gives way, so that a run is
// relabelled at most log2(runs) times on this account.
void Sequitur::unite_rules(Index rule, Index other) {
  if (rules_[rule].uses > rules_[other].uses) std::swap(rule, other);
  const Index left = nodes_[rules_[rule].guard].next;
  const Index right = nodes_[left].next;
  forget(left);
  while (rules_[rule].first_use != kNone) {
    const Index use = rules_[rule].first_use;
    relabel(use, {rule_symbol(other), nodes_[use].count});
  }
  for (const Index node : {left, right}) {
    drop_use(node);
    free_node(node);
  }
  free_rule(rule);
  queue_digram(nodes_[rules_[other].guard].next);
}

// The only use of `rule`, not repeated, becomes its body.
void Sequitur::inline_rule(Index rule) {
  const Index use = rules_[rule].first_use;
  const Index guard = rules_[rule].guard;
  const Index before = nodes_[use].prev;
  forget(before);
  forget(use);
  const Index first = nodes_[guard].next;
  const Index last = nodes_[guard].prev;
  link(last, nodes_[use].next);
  link(before, first);
  free_node(use);
  free_rule(rule);
  join(first == last ? first : last);
  if (first != last) join(nodes_[before].next);
}

// `rule` consists of one run: its uses become that run, with the counts multiplied.
void Sequitur::dissolve_rule(Index rule) {
  const Index body = nodes_[rules_[rule].guard].next;
  const Run run = {nodes_[body].symbol, nodes_[body].count};
  while (rules_[rule].first_use != kNone) {
    const Index use = rules_[rule].first_use;
    relabel(use, {run.symbol, nodes_[use].count * run.count});
  }
  drop_use(body);
  free_node(body);
  free_rule(rule);
}

void Sequitur::relabel(Index node, Run run) {
  ++relabelled_;
  forget(nodes_[node].prev);
  forget(node);
  drop_use(node);
  nodes_[node].symbol = run.symbol;
  nodes_[node].count = run.count;
  if (is_rule(run.symbol)) add_use(node);
  join(node);
}

// `right` goes into `left`, its neighbour of the same symbol.
Sequitur::Index Sequitur::absorb(Index left, Index right) {
  forget(nodes_[left].prev);
  forget(left);
  forget(right);
  nodes_[left].count += nodes_[right].count;
  drop_use(right);
  link(left, nodes_[right].next);
  free_node(right);
  return left;
}

// `node` has new neighbours: runs of the same symbol become one, the pairs around it are queued.
void Sequitur::join(Index node) {
  if (nodes_[nodes_[node].next].symbol == nodes_[node].symbol) absorb(node, nodes_[node].next);
  if (nodes_[nodes_[node].prev].symbol == nodes_[node].symbol) node = absorb(nodes_[node].prev, node);
  queue_digram(nodes_[node].prev);
  queue_digram(node);
  queue_if_single(node);
}

}  // namespace weir::grammar
