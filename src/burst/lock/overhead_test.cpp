// Table 5.8 of the source: how many lock requests of a node are new (alpha), local (beta) and conflicting
// (gamma) for three workloads, N nodes, P processes a node and M writes of one block a process (eq. 5.3
// to 5.12).
//
// An arrival order is drawn anew 50 times. The formulas of extended tokens count the nodes that do not make
// the file's very first request; that one's is new, not in conflict, and is looked at apart.
#include <vector>

#include <gtest/gtest.h>

#include "burst/lock/workload_test.hpp"

namespace weir::burst::lock {
namespace {

constexpr int kOrders = 50;

double harmonic(std::uint64_t terms) {
  double sum = 0;
  for (std::uint64_t w = 1; w <= terms; ++w) sum += 1.0 / static_cast<double>(w);
  return sum;
}

struct Means {
  double conflict_others = 0;     // gamma of the nodes that did not come first, each run's nodes alike
  double asked_all = 0;           // alpha + gamma over all nodes
  std::uint64_t fresh_total = 0;  // alpha summed over nodes and orders
};

Means mean_counts(Pattern pattern, const Workload& job, Options options) {
  Means means;
  for (std::uint64_t order = 1; order <= kOrders; ++order) {
    const auto writes = writes_of(job, pattern, order);
    const auto counters = simulated_counts(job, writes, options, order);
    const auto first = static_cast<NodeId>(writes.front().rank / job.processes);
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

const std::vector<Workload> kJobs = {{4, 4, 8}, {4, 8, 6}, {8, 4, 10}, {6, 6, 5}, {16, 4, 4}};

const std::vector<Workload> kSmallJobs = {{1, 4, 5}, {4, 4, 8}, {3, 5, 7}};

std::vector<Counters> counts(Pattern pattern, const Workload& job, Options options) {
  return simulated_counts(job, writes_of(job, pattern, 1), options, 1);
}

TEST(LockOverhead, ExactTokensAreAlwaysNew) {
  for (const Pattern pattern : {Pattern::file_per_process, Pattern::contiguous, Pattern::strided})
    for (const Workload& job : kSmallJobs)
      for (const Counters& count : counts(pattern, job, {GrantRange::exact, Settle::split}))
        EXPECT_EQ(count, (Counters{job.requests(), 0, 0}));  // eq. 5.3, 5.5, 5.11
}

TEST(LockOverhead, ExtendedTokensOfPrivateFilesAreAskedForOnce) {
  for (const GrantRange grant : {GrantRange::extend, GrantRange::extend_end})
    for (const Workload& job : kSmallJobs)
      for (const Counters& count : counts(Pattern::file_per_process, job, {grant, Settle::split}))
        EXPECT_EQ(count, (Counters{job.processes, job.requests() - job.processes, 0}));  // eq. 5.4
}

TEST(LockOverhead, ContiguousWritesConflictLikeTheHarmonicNumber) {
  for (const Workload& job : kJobs) {
    SCOPED_TRACE(testing::Message() << job.nodes << " nodes, " << job.processes << " processes");
    const Means means = mean_counts(Pattern::contiguous, job, {GrantRange::extend, Settle::split});
    const double expected = harmonic(job.processes);  // eq. 5.10
    EXPECT_NEAR(means.conflict_others, expected, 0.1 * expected);
    EXPECT_LE(means.asked_all, 1.1 * expected);  // the first node's first token serves it for a while
    EXPECT_EQ(means.fresh_total, std::uint64_t{kOrders});  // the very first request
  }
}

TEST(LockOverhead, StridedWritesConflictInEveryBatch) {
  for (const Workload& job : kJobs) {
    SCOPED_TRACE(testing::Message() << job.nodes << " nodes, " << job.processes << " processes");
    const Means means = mean_counts(Pattern::strided, job, {GrantRange::extend, Settle::split});
    const double expected = static_cast<double>(job.writes) * harmonic(job.processes);  // eq. 5.12
    EXPECT_NEAR(means.conflict_others, expected, 0.1 * expected);
    EXPECT_NEAR(means.asked_all, expected, 0.1 * expected);
    EXPECT_EQ(means.fresh_total, std::uint64_t{kOrders});
  }
}

TEST(LockOverhead, OneNodeHasNoConflicts) {
  const Workload job{1, 6, 5};
  for (const Pattern pattern : {Pattern::contiguous, Pattern::strided})
    EXPECT_EQ(counts(pattern, job, {GrantRange::extend, Settle::split}).front(),
              (Counters{1, job.requests() - 1, 0}));
}

// Why the holder splits: a token given up whole takes what its node is at with it.
TEST(LockOverhead, RevokingWholeTokensCostsMoreConflicts) {
  const Workload job{4, 4, 8};
  const Means split = mean_counts(Pattern::contiguous, job, {GrantRange::extend, Settle::split});
  const Means revoke = mean_counts(Pattern::contiguous, job, {GrantRange::extend, Settle::revoke});
  EXPECT_GT(revoke.conflict_others, 2 * split.conflict_others);
}

}  // namespace
}  // namespace weir::burst::lock
