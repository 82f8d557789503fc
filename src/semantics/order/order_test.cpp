// Threads, processes and times: what orders calls besides MPI, and what is told when little is known.
#include "semantics/order/order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantics/order/made_program_test.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): the words of programs

TEST(Order, ACallIsNeitherBeforeNorAfterThoseInsideIt) {
  Program program(1);
  const Event first = program.mark(0);
  const Event inside = program.mark(0, 1);
  const Event outer = program.mark(0);
  const Event last = program.mark(0);
  EXPECT_TRUE(ordered(program, first, inside));
  EXPECT_TRUE(ordered(program, first, outer));
  EXPECT_TRUE(unordered(program, inside, outer));
  EXPECT_TRUE(ordered(program, inside, last));
  EXPECT_FALSE(program.order().before(first, first));
}

// What an MPI call does to files inside itself is not before what its partner does after it.
TEST(Order, WhatIsInsideACollectiveComesAfterItHasBegun) {
  Program program(2);
  const Event inside = program.mark(0, 1);
  program.barrier(0);
  program.barrier(1);
  const Event after = program.mark(1);
  EXPECT_TRUE(unordered(program, inside, after));
}

TEST(Order, ThreadsOfAProcessAreNotOrdered) {
  Program program(1);
  program.add_thread(0, 1);
  const Event one = program.mark(0);
  program.on_thread(1);
  const Event other = program.mark(0);
  program.on_thread(0);
  program.barrier(0);
  EXPECT_TRUE(unordered(program, one, other));
}

TEST(Order, EventsThatAreNotThereAreBeforeNothing) {
  Program program(1);
  const Event one = program.mark(0);
  EXPECT_FALSE(program.order().before(one, {7, 0, 0}));
  EXPECT_FALSE(program.order().before({0, 9, 0}, one));
  EXPECT_FALSE(program.order().before(one, {0, 0, 100}));
}

// Ranks of which only calls of other layers were recorded.
TEST(Order, TimesServeWhereMpiWasNotRecorded) {
  Program program(2, true);
  const Event one = program.mark(0);
  const Event other = program.mark(1);
  EXPECT_TRUE(ordered(program, one, other));
  EXPECT_FALSE(program.order().is_proven());
  EXPECT_TRUE(program.order().has_times());
}

TEST(Order, AProofNamesTheCalls) {
  Program program(3);
  const Event write = program.mark(0);
  const Event send = program.isend(0, 1, 0, 5);
  const Event receive = program.receive(1, 0);
  const Event start = program.barrier(1);
  program.barrier(0);
  const Event end = program.barrier(2);
  const Event read = program.mark(2);
  program.wait(0, 5);
  const auto proof = program.order().proof(write, read);
  // The barrier of rank 0 leads there at once.
  EXPECT_EQ(proof.front(), write);
  EXPECT_EQ(proof.back(), read);
  EXPECT_EQ(proof[proof.size() - 2], end);
  EXPECT_THAT(program.order().proof(read, write), testing::IsEmpty());
  const auto by_message = program.order().proof(write, start);
  EXPECT_THAT(by_message, testing::ElementsAre(write, send, receive, start));
}

TEST(Order, IsTheSameForAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 4U}) {
    Program program(3);
    const Event write = program.mark(0);
    program.send(0, 2, 1);
    program.send(1, 2, 1);
    program.receive(2, kAny, 1, {0, 1});
    const Event read = program.mark(2);
    EXPECT_TRUE(program.order(threads).before(write, read));
    ASSERT_EQ(program.order().unmatched().size(), 1U);
    EXPECT_EQ(program.order().unmatched()[0].event.process, 1U);
  }
}

// Lanes of processes without MPI, as a recorder leaves them.
struct Shell {
  ScratchDir run;

  std::unique_ptr<trace::made::Lane> lane(std::uint64_t process, std::uint64_t parent, std::uint64_t start,
                                          std::string_view program = "/bin/sh") {
    auto made = std::make_unique<trace::made::Lane>(run.path(), trace::made::Lane::About{.process = process,
                                                                                         .parent = parent,
                                                                                         .number = 0,
                                                                                         .start = start,
                                                                                         .timed = true,
                                                                                         .lost = 0,
                                                                                         .late = 0});
    made->program(program, "/scratch", std::string("sh\0", 3));
    made->thread(process);
    return made;
  }
  Order order(trace::TimingMode timing = trace::TimingMode::lossless) {
    const auto merged = trace::made::merge(run.path(), timing);
    EXPECT_TRUE(merged.has_value()) << merged.error().text();
    auto opened = trace::TraceFile::open(run.path());
    EXPECT_TRUE(opened.has_value()) << opened.error().text();
    trace.emplace(std::move(*opened));
    auto made = Order::of(*trace);
    EXPECT_TRUE(made.has_value()) << made.error().text();
    return std::move(*made);
  }
  std::optional<trace::TraceFile> trace;
};

