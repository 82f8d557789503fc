#include "semantics/order/reach.hpp"

#include <algorithm>
#include <unordered_set>

namespace weir::semantics {
namespace {

// Backwards from one place, until the out is met, a clock at a cut knows it, or nothing is left that might.
class Search {
 public:
  Search(const Graph& graph, const Clocks& clocks, std::uint32_t other, std::uint32_t out)
      : graph_(&graph), clocks_(&clocks), other_(other), out_(out), visited_(graph.chains(), 0) {}

  bool run(std::uint32_t chain, std::uint32_t ins) {
    if (visit(chain, ins)) return true;
    while (!open_.empty()) {
      const Part part = open_.back();
      open_.pop_back();
      for (std::uint32_t in = part.end; in-- > part.begin;)
        for (const Graph::From& from : graph_->froms(part.chain, in))
          if (follow(from)) return true;
    }
    return false;
  }

 private:
  struct Part {
    std::uint32_t chain;
    std::uint32_t begin;
    std::uint32_t end;
  };

  bool follow(const Graph::From& from) {
    if (from.chain == Graph::From::kDropped) return false;
    if (from.chain != Graph::From::kNode) {
      if (from.chain == other_ && from.out >= out_) return true;
      return visit(from.chain, graph_->outs(from.chain)[from.out].ins_before);
    }
    if (!nodes_.insert(from.out).second) return false;
    for (const Graph::From& source : graph_->node_froms(from.out))
      if (follow(source)) return true;
    return false;
  }

  // What is known at a cut tells of all before it: only what lies behind the cut is left to be looked at. A
  // chain that was seen further on has told all it knows.
  bool visit(std::uint32_t chain, std::uint32_t ins) {
    if (ins <= visited_[chain]) return false;
    const std::size_t cut = clocks_->cut_before(chain, ins);
    if (clocks_->known(cut, chain, other_) > out_) return true;
    const std::uint32_t begin = std::max(visited_[chain], clocks_->ins_at(cut, chain));
    visited_[chain] = ins;
    if (cut + 1 < clocks_->cuts() && clocks_->known(cut + 1, chain, other_) <= out_) return false;
    if (begin < ins) open_.push_back({chain, begin, ins});
    return false;
  }

  const Graph* graph_;
  const Clocks* clocks_;
  std::uint32_t other_;
  std::uint32_t out_;
  std::vector<std::uint32_t> visited_;  // ins, per chain
  std::unordered_set<std::uint32_t> nodes_;
  std::vector<Part> open_;
};

}  // namespace

bool Reach::knows(std::uint32_t chain, std::uint32_t ins, std::uint32_t other, std::uint32_t out) const {
  if (ins == 0 || out >= graph_->outs(other).size()) return false;
  const std::size_t cut = clocks_->cut_before(chain, ins);
  if (clocks_->known(cut, chain, other) > out) return true;
  if (cut + 1 < clocks_->cuts() && clocks_->known(cut + 1, chain, other) <= out) return false;
  return Search(*graph_, *clocks_, other, out).run(chain, ins);
}

std::vector<Reach::Step> Reach::path(std::uint32_t chain, std::uint32_t ins, std::uint32_t other,
                                     std::uint32_t out) const {
  std::vector<Step> steps;
  if (!knows(chain, ins, other, out)) return steps;
  for (;;) {
    // The in that first brought it.
    std::uint32_t low = 0;
    std::uint32_t high = ins;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (knows(chain, middle, other, out) ? high : low) = middle;
    }
    std::vector<Graph::From> froms(graph_->froms(chain, high - 1).begin(),
                                   graph_->froms(chain, high - 1).end());
    bool there = false;
    bool found = false;
    while (!froms.empty() && !found) {
      const Graph::From from = froms.back();
      froms.pop_back();
      if (from.chain == Graph::From::kDropped) continue;
      if (from.chain == Graph::From::kNode) {
        const auto more = graph_->node_froms(from.out);
        froms.insert(froms.end(), more.begin(), more.end());
        continue;
      }
      there = from.chain == other && from.out >= out;
      const std::uint32_t before = graph_->outs(from.chain)[from.out].ins_before;
      if (!there && !knows(from.chain, before, other, out)) continue;
      found = true;
      steps.push_back({chain, high - 1, from.chain, from.out});
      chain = from.chain;
      ins = before;
    }
    if (there || !found) break;
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace weir::semantics
