#include "semantics/order/clocks.hpp"

#include <algorithm>
#include <deque>

namespace weir::semantics {
namespace {

// So that no chain runs far ahead of those that have yet to take over its clocks.
constexpr std::uint32_t kInsPerTurn = 4;

}  // namespace

// Passes ins in an order in which everything they wait for has been passed.
class ClockWalk {
 public:
  ClockWalk(Graph& graph, Clocks& clocks, std::vector<std::pair<std::uint32_t, std::uint32_t>>& dropped,
            const Clocks::Budget& budget)
      : graph_(&graph), clocks_(&clocks), dropped_(&dropped), budget_(budget), chains_(graph.chains()) {
    clocks.line_ = Line(graph);
    clocks.chains_ = chains_;
    clocks.place_.assign(chains_, Clocks::kNoClock);
    for (std::uint32_t c = 0; c < chains_; ++c)
      if (!graph.outs(c).empty()) clocks.place_[c] = static_cast<std::uint32_t>(width_++);
    width_ = (width_ + 15) / 16 * 16;  // whole vectors of the processor
    passed_.assign(chains_, 0);
    state_.assign(chains_, State::queued);
    waiters_.resize(chains_);
    current_.assign(chains_, Clocks::kNoClock);
    changed_.assign(chains_, false);
    node_passed_.assign(graph.nodes(), 0);
    node_clock_.assign(graph.nodes(), Clocks::kNoClock);
    keeps_clocks_ = width_ * chains_ * sizeof(std::uint32_t) <= most_working_bytes();
  }

  void run() {
    count_uses();
    cut();
    for (std::uint32_t c = 0; c < chains_; ++c) ready_.push_back(c);
    for (;;) {
      while (!ready_.empty()) {
        const std::uint32_t chain = ready_.front();
        ready_.pop_front();
        state_[chain] = State::idle;
        advance(chain);
      }
      if (!drop_one()) break;
    }
    clocks_->line_.finish();
    if (keeps_clocks_) cut();  // the last one is an upper bound for all that comes before it
    for (std::size_t i = 0; i < clocks_->values_.size(); ++i)
      if (!pinned_[i]) clocks_->values_[i] = {};
    clocks_->at_.resize(at_.size());  // a search looks through the cuts of one chain
    for (std::size_t cut = 0; cut < clocks_->cuts_; ++cut)
      for (std::size_t c = 0; c < chains_; ++c)
        clocks_->at_[c * clocks_->cuts_ + cut] = at_[cut * chains_ + c];
  }

 private:
  enum class State : std::uint8_t { idle, queued };
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct Waiters {
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        list;  // ins that must be passed, the chain that waits
    std::uint32_t soonest = kNobody;
  };

  std::size_t most_working_bytes() const {
    return budget_.working_bytes + budget_.working_bytes_per_edge * graph_->edges();
  }
  std::uint32_t& uses(std::uint32_t chain, std::uint32_t version) {
    return uses_[version_number(chain, version)];
  }
  std::uint32_t& clock_of(std::uint32_t chain, std::uint32_t version) {
    return clock_of_[version_number(chain, version)];
  }
  // A chain has a clock before its first in, and one behind each.
  std::size_t version_number(std::uint32_t chain, std::uint32_t version) const {
    return graph_->in_number(chain, 0) + chain + version;
  }

  void count_uses() {
    uses_.assign(graph_->all_ins() + chains_, 0);
    clock_of_.assign(graph_->all_ins() + chains_, Clocks::kNoClock);
    node_uses_.assign(graph_->nodes(), 0);
    const auto count = [&](const Graph::From& from) {
      if (from.chain == Graph::From::kNode)
        ++node_uses_[from.out];
      else
        ++uses(from.chain, graph_->outs(from.chain)[from.out].ins_before);
    };
    for (std::uint32_t c = 0; c < chains_; ++c)
      for (std::size_t i = 0; i < graph_->ins(c); ++i)
        for (const Graph::From& from : graph_->froms(c, i)) count(from);
    for (std::uint32_t n = 0; n < graph_->nodes(); ++n)
      for (const Graph::From& from : graph_->node_froms(n)) count(from);
  }

  // The first out of these that has yet to be passed; null when all have been.
  const Graph::From* missing(const Graph::From& from) {
    if (from.chain == Graph::From::kDropped) return nullptr;
    if (from.chain == Graph::From::kNode) return missing_for_node(from.out);
    return passed_[from.chain] >= graph_->outs(from.chain)[from.out].ins_before ? nullptr : &from;
  }