void touch(trace::made::Lane& lane, std::uint64_t start) {
  lane.call("mkdir", 0, {path("/scratch/d"), literal(0755)}, literal(0), start, 100);
}

TEST(Order, WithoutMpiTimesServe) {
  Shell shell;
  {
    auto one = shell.lane(100, 1, 1000);
    auto other = shell.lane(200, 1, 1000);
    touch(*one, 100);    // ends at 200
    touch(*other, 150);  // overlaps
    touch(*other, 200);
  }
  const Order order = shell.order();
  EXPECT_FALSE(order.is_proven());
  EXPECT_FALSE(order.before({0, 0, 0}, {1, 0, 0}));
  EXPECT_TRUE(order.before({0, 0, 0}, {1, 0, 1}));
  EXPECT_TRUE(order.skew().is_measured);
  EXPECT_EQ(order.skew().machines, 1U);
  EXPECT_EQ(order.skew().margin_ns, 0);
  EXPECT_THAT(order.proof({0, 0, 0}, {1, 0, 1}), testing::IsEmpty()) << "it is no proof";
}

TEST(Order, TimesThatAreNotExactDecideNothing) {
  for (const trace::TimingMode mode :
       {trace::TimingMode::quant, trace::TimingMode::mean, trace::TimingMode::off}) {
    Shell shell;
    {
      auto one = shell.lane(100, 1, 1000);
      auto other = shell.lane(200, 1, 1000);
      touch(*one, 100);
      touch(*other, 1'000'000);
    }
    const Order order = shell.order(mode);
    EXPECT_FALSE(order.before({0, 0, 0}, {1, 0, 0}));
  }
}

// With times that say nothing the kinship is all there is.
TEST(Order, AForkedProcessComesAfterWhatItsParentDidBefore) {
  Shell shell;
  {
    auto parent = shell.lane(100, 1, 1000);
    touch(*parent, 10);
    parent->call("fork", 0, {}, literal(200), 200, 50);
    touch(*parent, 300);
    auto child = shell.lane(200, 100, 1500);
    touch(*child, 10);
  }
  const Order order = shell.order(trace::TimingMode::off);
  ASSERT_EQ(shell.trace->processes()[1].parent, 0);
  EXPECT_TRUE(order.before({0, 0, 0}, {1, 0, 0}));
  EXPECT_FALSE(order.before({0, 0, 1}, {1, 0, 0})) << "the fork need not have returned";
  EXPECT_FALSE(order.before({0, 0, 2}, {1, 0, 0}));
  EXPECT_FALSE(order.before({1, 0, 0}, {0, 0, 2}));
  EXPECT_THAT(order.proof({0, 0, 0}, {1, 0, 0}),
              testing::ElementsAre(Event{0, 0, 0}, Event{0, 0, 1}, Event{1, 0, 0}));
}

TEST(Order, AProgramThatReplacedAnotherComesAfterIt) {
  Shell shell;
  {
    auto before = shell.lane(100, 1, 1000);
    touch(*before, 10);
    before->call("execve", 0, {path("/bin/app"), text(std::string("app\0", 4)), absent()}, unfinished(), 200,
                 0);
  }
  {
    auto after = shell.lane(100, 1, 5000, "/bin/app");
    touch(*after, 10);
  }
  const Order order = shell.order(trace::TimingMode::off);
  EXPECT_TRUE(order.before({0, 0, 0}, {1, 0, 0}));
  EXPECT_FALSE(order.before({1, 0, 0}, {0, 0, 0}));
}

TEST(Order, AProcessThatLostCallsIsOrderedWithNobody) {
  ScratchDir run;
  for (int rank = 0; rank < 2; ++rank) {
    const auto number = static_cast<std::uint64_t>(100 + rank);
    trace::made::Lane lane(run.path(), {.process = number,
                                        .parent = 1,
                                        .number = 0,
                                        .start = 1000 + static_cast<std::uint64_t>(rank),
                                        .timed = false,
                                        .lost = rank == 0 ? 3U : 0U,
                                        .late = 0});
    lane.program("/bin/app", "/scratch", std::string("app\0", 4));
    lane.thread(number);
    lane.rank(rank, 2, 0, 0);
    touch(lane, 0);
    lane.call("MPI_Barrier", 0, {text("MPI_COMM_WORLD")}, literal(0), 0, 0);
    touch(lane, 0);
  }
  ASSERT_TRUE(trace::made::merge(run.path()).has_value());
  const auto trace = trace::TraceFile::open(run.path());
  ASSERT_TRUE(trace.has_value());
  const auto order = Order::of(*trace);
  ASSERT_TRUE(order.has_value());
  EXPECT_FALSE(order->before({0, 0, 0}, {1, 0, 2}));
  EXPECT_FALSE(order->before({1, 0, 0}, {0, 0, 2}));
  ASSERT_EQ(order->notes().size(), 1U);
  EXPECT_THAT(order->notes()[0], testing::HasSubstr("process 0 (rank 0) lost calls"));
}

}  // namespace
}  // namespace weir::semantics
