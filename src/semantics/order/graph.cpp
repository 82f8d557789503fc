#include "semantics/order/graph.hpp"

#include <algorithm>

namespace weir::semantics {
namespace {

constexpr std::uint32_t kUnused = ~std::uint32_t{0};

// Which points of the threads are used, and by which number as an out or an in. One slot more than points:
// the end of a thread as an out, its beginning as an in.
class Numbering {
 public:
  explicit Numbering(const std::vector<const Chain*>& chains) {
    first_.reserve(chains.size() + 1);
    std::size_t slots = 0;
    for (const Chain* const chain : chains) {
      first_.push_back(slots);
      slots += chain->points.size() + 1;
    }
    first_.push_back(slots);
    numbers_.assign(slots, kUnused);
  }

  void use(std::uint32_t chain, std::uint32_t point) { slot(chain, point) = 0; }
  std::uint32_t& slot(std::uint32_t chain, std::uint32_t point) {
    return numbers_[point == kUnused ? first_[chain + 1] - 1 : first_[chain] + point];
  }
  std::size_t points(std::uint32_t chain) const { return first_[chain + 1] - first_[chain] - 1; }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace

Graph::Graph(std::vector<const Chain*> chains, std::span<const ProcessActivity> processes, Edges edges) {
  outs_.resize(chains.size());
  ins_.resize(chains.size());
  Numbering out_numbers(chains);
  Numbering in_numbers(chains);
  const auto use = [&](const Source& from) {
    if (from.chain != Source::kNode) out_numbers.use(from.chain, from.point);
  };
  for (const Edge& edge : edges.list()) {
    use(edge.from);
    in_numbers.use(edge.to.chain, edge.to.point);
  }
  for (std::size_t n = 0; n < edges.nodes(); ++n)
    for (const Source& from : edges.sources(n)) use(from);

  for (std::uint32_t c = 0; c < chains.size(); ++c) {
    const Chain& chain = *chains[c];
    const Nesting& nesting = processes[chain.process].streams[chain.stream].nesting;
    if (in_numbers.slot(c, kUnused) != kUnused) ins_[c].push_back(chain.first_record);
    for (std::uint32_t p = 0; p < chain.points.size(); ++p) {
      if (std::uint32_t& in = in_numbers.slot(c, p); in != kUnused) {
        in = static_cast<std::uint32_t>(ins_[c].size());
        ins_[c].push_back(chain.points[p] + 1);
      }
      if (out_numbers.slot(c, p) == kUnused) continue;
      const std::uint64_t place = nesting.start_of(chain.points[p]);
      outs_[c].push_back({place, p, static_cast<std::uint32_t>(chain.points[p] - place), chain.starts[p]});
    }
    if (out_numbers.slot(c, kUnused) != kUnused)
      outs_[c].push_back({chain.end_record, kUnused, 0, chain.end_ns});
    // A call around others begins before them and ends behind them.
    const auto earlier = [](const Out& a, const Out& b) { return a.place < b.place; };
    if (!std::is_sorted(outs_[c].begin(), outs_[c].end(), earlier))
      std::stable_sort(outs_[c].begin(), outs_[c].end(), earlier);
    for (std::uint32_t o = 0; o < outs_[c].size(); ++o) {
      Out& out = outs_[c][o];
      out_numbers.slot(c, out.ins_before) = o;  // where its point stood till now
      out.ins_before = ins_up_to(c, out.place);
    }
    outs_[c].shrink_to_fit();
    ins_[c].shrink_to_fit();
  }

  first_in_.reserve(chains.size());
  std::size_t all = 0;
  for (const auto& ins : ins_) {
    first_in_.push_back(all);
    all += ins.size();
  }
  const auto from_of = [&](const Source& from) -> From {
    if (from.chain == Source::kNode) return {From::kNode, from.point};
    return {from.chain, out_numbers.slot(from.chain, from.point)};
  };
  const auto in_of = [&](const Target& to) {
    return first_in_[to.chain] + in_numbers.slot(to.chain, to.point);
  };
  from_begin_.assign(all + 1, 0);
  for (const Edge& edge : edges.list()) ++from_begin_[in_of(edge.to) + 1];
  for (std::size_t i = 1; i < from_begin_.size(); ++i) from_begin_[i] += from_begin_[i - 1];
  froms_.resize(edges.list().size());
  std::vector<std::uint32_t> at(from_begin_.begin(), from_begin_.end() - 1);
  for (const Edge& edge : edges.list()) froms_[at[in_of(edge.to)]++] = from_of(edge.from);
  for (std::size_t n = 0; n < edges.nodes(); ++n) {
    for (const Source& from : edges.sources(n)) node_froms_.push_back(from_of(from));
    node_ends_.push_back(node_froms_.size());
  }
  node_froms_.shrink_to_fit();
  node_ends_.shrink_to_fit();
}

void Graph::drop(std::uint32_t chain, std::size_t in) {
  const std::size_t number = first_in_[chain] + in;
  for (std::size_t i = from_begin_[number]; i < from_begin_[number + 1]; ++i)
    froms_[i].chain = From::kDropped;
}

std::uint32_t Graph::ins_up_to(std::uint32_t chain, std::uint64_t place) const {
  const auto& ins = ins_[chain];
  return static_cast<std::uint32_t>(std::upper_bound(ins.begin(), ins.end(), place) - ins.begin());
}

std::uint32_t Graph::first_out_after(std::uint32_t chain, std::uint64_t record) const {
  const auto& outs = outs_[chain];
  const auto found =
      std::upper_bound(outs.begin(), outs.end(), record,
                       [](std::uint64_t wanted, const Out& one) { return wanted < one.place; });
  return static_cast<std::uint32_t>(found - outs.begin());
}

std::size_t Graph::bytes() const {
  std::size_t sum = from_begin_.capacity() * sizeof from_begin_[0] +
                    (froms_.capacity() + node_froms_.capacity()) * sizeof(From) +
                    (node_ends_.capacity() + first_in_.capacity()) * sizeof(std::size_t);
  for (const auto& one : outs_) sum += one.capacity() * sizeof(Out) + sizeof(std::vector<Out>);
  for (const auto& one : ins_)
    sum += one.capacity() * sizeof(std::uint64_t) + sizeof(std::vector<std::uint64_t>);
  return sum;
}

}  // namespace weir::semantics
