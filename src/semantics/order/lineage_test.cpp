// Fork and wait, making and joining threads.
#include "semantics/order/lineage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantics/order/made_program_test.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): parts of calls

// Processes without MPI: a parent, 100, and a child, 200.
class Family {
 public:
  Family() {
    parent_ = lane(100, 1, 1000);
    child_ = lane(200, 100, 1500);
    mark(*parent_);
    parent_->call("fork", 0, {}, literal(200), 200, 50);
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

}  // namespace
}  // namespace weir::semantics
