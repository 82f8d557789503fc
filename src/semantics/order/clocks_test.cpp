// Reachability in random graphs of threads, for every budget of memory: cuts at every edge, some, and no
// clocks at all.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "semantics/order/reach.hpp"

namespace weir::semantics {
namespace {

// Threads in which every record is a point; edges go forward in a time that nobody but the maker knows.
struct Made {
  std::vector<ProcessActivity> processes;
  std::vector<Edge> edges;
  std::vector<std::vector<Source>> nodes;

  Graph graph() const {
    Edges all;
    for (const auto& sources : nodes) all.add_node(sources);
    all.append(edges);
    std::vector<const Chain*> chains;
    for (const ProcessActivity& process : processes)
      for (const Chain& chain : process.chains) chains.push_back(&chain);
    return Graph(chains, processes, std::move(all));
  }
};

Made random_graph(std::uint64_t seed, std::uint32_t chains, std::uint32_t steps) {
  Random random(seed);
  Made made;
  for (std::uint32_t c = 0; c < chains; ++c) {
    ProcessActivity process;
    process.streams.resize(1);
    Chain chain;
    chain.process = c;
    process.chains.push_back(chain);
    made.processes.push_back(std::move(process));
  }
  const auto point = [&](std::uint32_t chain) {
    Chain& one = made.processes[chain].chains[0];
    one.points.push_back(one.end_record++);
    one.starts.push_back(0);
    return static_cast<std::uint32_t>(one.points.size() - 1);
  };
  struct Sent {
    Source from;
    bool taken = false;
  };
  std::vector<Sent> sent;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const auto chain = static_cast<std::uint32_t>(random.below(chains));
    if (random.below(30) == 0) {  // all with all
      std::vector<Source> sources;
      for (std::uint32_t c = 0; c < chains; ++c) sources.push_back({c, point(c)});
      for (const Source& one : sources)
        made.edges.push_back(
            {{Source::kNode, static_cast<std::uint32_t>(made.nodes.size())}, {one.chain, one.point}});
      made.nodes.push_back(sources);
    } else if (random.below(2) == 0) {
      sent.push_back({{chain, point(chain)}, false});
    } else if (!sent.empty()) {  // also what was sent long ago
      Sent& one = sent[random.below(sent.size())];
      if (one.from.chain != chain) made.edges.push_back({one.from, {chain, point(chain)}});
    }
  }
  return made;
}

// known[chain][ins][other]: outs of another chain that are known behind so many ins.
using Known = std::vector<std::vector<std::vector<std::uint32_t>>>;

// The plain way: a clock at every in, computed until nothing changes.
Known all_clocks(const Graph& graph) {
  const auto chains = static_cast<std::uint32_t>(graph.chains());
  Known known(chains);
  for (std::uint32_t c = 0; c < chains; ++c)
    known[c].assign(graph.ins(c) + 1, std::vector<std::uint32_t>(chains, 0));
  std::function<void(const Graph::From&, std::vector<std::uint32_t>&)> take =
      [&](const Graph::From& from, std::vector<std::uint32_t>& into) {
        if (from.chain == Graph::From::kDropped) return;
        if (from.chain == Graph::From::kNode) {
          for (const Graph::From& source : graph.node_froms(from.out)) take(source, into);
          return;
        }
        const auto& theirs = known[from.chain][graph.outs(from.chain)[from.out].ins_before];
        for (std::uint32_t k = 0; k < chains; ++k) into[k] = std::max(into[k], theirs[k]);
        into[from.chain] = std::max(into[from.chain], from.out + 1);
      };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t c = 0; c < chains; ++c)
      for (std::size_t i = 0; i < graph.ins(c); ++i) {
        std::vector<std::uint32_t> next = known[c][i];
        for (const Graph::From& from : graph.froms(c, i)) take(from, next);
        changed = changed || next != known[c][i + 1];
        known[c][i + 1] = std::move(next);
      }
  }
  return known;
}

