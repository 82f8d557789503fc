#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "burst/lock/simulated_job_test.hpp"

// The three workloads of Table 5.8: N nodes, P processes a node, M writes of one block a process. One write
// after the other, in an order of arrival that the seed draws.
namespace weir::burst::lock {

struct Workload {
  NodeId nodes;
  std::uint64_t processes;  // a node
  std::uint64_t writes;     // a process
  std::uint64_t ranks() const { return nodes * processes; }
  std::uint64_t requests() const { return processes * writes; }  // a node
};

enum class Pattern { file_per_process, contiguous, strided };

struct BlockWrite {
  std::uint64_t rank;
  std::uint64_t file;
  std::uint64_t block;
};

inline void shuffle(std::vector<std::uint64_t>& order, Random& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}

// Strided: a batch begins when the one before has ended. Else all orders in which each rank writes so often
// are alike.
inline std::vector<BlockWrite> writes_of(const Workload& job, Pattern pattern, std::uint64_t seed) {
  Random random(seed, 2);
  std::vector<BlockWrite> writes;
  std::vector<std::uint64_t> order;
  if (pattern == Pattern::strided) {
    order.resize(job.ranks());
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    for (std::uint64_t batch = 0; batch < job.writes; ++batch) {
      shuffle(order, random);
      for (const std::uint64_t rank : order) writes.push_back({rank, 0, batch * job.ranks() + rank});
    }
    return writes;
  }
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank) order.insert(order.end(), job.writes, rank);
  shuffle(order, random);
  std::vector<std::uint64_t> written(job.ranks());
  for (const std::uint64_t rank : order) {
    const std::uint64_t number = written[rank]++;
    if (pattern == Pattern::contiguous)
      writes.push_back({rank, 0, rank * job.writes + number});
    else
      writes.push_back({rank, rank, number});
  }
  return writes;
}

// Alpha, beta and gamma of each node, by the two state machines alone.
inline std::vector<Counters> simulated_counts(const Workload& job, const std::vector<BlockWrite>& writes,
                                              Options options, std::uint64_t seed) {
  std::map<std::uint64_t, std::unique_ptr<SimulatedJob>> files;
  for (const BlockWrite& write : writes) {
    auto& file = files[write.file];
    if (!file) file = std::make_unique<SimulatedJob>(options, job.nodes, Network{}, seed);
    file->acquire(static_cast<NodeId>(write.rank / job.processes), write.rank, {write.block, write.block + 1},
                  Mode::exclusive, 0, nullptr);
    EXPECT_TRUE(file->run()) << file->failure();
  }
  std::vector<Counters> counters(job.nodes);
  for (const auto& [number, file] : files)
    for (NodeId node = 0; node < job.nodes; ++node) {
      const Counters& one = file->agent(node).counters();
      counters[node].fresh += one.fresh;
      counters[node].local += one.local;
      counters[node].conflict += one.conflict;
    }
  return counters;
}

}  // namespace weir::burst::lock