  const Graph::From* missing_for_node(std::uint32_t node) {
    const auto froms = graph_->node_froms(node);
    for (std::uint32_t& at = node_passed_[node]; at < froms.size(); ++at)
      if (const Graph::From* const found = missing(froms[at])) return found;
    return nullptr;
  }

  void advance(std::uint32_t chain) {
    for (std::uint32_t turn = 0; passed_[chain] < graph_->ins(chain); ++turn) {
      if (turn == kInsPerTurn) return queue(chain);
      const auto froms = graph_->froms(chain, passed_[chain]);
      for (const Graph::From& from : froms)
        if (const Graph::From* const found = missing(from)) return wait(chain, *found);
      pass(chain, froms);
      if (passed_[chain] >= waiters_[chain].soonest) wake(waiters_[chain], passed_[chain]);
      if (edges_since_cut_ >= budget_.fewest_edges && keeps_clocks_) maybe_cut();
    }
  }

  // Until another chain has passed what comes before that out.
  void wait(std::uint32_t chain, const Graph::From& out) {
    const std::uint32_t needed = graph_->outs(out.chain)[out.out].ins_before;
    Waiters& waiters = waiters_[out.chain];
    waiters.list.emplace_back(needed, chain);
    waiters.soonest = std::min(waiters.soonest, needed);
  }

  void wake(Waiters& waiters, std::uint32_t passed) {
    waiters.soonest = kNobody;
    std::erase_if(waiters.list, [&](const auto& one) {
      if (one.first <= passed)
        queue(one.second);
      else
        waiters.soonest = std::min(waiters.soonest, one.first);
      return one.first <= passed;
    });
  }

  void queue(std::uint32_t chain) {
    if (state_[chain] == State::queued) return;
    state_[chain] = State::queued;
    ready_.push_back(chain);
  }

  void pass(std::uint32_t chain, std::span<const Graph::From> froms) {
    edges_since_cut_ += froms.size();
    clocks_->line_.pass(*graph_, chain, passed_[chain]);
    if (!keeps_clocks_) {
      ++passed_[chain];
      return;
    }
    const std::uint32_t mine = own_next(chain);
    for (const Graph::From& from : froms)
      if (from.chain != Graph::From::kDropped) take_in(mine, from);
    ++passed_[chain];
    current_[chain] = mine;
    if (uses(chain, passed_[chain]) > 0) clock_of(chain, passed_[chain]) = mine;
    if (!changed_[chain]) ++changes_;
    changed_[chain] = true;
  }

  // A clock to go on with: the present one, unless somebody still needs it as it is.
  std::uint32_t own_next(std::uint32_t chain) {
    const std::uint32_t present = current_[chain];
    if (present == Clocks::kNoClock) return make();
    if (!pinned_[present] && uses(chain, passed_[chain]) == 0) {
      clock_of(chain, passed_[chain]) = Clocks::kNoClock;
      return present;
    }
    const std::uint32_t made = make();
    clocks_->values_[made] = clocks_->values_[present];
    return made;
  }

  std::uint32_t make() {
    if (!free_.empty()) {
      const std::uint32_t again = free_.back();
      free_.pop_back();
      std::fill(clocks_->values_[again].begin(), clocks_->values_[again].end(), 0);
      return again;
    }
    clocks_->values_.emplace_back(width_);
    pinned_.push_back(false);
    const std::size_t loose = clocks_->values_.size() - pinned_count_;
    if (loose * width_ * sizeof(std::uint32_t) > 2 * most_working_bytes()) keeps_clocks_ = false;
    return static_cast<std::uint32_t>(clocks_->values_.size() - 1);
  }

  void release(std::uint32_t clock) {
    if (!pinned_[clock]) free_.push_back(clock);
  }

  void merge(std::uint32_t into, std::uint32_t from) {
    if (from == Clocks::kNoClock) return;
    std::uint32_t* const to = clocks_->values_[into].data();
    const std::uint32_t* const other = clocks_->values_[from].data();
    for (std::size_t i = 0; i < width_; i += 16)
      for (std::size_t k = i; k < i + 16; ++k) to[k] = std::max(to[k], other[k]);
  }

