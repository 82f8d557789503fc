#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grammar/detail/digram_table.hpp"
#include "grammar/grammar.hpp"
#include "grammar/run.hpp"

namespace weir::grammar {

// Builds a grammar for a sequence of terminals while it comes in: Sequitur (Nevill-Manning and Witten 1997)
// with repeat counts, A -> B^k. After every push, for everything but the pending end:
//   - neighbouring runs of a rule have different symbols;
//   - no pair of neighbouring runs (symbols and counts) occurs twice;
//   - every rule but the start has at least two runs, and is used by two runs or by one with a count of 2 or
//   more.
// Pending are the open run (the last symbol with its repeats so far) and, where the grammar ends with R^k, k
// > 1, the part of one more R that came since: what repeats costs an addition or a comparison. The pending
// end joins the grammar when it turns out to be something else, and at finish(). Amortised constant time per
// run; the work never recurses. Not thread-safe.
class Sequitur {
 public:
  Sequitur();

  // Appends symbol^count. The symbol is below kFirstRule, the whole length below 2^64.
  void push(Symbol symbol, std::uint64_t count = 1) {
    if (symbol == open_.symbol && !__builtin_add_overflow(open_.count, count, &open_.count)) return;
    push_other(symbol, count);
  }

  // The grammar of all that was pushed; afterwards this is empty, with its memory kept.
  Grammar finish();
  // The grammar of all but the pending end, as it stands.
  Grammar closed() const;
  // Forgets everything and keeps the memory.
  void clear();
  // Makes room for a grammar of so many runs in all its rules.
  void reserve(std::size_t runs);

  std::uint64_t length() const { return closed_length_ + open_.count; }
  // As of closed().
  std::size_t rule_count() const { return live_rules_; }
  std::size_t run_count() const { return live_nodes_ - live_rules_; }
  std::size_t memory_bytes() const;

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~Index{0};
  static constexpr Symbol kGuard = ~Symbol{0};  // no rule reaches this number

  enum Flag : std::uint32_t {
    kEntered = 1,  // the digram that starts here is in the table
    kQueued = 2,   // it is to be looked at
    kDead = 4,     // unlinked while queued; freed when its turn comes
  };

  // A run in a rule, in a ring closed by the rule's guard.
  struct Node {
    std::uint64_t count;  // of a guard: the rule
    Symbol symbol;
    Index prev;
    Index next;
    std::uint32_t flags;
  };
  struct Rule {
    Index guard;         // of a free rule: the next free one
    std::uint32_t uses;  // runs that name it
  };

  // Where in one more turn of R the sequence stands, from R's body down: a run, and of a run of rules how
  // many turns of it are over. The innermost is the run of terminals that comes next if the loop goes on.
  struct Level {
    Index node;
    std::uint64_t turns;
  };

  void push_other(Symbol symbol, std::uint64_t count);
  void close_run();
  void append(Run run);
  void expect_turn();
  void descend(Index node);
  void step_turn();
  void leave_turn();

  Index new_node(Run run);
  void free_node(Index node);
  Index new_rule();
  void free_rule(Index rule);
  void drop_use(Index node);
  void link(Index left, Index right) {
    nodes_[left].next = right;
    nodes_[right].prev = left;
  }
  void unlink(Index node) { link(nodes_[node].prev, nodes_[node].next); }
  bool is_guard(Index node) const { return nodes_[node].symbol == kGuard; }
  detail::Digram digram_at(Index node) const;
  Index whole_rule(Index node) const;
  bool used_only_by(Index node, std::uint32_t uses) const;

  void forget(Index node);
  void queue_digram(Index node);
  void settle();
  void settle_digram(Index node);

  void make_rule(Index node, Index other);
  void append_to_rule(Index node, Index other);
  void prepend_to_rule(Index node, Index other);
  void replace(Index node, Index rule);
  void inline_if_useless(Index use);
  void absorb(Index left, Index right);
  void join(Index node);
  void join_both(Index node, Index other);

  Run open_ = {kGuard, 0};
  std::uint64_t closed_length_ = 0;
  std::vector<Node> nodes_;
  std::vector<Rule> rules_;  // the start rule is rule 0
  Index free_nodes_ = kNone;
  Index free_rules_ = kNone;
  std::size_t live_nodes_ = 0;  // with guards
  std::size_t live_rules_ = 0;
  detail::DigramTable digrams_;
  std::vector<Index> queued_;
  std::vector<Level> turn_;  // empty where the grammar does not end with R^k, k > 1
  std::vector<Run> left_turn_;
};

}  // namespace weir::grammar
