#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "semantics/order/graph.hpp"
#include "semantics/order/line.hpp"

namespace weir::semantics {

// What each thread knows of every other, at some cuts through the program. A clock of a thread says for each
// other how many of its outs are known. Keeping one for every in would take threads x ins numbers; kept are
// those at cuts, as many as a share of the memory of the edges allows, and a search looks at what lies
// between two of them.
class Clocks {
 public:
  static constexpr std::uint32_t kNoClock = ~std::uint32_t{0};

  // What memory they may take.
  struct Budget {
    std::size_t bytes_per_edge = 12;          // of clocks at cuts
    std::size_t fewest_edges = 256;           // between two cuts
    std::size_t working_bytes_per_edge = 24;  // of clocks that are needed at the same time
    std::size_t working_bytes = std::size_t{64}
                                << 20;  // besides; beyond both there are no clocks, only searches
  };

  // Walks the graph from its beginnings. Ins that contradict others are dropped from it: (chain, in) of each.
  static Clocks of(Graph& graph, std::vector<std::pair<std::uint32_t, std::uint32_t>>& dropped,
                   const Budget& budget);

  std::size_t cuts() const { return cuts_; }
  // The last cut at which a chain had passed no more than so many ins.
  std::size_t cut_before(std::uint32_t chain, std::uint32_t ins) const;
  std::uint32_t ins_at(std::size_t cut, std::uint32_t chain) const { return at_[chain * cuts_ + cut].ins; }
  // How many outs of another chain it knew there.
  std::uint32_t known(std::size_t cut, std::uint32_t chain, std::uint32_t of) const {
    const std::uint32_t clock = at_[chain * cuts_ + cut].clock;
    if (clock == kNoClock || place_[of] == kNoClock) return 0;
    return values_[clock][place_[of]];
  }

  // The ins in the order in which they were passed.
  const Line& line() const { return line_; }

  std::size_t bytes() const;

 private:
  friend class ClockWalk;
  struct At {
    std::uint32_t ins = 0;
    std::uint32_t clock = kNoClock;
  };

  Line line_;
  std::size_t chains_ = 0;
  std::size_t cuts_ = 0;
  std::vector<At> at_;                // per chain and cut
  std::vector<std::uint32_t> place_;  // of a chain in a clock; those without outs have none
  std::vector<std::vector<std::uint32_t>> values_;
};

}  // namespace weir::semantics