void compare(const Made& made, const Clocks::Budget& budget, std::uint64_t seed) {
  Graph graph = made.graph();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dropped;
  const Clocks clocks = Clocks::of(graph, dropped, budget);
  EXPECT_TRUE(dropped.empty());
  const Known known = all_clocks(graph);
  const Reach reach(graph, clocks);
  std::size_t wrong = 0;
  for (std::uint32_t c = 0; c < graph.chains(); ++c)
    for (std::uint32_t i = 0; i <= graph.ins(c); ++i)
      for (std::uint32_t other = 0; other < graph.chains(); ++other) {
        if (other == c) continue;
        for (std::uint32_t out = 0; out < graph.outs(other).size(); ++out) {
          const bool expected = known[c][i][other] > out;
          wrong += reach.knows(c, i, other, out) != expected ? 1 : 0;
          if (!expected || (c + i + out) % 5 != 0) continue;
          const auto path = reach.path(c, i, other, out);
          ASSERT_FALSE(path.empty());
          EXPECT_EQ(path.front().from_chain, other);
          EXPECT_GE(path.front().from_out, out);
          EXPECT_EQ(path.back().chain, c);
          EXPECT_LT(path.back().in, i);
          for (std::size_t k = 1; k < path.size(); ++k) {
            EXPECT_EQ(path[k].from_chain, path[k - 1].chain);
            EXPECT_LT(path[k - 1].in, graph.outs(path[k].from_chain)[path[k].from_out].ins_before);
          }
        }
      }
  EXPECT_EQ(wrong, 0U) << "seed " << seed << ", " << clocks.cuts() << " cuts";
}

TEST(Clocks, AllBudgetsGiveTheSameAnswers) {
  const Clocks::Budget everywhere{1'000'000, 0, 24, 64 << 20};
  const Clocks::Budget some{12, 16, 24, 64 << 20};
  const Clocks::Budget none{0, 1, 0, 0};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Made made = random_graph(seed, 2 + static_cast<std::uint32_t>(seed % 5), 300);
    for (const Clocks::Budget& budget : {everywhere, some, none}) compare(made, budget, seed);
  }
}

TEST(Clocks, GivingUpInTheMiddleCostsNoAnswer) {
  for (std::uint64_t seed = 20; seed < 24; ++seed) {
    const Made made = random_graph(seed, 5, 400);
    compare(made, {12, 16, 0, 5 * 16 * 4}, seed);  // enough to begin with
  }
}

TEST(Clocks, AreFewWhereMemoryIsShort) {
  const Made made = random_graph(3, 5, 2000);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dropped;
  Graph graph = made.graph();
  const Clocks many = Clocks::of(graph, dropped, {1000, 0, 24, 64 << 20});
  const Clocks few = Clocks::of(graph, dropped, {1, 16, 24, 64 << 20});
  EXPECT_GT(many.cuts(), few.cuts());
  EXPECT_GT(many.bytes(), few.bytes());
}

TEST(Clocks, CirclesAreBrokenAndTold) {
  Made made = random_graph(5, 2, 0);
  for (std::uint32_t c = 0; c < 2; ++c) {
    Chain chain;
    chain.process = c;
    chain.end_record = 2;
    chain.points = {0, 1};
    chain.starts = {0, 0};
    made.processes[c].chains[0] = chain;
  }
  // Each receives before it sends.
  made.edges = {{{0, 1}, {1, 0}}, {{1, 1}, {0, 0}}};
  Graph graph = made.graph();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dropped;
  const Clocks clocks = Clocks::of(graph, dropped, {});
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0], (std::pair<std::uint32_t, std::uint32_t>(0, 0)));
  EXPECT_TRUE(Reach(graph, clocks).knows(1, 1, 0, 0));
  EXPECT_FALSE(Reach(graph, clocks).knows(0, 1, 1, 0));
}

}  // namespace
}  // namespace weir::semantics
