// Random schedules of nodes and clients over a network that delays, reorders, repeats and loses messages,
// with clients, nodes and owners that die. Rules are checked as the schedule runs; see SimulatedJob.
#include <cstdlib>

#include <gtest/gtest.h>

#include "burst/lock/simulated_job_test.hpp"

namespace weir::burst::lock {
namespace {

struct Plan {
  Options options;
  NodeId nodes = 2;
  std::uint64_t clients_each = 2;
  std::uint64_t accesses = 10;  // each client
  std::uint64_t blocks = 12;    // of the file
  unsigned exclusive_percent = 70;
  Network network;
  static constexpr std::uint64_t kLongestUse = 9;
};

// Every client goes through its accesses one after the other; ends with the totals of all nodes.
class Schedule {
 public:
  Schedule(const Plan& plan, std::uint64_t seed)
      : plan_(plan), random_(seed, 1), job_(plan.options, plan.nodes, plan.network, seed) {}

  SimulatedJob& job() { return job_; }
  Random& random() { return random_; }

  void start() {
    for (NodeId node = 0; node < plan_.nodes; ++node) start(node);
  }
  void start(NodeId node) {
    for (std::uint64_t i = 0; i < plan_.clients_each; ++i)
      job_.after(random_.below(20),
                 [this, node, client = ++last_client_] { next(node, client, plan_.accesses); });
  }
  void next(NodeId node, ClientId client, std::uint64_t left) {
    if (left == 0 || !job_.alive(node) || dead_.contains(client)) return;
    const std::uint64_t begin = random_.below(plan_.blocks);
    const Blocks blocks{begin, std::min(plan_.blocks, begin + 1 + random_.below(3))};
    const Mode mode = random_.below(100) < plan_.exclusive_percent ? Mode::exclusive : Mode::shared;
    ++asked_;
    job_.acquire(node, client, blocks, mode, random_.below(Plan::kLongestUse + 1),
                 [this, node, client, left](LocalId, Served) {
                   ++served_;
                   job_.check_tokens();
                   next(node, client, left - 1);
                 });
  }
  void kill_client(NodeId node, ClientId client) {
    dead_.insert(client);
    job_.kill_client(node, client);
  }

  std::uint64_t asked() const { return asked_; }
  std::uint64_t served() const { return served_; }
  ClientId last_client() const { return last_client_; }

