// Table 5.8 of the source: how many lock requests of a node are new (alpha), local (beta) and conflicting
// (gamma) for three workloads, N nodes, P processes a node and M writes of one block a process (eq. 5.3
// to 5.12).
//
// An arrival order is drawn anew 50 times. The formulas of extended tokens count the nodes that do not make
// the file's very first request; that one's is new, not in conflict, and is looked at apart.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "burst/lock/simulated_job_test.hpp"

namespace weir::burst::lock {
namespace {

struct Job {
  NodeId nodes;
  std::uint64_t processes;  // a node
  std::uint64_t writes;     // a process
  std::uint64_t ranks() const { return nodes * processes; }
  std::uint64_t requests() const { return processes * writes; }  // a node
};

constexpr int kOrders = 50;

void shuffle(std::vector<std::uint64_t>& order, Random& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}

double harmonic(std::uint64_t terms) {
  double sum = 0;
  for (std::uint64_t w = 1; w <= terms; ++w) sum += 1.0 / static_cast<double>(w);
  return sum;
}

// One write of one block; the next request arrives when it is over.
void write(SimulatedJob& file, const Job& job, std::uint64_t rank, std::uint64_t block) {
  file.acquire(static_cast<NodeId>(rank / job.processes), rank, {block, block + 1}, Mode::exclusive, 0,
               nullptr);
  ASSERT_TRUE(file.run()) << file.failure();
}

// Ranks in the order in which their writes arrive: each rank `writes` times, all orders alike.
std::vector<std::uint64_t> arrivals(const Job& job, Random& random) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank) order.insert(order.end(), job.writes, rank);
  shuffle(order, random);
  return order;
}

std::vector<Counters> contiguous(const Job& job, Options options, std::uint64_t seed, NodeId& first) {
  SimulatedJob file(options, job.nodes, {}, seed);
  Random random(seed, 2);
  std::vector<std::uint64_t> written(job.ranks());
  const std::vector<std::uint64_t> order = arrivals(job, random);
  first = static_cast<NodeId>(order.front() / job.processes);
  for (const std::uint64_t rank : order) write(file, job, rank, rank * job.writes + written[rank]++);
  std::vector<Counters> counters;
  for (NodeId node = 0; node < job.nodes; ++node) counters.push_back(file.agent(node).counters());
  return counters;
}

// A batch begins when the one before has ended.
std::vector<Counters> strided(const Job& job, Options options, std::uint64_t seed, NodeId& first) {
  SimulatedJob file(options, job.nodes, {}, seed);
  Random random(seed, 2);
  std::vector<std::uint64_t> order(job.ranks());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t batch = 0; batch < job.writes; ++batch) {
    shuffle(order, random);
    if (batch == 0) first = static_cast<NodeId>(order.front() / job.processes);
    for (const std::uint64_t rank : order) write(file, job, rank, batch * job.ranks() + rank);
  }
  std::vector<Counters> counters;
  for (NodeId node = 0; node < job.nodes; ++node) counters.push_back(file.agent(node).counters());
  return counters;
}

std::vector<Counters> file_per_process(const Job& job, Options options, std::uint64_t seed, NodeId& first) {
  std::vector<std::unique_ptr<SimulatedJob>> files;
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank)
    files.push_back(std::make_unique<SimulatedJob>(options, job.nodes, Network{}, seed));
  Random random(seed, 2);
  std::vector<std::uint64_t> written(job.ranks());
  first = 0;
  for (const std::uint64_t rank : arrivals(job, random)) write(*files[rank], job, rank, written[rank]++);
  std::vector<Counters> counters(job.nodes);
  for (const auto& file : files)
    for (NodeId node = 0; node < job.nodes; ++node) {
      counters[node].fresh += file->agent(node).counters().fresh;
      counters[node].local += file->agent(node).counters().local;
      counters[node].conflict += file->agent(node).counters().conflict;
    }
  return counters;
}

using Workload = std::vector<Counters> (*)(const Job&, Options, std::uint64_t, NodeId&);

struct Means {
  double conflict_others = 0;     // gamma of the nodes that did not come first, each run's nodes alike
  double asked_all = 0;           // alpha + gamma over all nodes
  std::uint64_t fresh_total = 0;  // alpha summed over nodes and orders
};