  void take_in(std::uint32_t into, const Graph::From& from) {
    if (from.chain == Graph::From::kNode) {
      const std::uint32_t clock = clock_of_node(from.out);
      merge(into, clock);
      if (--node_uses_[from.out] == 0) {
        node_clock_[from.out] = Clocks::kNoClock;
        release(clock);
      }
      return;
    }
    const std::uint32_t version = graph_->outs(from.chain)[from.out].ins_before;
    merge(into, clock_of(from.chain, version));
    std::uint32_t& known = clocks_->values_[into][clocks_->place_[from.chain]];
    known = std::max(known, from.out + 1);
    if (--uses(from.chain, version) > 0) return;
    std::uint32_t& clock = clock_of(from.chain, version);
    if (clock != Clocks::kNoClock && clock != current_[from.chain]) release(clock);
    clock = Clocks::kNoClock;
  }

  std::uint32_t clock_of_node(std::uint32_t node) {
    if (node_clock_[node] != Clocks::kNoClock) return node_clock_[node];
    const std::uint32_t made = make();
    for (const Graph::From& from : graph_->node_froms(node)) take_in(made, from);
    return node_clock_[node] = made;
  }

  void maybe_cut() {
    const std::size_t cost = (changes_ * width_ * sizeof(std::uint32_t)) + chains_ * sizeof(Clocks::At);
    if (edges_since_cut_ * budget_.bytes_per_edge >= cost) cut();
  }

  void cut() {
    for (std::uint32_t c = 0; c < chains_; ++c) {
      at_.push_back({passed_[c], current_[c]});
      changed_[c] = false;
      if (current_[c] == Clocks::kNoClock || pinned_[current_[c]]) continue;
      pinned_[current_[c]] = true;
      ++pinned_count_;
    }
    ++clocks_->cuts_;
    edges_since_cut_ = 0;
    changes_ = 0;
  }

  // Nobody can go on: two edges contradict each other, as they do when calls are missing from a trace. The
  // first in that waits orders nothing then.
  bool drop_one() {
    for (std::uint32_t c = 0; c < chains_; ++c) {
      if (passed_[c] == graph_->ins(c)) continue;
      dropped_->emplace_back(c, passed_[c]);
      for (const Graph::From& from : graph_->froms(c, passed_[c])) unuse(from);
      graph_->drop(c, passed_[c]);
      for (Waiters& waiters : waiters_)
        std::erase_if(waiters.list, [&](const auto& one) { return one.second == c; });
      queue(c);
      return true;
    }
    return false;
  }

  void unuse(const Graph::From& from) {
    if (from.chain == Graph::From::kNode)
      --node_uses_[from.out];
    else if (from.chain != Graph::From::kDropped)
      --uses(from.chain, graph_->outs(from.chain)[from.out].ins_before);
  }

  Graph* graph_;
  Clocks* clocks_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>* dropped_;
  Clocks::Budget budget_;
  std::size_t chains_;
  std::size_t width_ = 0;
  bool keeps_clocks_ = true;
  std::vector<std::uint32_t> passed_;  // ins, per chain
  std::vector<State> state_;
  std::deque<std::uint32_t> ready_;
  std::vector<Waiters> waiters_;         // for a chain to go on
  std::vector<std::uint32_t> current_;   // clock of a chain
  std::vector<std::uint32_t> uses_;      // edges that have yet to take over a version
  std::vector<std::uint32_t> clock_of_;  // versions that are still to be used
  std::vector<std::uint32_t> node_uses_;
  std::vector<std::uint32_t> node_passed_;  // sources that have been found passed
  std::vector<std::uint32_t> node_clock_;
  std::vector<Clocks::At> at_;  // per cut and chain
  std::vector<bool> pinned_;    // kept at a cut
  std::size_t pinned_count_ = 0;
  std::vector<std::uint32_t> free_;
  std::vector<bool> changed_;  // since the last cut
  std::size_t changes_ = 0;
  std::size_t edges_since_cut_ = 0;
};

Clocks Clocks::of(Graph& graph, std::vector<std::pair<std::uint32_t, std::uint32_t>>& dropped,
                  const Budget& budget) {
  Clocks clocks;
  ClockWalk(graph, clocks, dropped, budget).run();
  return clocks;
}

std::size_t Clocks::cut_before(std::uint32_t chain, std::uint32_t ins) const {
  std::size_t low = 0;
  std::size_t high = cuts_;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    if (ins_at(middle, chain) <= ins)
      low = middle;
    else
      high = middle;
  }
  return low;
}

std::size_t Clocks::bytes() const {
  std::size_t sum = line_.bytes() + at_.capacity() * sizeof(At) + place_.capacity() * sizeof place_[0] +
                    values_.capacity() * sizeof(std::vector<std::uint32_t>);
  for (const auto& one : values_) sum += one.capacity() * sizeof one[0];
  return sum;
}

}  // namespace weir::semantics