 private:
  Plan plan_;
  Random random_;
  SimulatedJob job_;
  std::set<ClientId> dead_;
  ClientId last_client_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t served_ = 0;
};

Plan random_plan(Random& random) {
  Plan plan;
  plan.options.grant = static_cast<GrantRange>(random.below(3));
  plan.options.settle = static_cast<Settle>(random.below(2));
  plan.nodes = static_cast<NodeId>(1 + random.below(5));
  plan.clients_each = 1 + random.below(4);
  plan.accesses = 5 + random.below(15);
  plan.blocks = 1 + random.below(20);
  plan.exclusive_percent = static_cast<unsigned>(random.below(101));
  plan.network = {.longest_delay = random.below(30),
                  .twice_percent = static_cast<unsigned>(random.below(2) * random.below(50)),
                  .lost_percent = static_cast<unsigned>(random.below(4) == 0 ? random.below(30) : 0)};
  return plan;
}

std::uint64_t schedules(std::uint64_t normally) {
  return std::getenv("WEIR_LONG_TESTS") != nullptr ? normally * 50 : normally;
}

TEST(LockSchedules, NobodyBreaksInEveryRequestEndsAndCountersAddUp) {
  for (std::uint64_t seed = 1; seed <= schedules(3000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Plan plan = random_plan(random);
    Schedule schedule(plan, seed);
    schedule.start();
    const bool ended = schedule.job().run();
    ASSERT_EQ(schedule.job().failure(), "");
    ASSERT_TRUE(ended) << schedule.job().unfinished() << " requests never ended";
    const std::uint64_t all = plan.nodes * plan.clients_each * plan.accesses;
    ASSERT_EQ(schedule.served(), all);
    Counters sum;
    for (NodeId node = 0; node < plan.nodes; ++node) {
      const Counters& counters = schedule.job().agent(node).counters();
      sum.fresh += counters.fresh;
      sum.local += counters.local;
      sum.conflict += counters.conflict;
    }
    ASSERT_EQ(sum.fresh + sum.local + sum.conflict, all);
    if (plan.nodes == 1) {
      ASSERT_EQ(sum.conflict, 0u);
    }
  }
}

// How long a node waits for a grant: as long as those whose requests came before its own take, one after the
// other. Each is told whom to ask, asks, waits for a use that has begun and, where another ask came first,
// for one more, for the flush, and for the yield to come to the owner.
TEST(LockSchedules, ARequestWaitsForThoseBeforeItAndForNobodyElse) {
  double nearest = 0;
  for (std::uint64_t seed = 1; seed <= schedules(3000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed, 3);
    Plan plan = random_plan(random);
    plan.network.twice_percent = plan.network.lost_percent = 0;
    plan.blocks = 1 + random.below(4);  // all want the same
    Schedule schedule(plan, seed);
    schedule.start();
    ASSERT_TRUE(schedule.job().run()) << schedule.job().failure();
    const std::uint64_t hop = std::max<std::uint64_t>(plan.network.longest_delay, 1);
    const bool one_at_a_time = plan.options.grant != GrantRange::exact;
    const std::uint64_t others = plan.nodes * (one_at_a_time ? 1 : plan.clients_each);
    const std::uint64_t bound = 2 * hop + others * (5 * hop + 2 * Plan::kLongestUse);
    ASSERT_LE(schedule.job().longest_wait(), bound)
        << plan.nodes << " nodes, " << plan.clients_each << " clients, hop " << hop;
    nearest =
        std::max(nearest, static_cast<double>(schedule.job().longest_wait()) / static_cast<double>(bound));
  }
  RecordProperty("nearest", std::to_string(nearest));
  EXPECT_GT(nearest, 0.3) << "the bound says little";
}

TEST(LockSchedules, DeadClientsHoldNobodyUp) {
  for (std::uint64_t seed = 1; seed <= schedules(600); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Plan plan = random_plan(random);
    Schedule schedule(plan, seed);
    schedule.start();
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t victim = random.below(plan.nodes * plan.clients_each);
      const NodeId node = static_cast<NodeId>(victim / plan.clients_each);
      schedule.job().after(20 + random.below(200),
                           [&schedule, node, victim] { schedule.kill_client(node, victim + 1); });
    }
    const bool ended = schedule.job().run();
    ASSERT_EQ(schedule.job().failure(), "");
    ASSERT_TRUE(ended) << schedule.job().unfinished() << " requests never ended";
  }
}

TEST(LockSchedules, DeadNodesHoldNobodyUp) {
  for (std::uint64_t seed = 1; seed <= schedules(600); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Plan plan = random_plan(random);
    plan.nodes = std::max<NodeId>(plan.nodes, 2);
    Schedule schedule(plan, seed);
    schedule.start();
    for (int i = 0; i < 2; ++i) {
      const auto node = static_cast<NodeId>(random.below(plan.nodes));
      const bool comes_back = random.below(2) == 0;
      const std::uint64_t at = 20 + random.below(200);
      const std::uint64_t heard = 1 + random.below(50);
      schedule.job().after(at, [&schedule, node, heard] { schedule.job().kill_node(node, heard); });
      if (comes_back)
        schedule.job().after(at + heard + 1, [&schedule, node] {
          if (schedule.job().alive(node)) return;
          schedule.job().start_node(node);
          schedule.start(node);
        });
    }
    const bool ended = schedule.job().run();
    ASSERT_EQ(schedule.job().failure(), "");
    ASSERT_TRUE(ended) << schedule.job().unfinished() << " requests never ended";
  }
}

TEST(LockSchedules, ARestartedOwnerLosesNoToken) {
  for (std::uint64_t seed = 1; seed <= schedules(600); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Plan plan = random_plan(random);
    Schedule schedule(plan, seed);
    schedule.start();
    for (int i = 0; i < 2; ++i)
      schedule.job().after(20 + random.below(200), [&schedule, exported = random.below(2) == 0] {
        schedule.job().restart_owner(exported);
      });
    const bool ended = schedule.job().run();
    ASSERT_EQ(schedule.job().failure(), "");
    ASSERT_TRUE(ended) << schedule.job().unfinished() << " requests never ended";
  }
}

// The owner had not heard of the node yet: nobody would ever give back what it grants, and all wait behind
// it.
TEST(LockOwner, WhatANodeSaidBeforeItDiedIsNotHeardAfterwards) {
  LockOwner owner(Options{});
  LockAgent dead(1, Options{});
  Actions said;
  dead.acquire(1, 1, {0, 4}, Mode::exclusive, said);
  ASSERT_EQ(said.to_owner.size(), 1u);
  ToNodes out;
  owner.node_gone(1, 1, out);
  const auto& [stamp, message] = said.to_owner.front();
  owner.receive(1, stamp, message, out);
  EXPECT_TRUE(owner.tokens().empty());
  EXPECT_EQ(owner.waiting(), 0u);

  LockAgent next(1, Options{}, 2);
  Actions again;
  next.acquire(1, 1, {0, 4}, Mode::exclusive, again);
  owner.receive(1, again.to_owner.front().first, again.to_owner.front().second, out);
  EXPECT_EQ(owner.tokens().size(), 1u);
}

}  // namespace
}  // namespace weir::burst::lock
