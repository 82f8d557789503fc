#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "semantics/order/clocks.hpp"
#include "semantics/order/graph.hpp"

namespace weir::semantics {

// Whether one place of the graph is reached from another.
class Reach {
 public:
  Reach(const Graph& graph, const Clocks& clocks) : graph_(&graph), clocks_(&clocks) {}

  // Whether a chain that has passed so many ins knows an out of another.
  bool knows(std::uint32_t chain, std::uint32_t ins, std::uint32_t other, std::uint32_t out) const;

  // A step of a proof: an edge, or a part of one that goes through nodes.
  struct Step {
    std::uint32_t chain = 0;  // where it arrives
    std::uint32_t in = 0;
    std::uint32_t from_chain = 0;
    std::uint32_t from_out = 0;
  };
  // The edges by which it knows, first one first; empty if it does not.
  std::vector<Step> path(std::uint32_t chain, std::uint32_t ins, std::uint32_t other,
                         std::uint32_t out) const;

 private:
  const Graph* graph_;
  const Clocks* clocks_;
};

}  // namespace weir::semantics
