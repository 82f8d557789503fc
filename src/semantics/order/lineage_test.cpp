// Fork and wait, making and joining threads.
#include "semantics/order/lineage.hpp"

#include <algorithm>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantics/order/made_program_test.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): parts of calls

// Processes without MPI: a parent, 100, and a child, 200.
class Family {
 public:
  explicit Family(std::string_view forks = "fork") {
    parent_ = lane(100, 1, 1000);
    child_ = lane(200, 100, 1500);
    mark(*parent_);
    parent_->call(forks, 0, {}, literal(200), 200, 50);
    mark(*child_);
  }

  void wait(std::string_view name, const std::vector<Part>& arguments, const Part& result) {
    parent_->call(name, 0, arguments, result, 2000, 50);
  }
  // Whether the child's call is before what the parent does next, times or not.
  bool ends_before() {
    mark(*parent_);
    parent_.reset();
    child_.reset();
    const auto merged = merge(run_.path(), trace::TimingMode::off);
    EXPECT_TRUE(merged);
    const auto trace = trace::TraceFile::open(run_.path());
    EXPECT_TRUE(trace);
    const auto order = Order::of(*trace);
    EXPECT_TRUE(order);
    EXPECT_TRUE(order->before({0, 0, 0}, {1, 0, 0}));
    EXPECT_FALSE(order->before({1, 0, 0}, {0, 0, 1}));
    return order->before({1, 0, 0}, {0, 0, 3});
  }

 private:
  std::unique_ptr<Lane> lane(std::uint64_t process, std::uint64_t parent, std::uint64_t start) {
    auto made = std::make_unique<Lane>(run_.path(), Lane::About{.process = process,
                                                                .parent = parent,
                                                                .number = 0,
                                                                .start = start,
                                                                .timed = false,
                                                                .lost = 0,
                                                                .late = 0});
    made->program("/bin/app", "/scratch", std::string("app\0", 4));
    made->thread(process);
    return made;
  }
  static void mark(Lane& lane) {
    lane.call("mkdir", 0, {path("/scratch/d"), literal(0755)}, literal(0), 10, 5);
  }

  ScratchDir run_;
  std::unique_ptr<Lane> parent_;
  std::unique_ptr<Lane> child_;
};

constexpr std::int64_t kKilled = 9;
constexpr std::int64_t kStopped = 0x137f;

TEST(Lineage, AWaitEndsAfterAllThatTheChildDid) {
  for (const Part& status : {literal(0), literal(256), literal(kKilled), absent()}) {
    Family family;
    family.wait("waitpid", {literal(200), status, literal(0)}, literal(200));
    EXPECT_TRUE(family.ends_before());
  }
  Family any;
  any.wait("wait", {absent()}, literal(200));
  EXPECT_TRUE(any.ends_before());
  Family told;
  told.wait("waitid", {literal(0), literal(0), literal(200), literal(4)}, literal(0));
  EXPECT_TRUE(told.ends_before());
}

TEST(Lineage, AVforkedChildIsOneLikeOthers) {
  Family family("vfork");
  family.wait("wait3", {literal(0), literal(0), absent()}, literal(200));
  EXPECT_TRUE(family.ends_before());
}

TEST(Lineage, AWaitThatFoundNoEndSaysNothing) {
  Family polling;
  polling.wait("waitpid", {literal(200), absent(), literal(1)}, literal(0));
  EXPECT_FALSE(polling.ends_before());
  Family stopped;
  stopped.wait("waitpid", {literal(200), literal(kStopped), literal(2)}, literal(200));
  EXPECT_FALSE(stopped.ends_before());
  Family perhaps;
  perhaps.wait("waitpid", {literal(200), absent(), literal(2)}, literal(200));
  EXPECT_FALSE(perhaps.ends_before());
  Family another;
  another.wait("waitpid", {literal(201), absent(), literal(0)}, literal(201));
  EXPECT_FALSE(another.ends_before());
}

// Thread 1 of rank 0 has the number of the rank's process, and one more.
std::int64_t number_of_thread() { return static_cast<std::int64_t>(Program::number_of(0)) + 1; }