Means mean_counts(Workload workload, const Job& job, Options options) {
  Means means;
  for (int order = 1; order <= kOrders; ++order) {
    NodeId first = 0;
    const auto counters = workload(job, options, static_cast<std::uint64_t>(order), first);
    for (NodeId node = 0; node < job.nodes; ++node) {
      const Counters& count = counters[node];
      EXPECT_EQ(count.fresh + count.local + count.conflict, job.requests());  // eq. 5.2
      if (node != first)
        means.conflict_others += static_cast<double>(count.conflict) / (job.nodes - 1) / kOrders;
      means.asked_all += static_cast<double>(count.fresh + count.conflict) / job.nodes / kOrders;
      means.fresh_total += count.fresh;
    }
  }
  return means;
}

const std::vector<Job> kJobs = {{4, 4, 8}, {4, 8, 6}, {8, 4, 10}, {6, 6, 5}, {16, 4, 4}};

TEST(LockOverhead, ExactTokensAreAlwaysNew) {
  for (const Workload workload : {&file_per_process, &contiguous, &strided})
    for (const Job& job : {Job{1, 4, 5}, Job{4, 4, 8}, Job{3, 5, 7}}) {
      NodeId first = 0;
      for (const Counters& count : workload(job, {GrantRange::exact, Settle::split}, 1, first))
        EXPECT_EQ(count, (Counters{job.requests(), 0, 0}));  // eq. 5.3, 5.5, 5.11
    }
}

TEST(LockOverhead, ExtendedTokensOfPrivateFilesAreAskedForOnce) {
  for (const GrantRange grant : {GrantRange::extend, GrantRange::extend_end})
    for (const Job& job : {Job{1, 4, 5}, Job{4, 4, 8}, Job{3, 5, 7}}) {
      NodeId first = 0;
      for (const Counters& count : file_per_process(job, {grant, Settle::split}, 1, first))
        EXPECT_EQ(count, (Counters{job.processes, job.requests() - job.processes, 0}));  // eq. 5.4
    }
}

TEST(LockOverhead, ContiguousWritesConflictLikeTheHarmonicNumber) {
  for (const Job& job : kJobs) {
    SCOPED_TRACE(testing::Message() << job.nodes << " nodes, " << job.processes << " processes");
    const Means means = mean_counts(&contiguous, job, {GrantRange::extend, Settle::split});
    const double expected = harmonic(job.processes);  // eq. 5.10
    EXPECT_NEAR(means.conflict_others, expected, 0.1 * expected);
    EXPECT_LE(means.asked_all, 1.1 * expected);  // the first node's first token serves it for a while
    EXPECT_EQ(means.fresh_total, std::uint64_t{kOrders});  // the very first request
  }
}

TEST(LockOverhead, StridedWritesConflictInEveryBatch) {
  for (const Job& job : kJobs) {
    SCOPED_TRACE(testing::Message() << job.nodes << " nodes, " << job.processes << " processes");
    const Means means = mean_counts(&strided, job, {GrantRange::extend, Settle::split});
    const double expected = static_cast<double>(job.writes) * harmonic(job.processes);  // eq. 5.12
    EXPECT_NEAR(means.conflict_others, expected, 0.1 * expected);
    EXPECT_NEAR(means.asked_all, expected, 0.1 * expected);
    EXPECT_EQ(means.fresh_total, std::uint64_t{kOrders});
  }
}

TEST(LockOverhead, OneNodeHasNoConflicts) {
  const Job job{1, 6, 5};
  NodeId first = 0;
  for (const Workload workload : {&contiguous, &strided})
    EXPECT_EQ(workload(job, {GrantRange::extend, Settle::split}, 3, first).front(),
              (Counters{1, job.requests() - 1, 0}));
}

// Why the holder splits: a token given up whole takes what its node is at with it.
TEST(LockOverhead, RevokingWholeTokensCostsMoreConflicts) {
  const Job job{4, 4, 8};
  const Means split = mean_counts(&contiguous, job, {GrantRange::extend, Settle::split});
  const Means revoke = mean_counts(&contiguous, job, {GrantRange::extend, Settle::revoke});
  EXPECT_GT(revoke.conflict_others, 2 * split.conflict_others);
}

}  // namespace
}  // namespace weir::burst::lock
