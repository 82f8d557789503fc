#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "semantics/order/activity.hpp"
#include "semantics/order/edges.hpp"

namespace weir::semantics {

// Threads and what orders them. A place in a thread is how many of its records have ended there. An *out* is
// a place from which an edge leaves: all records before it are known where the edge ends. An *in* is a place
// where edges end: what they bring is known to all calls that begin there or later.
class Graph {
 public:
  // An out of a chain; or of kNode, a node.
  struct From {
    static constexpr std::uint32_t kNode = ~std::uint32_t{0};
    static constexpr std::uint32_t kDropped = kNode - 1;  // it contradicted others

    std::uint32_t chain = 0;
    std::uint32_t out = 0;
  };
  struct Out {
    std::uint64_t place = 0;
    std::uint32_t ins_before = 0;  // so many ins of the chain come before it
    std::uint32_t inside = 0;      // calls inside the one that begins here: its record is place + inside
    std::int64_t start_ns = 0;
  };

  // `chains` and `edges` are used up.
  Graph(std::vector<const Chain*> chains, std::span<const ProcessActivity> processes, Edges edges);

  std::size_t chains() const { return outs_.size(); }
  std::size_t nodes() const { return node_ends_.size(); }
  std::size_t edges() const { return froms_.size() + node_froms_.size(); }

  std::span<const Out> outs(std::uint32_t chain) const { return outs_[chain]; }
  std::size_t ins(std::uint32_t chain) const { return ins_[chain].size(); }
  std::uint64_t in_place(std::uint32_t chain, std::size_t in) const { return ins_[chain][in]; }
  std::span<const From> froms(std::uint32_t chain, std::size_t in) const {
    const std::size_t number = first_in_[chain] + in;
    return std::span(froms_).subspan(from_begin_[number], from_begin_[number + 1] - from_begin_[number]);
  }
  std::span<const From> node_froms(std::uint32_t node) const {
    const std::size_t begin = node == 0 ? 0 : node_ends_[node - 1];
    return std::span(node_froms_).subspan(begin, node_ends_[node] - begin);
  }
  // Of all ins of the trace.
  std::size_t in_number(std::uint32_t chain, std::size_t in) const { return first_in_[chain] + in; }
  std::size_t all_ins() const { return from_begin_.empty() ? 0 : from_begin_.size() - 1; }
  void drop(std::uint32_t chain, std::size_t in);

  // How many ins a call knows that begins at a place.
  std::uint32_t ins_up_to(std::uint32_t chain, std::uint64_t place) const;
  // The first out that comes after the end of a record, or how many there are.
  std::uint32_t first_out_after(std::uint32_t chain, std::uint64_t record) const;

  std::size_t bytes() const;

 private:
  std::vector<std::vector<Out>> outs_;
  std::vector<std::vector<std::uint64_t>> ins_;
  std::vector<std::size_t> first_in_;
  std::vector<std::uint32_t> from_begin_;  // by the number of the in
  std::vector<From> froms_;
  std::vector<From> node_froms_;
  std::vector<std::size_t> node_ends_;
};

}  // namespace weir::semantics