TEST(Lineage, AThreadComesAfterWhatMadeItAndBeforeTheEndOfItsJoin) {
  Program program(2);
  program.add_thread(0, 1);
  const Event before = program.mark(0);
  program.call(0, "pthread_create", {literal(number_of_thread()), absent(), absent(), absent()});
  const Event beside = program.mark(0);
  program.on_thread(1);
  const Event inside = program.mark(0);
  program.on_thread(0);
  program.call(0, "pthread_join", {literal(number_of_thread()), absent()});
  program.send(0, 1);
  program.receive(1, 0);
  const Event told = program.mark(1);
  const Order& order = program.order();
  EXPECT_TRUE(order.before(before, inside));
  EXPECT_FALSE(order.before(beside, inside));
  EXPECT_FALSE(order.before(inside, beside));
  EXPECT_TRUE(order.before(inside, told)) << "through the join and the message";
}

TEST(Lineage, ADetachedThreadComesAfterWhatMadeItAndBeforeNothing) {
  Program program(2);
  program.add_thread(0, 1);
  const Event sent = program.mark(1);
  program.send(1, 0);
  program.receive(0, 1);
  const Event before = program.mark(0);
  program.call(0, "pthread_create", {literal(number_of_thread()), absent(), absent(), absent()});
  program.on_thread(1);
  const Event inside = program.mark(0);
  program.on_thread(0);
  program.barrier(0);
  program.barrier(1);
  const Event after = program.mark(0);
  const Event told = program.mark(1);
  const Order& order = program.order();
  EXPECT_TRUE(order.before(sent, inside)) << "through the message";
  EXPECT_TRUE(order.before(before, inside));
  EXPECT_FALSE(order.before(inside, after));
  EXPECT_FALSE(order.before(inside, told));
}

TEST(Lineage, AJoinThatFailedOrOfAThreadThatIsNotKnownSaysNothing) {
  for (const auto& [number, result] : {std::pair{number_of_thread(), 16}, std::pair{std::int64_t{0}, 0}}) {
    Program program(1);
    program.add_thread(0, 1);
    program.call(0, "pthread_create", {literal(number_of_thread()), absent(), absent(), absent()});
    program.on_thread(1);
    const Event inside = program.mark(0);
    program.on_thread(0);
    program.call(0, "pthread_tryjoin_np", {literal(number), absent()}, literal(result));
    const Event after = program.mark(0);
    EXPECT_FALSE(program.order().before(inside, after));
  }
}

TEST(Lineage, ANumberThatTwoThreadsHadSaysNothing) {
  Program program(1);
  program.add_thread(0, 1);
  program.call(0, "pthread_create", {literal(number_of_thread()), absent(), absent(), absent()});
  program.on_thread(1);
  const Event inside = program.mark(0);
  program.on_thread(0);
  program.call(0, "pthread_join", {literal(number_of_thread()), absent()});
  program.call(0, "thrd_create", {literal(number_of_thread()), absent(), absent()});
  const Event after = program.mark(0);
  EXPECT_FALSE(program.order().before(inside, after));
}

// A process without MPI whose calls of the C library start shells, which it forks unseen.
class Shells {
 public:
  explicit Shells(bool timed = false) : timed_(timed) { parent_ = lane(100, 1, 1000, "app"); }

  void call(std::string_view name, const std::vector<Part>& arguments, const Part& result, std::uint64_t at,
            std::uint64_t duration = 50) {
    parent_->call(name, 0, arguments, result, at, duration);
  }
  void mark(std::uint64_t at) { parent_->call("mkdir", 0, {path("d"), literal(0755)}, literal(0), at, 5); }
  // A shell that began then, which made one call.
  void shell(std::uint64_t number, std::uint64_t start, std::string_view command) {
    children_.push_back(lane(number, 100, 1000 + start, "sh", command));
    children_.back()->call("mkdir", 0, {path("/scratch/d"), literal(0755)}, literal(0), 10, 5);
  }
  const Order& order() {
    parent_.reset();
    children_.clear();
    EXPECT_TRUE(merge(run_.path(), timed_ ? trace::TimingMode::lossless : trace::TimingMode::off));
    auto opened = trace::TraceFile::open(run_.path());
    EXPECT_TRUE(opened);
    trace_.emplace(*std::move(opened));
    auto made = Order::of(*trace_);
    EXPECT_TRUE(made);
    order_.emplace(*std::move(made));
    return *order_;
  }

 private:
  std::unique_ptr<Lane> lane(std::uint64_t process, std::uint64_t parent, std::uint64_t start,
                             std::string_view program, std::string_view command = {}) {
    auto made = std::make_unique<Lane>(run_.path(), Lane::About{.process = process,
                                                                .parent = parent,
                                                                .number = 0,
                                                                .start = start,
                                                                .timed = timed_,
                                                                .lost = 0,
                                                                .late = 0});
    std::string words(program);
    words += '\0';
    if (!command.empty()) {
      words += "-c";
      words += '\0';
      words += command;
      words += '\0';
    }
    made->program("/bin/" + std::string(program), "/scratch", words);
    made->thread(process);
    return made;
  }

