#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "semantics/order/graph.hpp"

namespace weir::semantics {

// What each thread knows of every other, at some cuts through the program. A clock of a thread says for each
// other how many of its outs are known. Keeping one for every in would take threads x ins numbers; kept are
// those at cuts, as many as a share of the memory of the edges allows, and a search looks at what lies
// between two of them.
class Clocks {
 public:
  static constexpr std::uint32_t kNoClock = ~std::uint32_t{0};

  // Walks the graph from its beginnings. Ins that contradict others are dropped from it: (chain, in) of each.
  static Clocks of(Graph& graph, std::vector<std::pair<std::uint32_t, std::uint32_t>>& dropped);

  std::size_t cuts() const { return cuts_; }
  // The last cut at which a chain had passed no more than so many ins.
  std::size_t cut_before(std::uint32_t chain, std::uint32_t ins) const;
  std::uint32_t ins_at(std::size_t cut, std::uint32_t chain) const { return at_[cut * chains_ + chain].ins; }
  // How many outs of another chain it knew there.
  std::uint32_t known(std::size_t cut, std::uint32_t chain, std::uint32_t of) const {
    const std::uint32_t clock = at_[cut * chains_ + chain].clock;
    if (clock == kNoClock || place_[of] == kNoClock) return 0;
    return values_[clock][place_[of]];
  }

  std::size_t bytes() const;

 private:
  friend class ClockWalk;
  struct At {
    std::uint32_t ins = 0;
    std::uint32_t clock = kNoClock;
  };

  std::size_t chains_ = 0;
  std::size_t cuts_ = 0;
  std::vector<At> at_;                // per cut and chain
  std::vector<std::uint32_t> place_;  // of a chain in a clock; those without outs have none
  std::vector<std::vector<std::uint32_t>> values_;
};

}  // namespace weir::semantics
