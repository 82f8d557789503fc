#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "semantics/order/graph.hpp"
#include "semantics/order/line_place.hpp"

namespace weir::semantics {

// The ins of a graph in a line, put there as they are passed.
class Line {
 public:
  Line() = default;
  explicit Line(const Graph& graph)
      : after_ns_(graph.all_ins()), numbers_(graph.all_ins()), nodes_(graph.nodes(), LinePlace::kFirst) {}

  // The next in of a chain; all that it waits for has been passed.
  void pass(const Graph& graph, std::uint32_t chain, std::uint32_t in) {
    std::int64_t after = at(graph, chain, in).after_ns;
    for (const Graph::From& from : graph.froms(chain, in)) after = std::max(after, left(graph, from));
    after_ns_[graph.in_number(chain, in)] = after;
    numbers_[graph.in_number(chain, in)] = ++passed_;
  }
  void finish() { nodes_ = {}; }

  // Of a call that knows so many ins of its chain.
  LinePlace at(const Graph& graph, std::uint32_t chain, std::uint32_t ins) const {
    if (ins == 0) return {};
    const std::size_t last = graph.in_number(chain, ins - 1);
    return {after_ns_[last], numbers_[last], 0};
  }
  std::size_t bytes() const {
    return after_ns_.capacity() * sizeof after_ns_[0] + numbers_.capacity() * sizeof numbers_[0];
  }

 private:
  // When it had left there at the earliest.
  std::int64_t left(const Graph& graph, const Graph::From& from) {
    if (from.chain == Graph::From::kDropped) return LinePlace::kFirst;
    if (from.chain != Graph::From::kNode) {
      const Graph::Out& out = graph.outs(from.chain)[from.out];
      return std::max(out.start_ns, at(graph, from.chain, out.ins_before).after_ns);
    }
    std::int64_t& known = nodes_[from.out];
    if (known == LinePlace::kFirst)
      for (const Graph::From& one : graph.node_froms(from.out)) known = std::max(known, left(graph, one));
    return known;
  }

  std::vector<std::int64_t> after_ns_;  // by the number of the in
  std::vector<std::uint32_t> numbers_;
  std::vector<std::int64_t> nodes_;
  std::uint32_t passed_ = 0;
};

}  // namespace weir::semantics