  bool timed_;
  ScratchDir run_;
  std::unique_ptr<Lane> parent_;
  std::vector<std::unique_ptr<Lane>> children_;
  std::optional<trace::TraceFile> trace_;
  std::optional<Order> order_;
};

TEST(Lineage, AShellThatSystemRanLiesWithinTheCall) {
  Shells shells;
  shells.mark(10);
  shells.call("system", {text("cp a b")}, literal(0), 100, 400);
  shells.mark(600);
  shells.shell(200, 150, "cp a b");
  const Order& order = shells.order();
  EXPECT_TRUE(order.before({0, 0, 0}, {1, 0, 0}));
  EXPECT_TRUE(order.before({1, 0, 0}, {0, 0, 2}));
  EXPECT_FALSE(order.before({1, 0, 0}, {0, 0, 1}));
}

TEST(Lineage, AShellThatPopenRanEndsBeforeThePclose) {
  Shells shells;
  shells.call("popen", {text("cat"), text("w")}, opened(0, 5), 100);
  shells.mark(200);
  shells.call("pclose", {handle(0)}, literal(0), 300, 400);
  shells.mark(800);
  shells.shell(200, 400, "cat");
  const Order& order = shells.order();
  EXPECT_FALSE(order.before({1, 0, 0}, {0, 0, 1})) << "it may still run";
  EXPECT_FALSE(order.before({0, 0, 1}, {1, 0, 0})) << "it may have run already";
  EXPECT_TRUE(order.before({1, 0, 0}, {0, 0, 3}));
}

TEST(Lineage, AShellThatTwoCallsMayHaveRunIsOrderedByNeither) {
  Shells twice;
  twice.call("system", {text("cp a b")}, literal(0), 100, 400);
  twice.call("system", {text("cp a b")}, literal(0), 600, 400);
  twice.mark(1100);
  twice.shell(200, 150, "cp a b");
  EXPECT_FALSE(twice.order().before({1, 0, 0}, {0, 0, 2}));
  Shells other;
  other.call("system", {text("cp a b")}, literal(0), 100, 400);
  other.mark(600);
  other.shell(200, 150, "cp b a");
  EXPECT_FALSE(other.order().before({1, 0, 0}, {0, 0, 1}));
}

TEST(Lineage, ExactTimesTellWhichOfTwoCallsRanAShell) {
  Shells shells(true);
  shells.call("system", {text("cp a b")}, literal(0), 100, 400);
  shells.mark(550);
  shells.call("system", {text("cp a b")}, literal(0), 600, 400);
  shells.mark(1100);
  shells.shell(200, 150, "cp a b");
  shells.shell(201, 650, "cp a b");
  const Order& order = shells.order();
  EXPECT_EQ(order.proof({1, 0, 0}, {0, 0, 1}).size(), 3U) << "proven, and not by times";
  EXPECT_EQ(order.proof({2, 0, 0}, {0, 0, 3}).size(), 3U);
  EXPECT_TRUE(order.proof({2, 0, 0}, {0, 0, 1}).empty());
  EXPECT_EQ(order.proof({1, 0, 0}, {2, 0, 0}).size(), 4U) << "one behind the other";
}

// A shell script's worth of children, each forked and waited for.
TEST(Lineage, ManyChildrenTakeTimeInProportion) {
  constexpr std::uint32_t kChildren = 200'000;
  std::vector<trace::ProcessInfo> about(kChildren + 1);
  std::vector<ProcessActivity> processes(kChildren + 1);
  std::vector<std::uint32_t> chain_base(kChildren + 1);
  for (std::uint32_t p = 0; p <= kChildren; ++p) {
    about[p].number = 1000 + p;
    about[p].parent = p == 0 ? -1 : 0;
    about[p].parent_number = p == 0 ? 1 : 1000;
    processes[p].chains.resize(1);
    chain_base[p] = p;
    if (p == 0) continue;
    processes[0].chains[0].forks.push_back({2 * p, about[p].number});
    processes[0].chains[0].waits.push_back({2 * p + 1, about[p].number});
  }
  Edges edges;
  const std::vector<bool> begun = add_lineage(about, processes, chain_base, false, edges);
  EXPECT_EQ(std::count(begun.begin(), begun.end(), true), kChildren);
  EXPECT_EQ(edges.list().size(), 2U * kChildren);
}

}  // namespace
}  // namespace weir::semantics
