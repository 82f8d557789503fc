#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weir::semantics {

// Where an edge begins: the start of a call, the end of a thread, or a node that stands for several.
struct Source {
  static constexpr std::uint32_t kNode = ~std::uint32_t{0};
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};

  std::uint32_t chain = 0;  // kNode: `point` is the number of a node
  std::uint32_t point = 0;  // kEnd: after all its records
};

// Where it ends: the completion of a call, or the beginning of a thread.
struct Target {
  static constexpr std::uint32_t kBegin = ~std::uint32_t{0};

  std::uint32_t chain = 0;
  std::uint32_t point = 0;
};

struct Edge {
  Source from;
  Target to;
};

// What orders calls of different threads, before it is put in order. A node is passed when all its sources
// are: with one an order from all of n to all costs 2 n edges.
class Edges {
 public:
  void add(const Source& from, const Target& to) { list_.push_back({from, to}); }
  void append(std::span<const Edge> edges) { list_.insert(list_.end(), edges.begin(), edges.end()); }
  // The number of the new node.
  std::uint32_t add_node(std::span<const Source> sources) {
    node_sources_.insert(node_sources_.end(), sources.begin(), sources.end());
    node_ends_.push_back(node_sources_.size());
    return static_cast<std::uint32_t>(node_ends_.size() - 1);
  }

  std::vector<Edge>& list() { return list_; }
  std::size_t nodes() const { return node_ends_.size(); }
  std::span<const Source> sources(std::size_t node) const {
    const std::size_t begin = node == 0 ? 0 : node_ends_[node - 1];
    return std::span(node_sources_).subspan(begin, node_ends_[node] - begin);
  }

 private:
  std::vector<Edge> list_;
  std::vector<Source> node_sources_;
  std::vector<std::size_t> node_ends_;
};

}  // namespace weir::semantics
