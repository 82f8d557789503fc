// Messages: who received what was sent, and what order that proves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantics/order/made_program_test.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): the words of programs

TEST(Messages, WhatCameBeforeASendIsBeforeWhatFollowsItsReceive) {
  Program program(2);
  const Event write = program.mark(0);
  const Event send = program.send(0, 1);
  const Event after_send = program.mark(0);
  const Event before_receive = program.mark(1);
  const Event receive = program.receive(1, 0);
  const Event read = program.mark(1);
  EXPECT_TRUE(ordered(program, write, read));
  EXPECT_TRUE(unordered(program, send, read)) << "a send may complete long after its message came";
  EXPECT_TRUE(unordered(program, after_send, read));
  EXPECT_TRUE(unordered(program, write, before_receive));
  EXPECT_TRUE(unordered(program, write, receive)) << "the receive may have started first";
  EXPECT_TRUE(ordered(program, write, send)) << "program order";
  EXPECT_TRUE(program.order().is_proven());
  EXPECT_THAT(program.order().unmatched(), testing::IsEmpty());
}

TEST(Messages, OrderGoesThroughOtherRanks) {
  Program program(3);
  const Event write = program.mark(0);
  program.send(0, 1);
  program.receive(1, 0);
  program.send(1, 2);
  program.receive(2, 1);
  const Event read = program.mark(2);
  EXPECT_TRUE(ordered(program, write, read));
}

TEST(Messages, OfOnePartnerAndTagAreReceivedInTheirOrder) {
  Program program(2);
  program.send(0, 1, 7);
  const Event between = program.mark(0);
  program.send(0, 1, 7);
  program.receive(1, 0, 7);
  const Event one = program.mark(1);
  program.receive(1, 0, 7);
  const Event two = program.mark(1);
  EXPECT_TRUE(unordered(program, between, one));
  EXPECT_TRUE(ordered(program, between, two));
}

TEST(Messages, WithOtherTagsMayOvertake) {
  Program program(2);
  program.send(0, 1, 1);
  const Event between = program.mark(0);
  program.send(0, 1, 2);
  program.receive(1, 0, 2);
  const Event one = program.mark(1);
  EXPECT_TRUE(ordered(program, between, one));
}

TEST(Messages, AWildcardTakesWhatItsStatusSays) {
  Program program(3);
  const Event of_zero = program.mark(0);
  program.send(0, 2, 5);
  const Event of_one = program.mark(1);
  program.send(1, 2, 6);
  program.receive(2, kAny, kAny, {1, 6});
  const Event after_one = program.mark(2);
  program.receive(2, kAny, kAny, {0, 5});
  const Event after_both = program.mark(2);
  EXPECT_TRUE(ordered(program, of_one, after_one));
  EXPECT_TRUE(unordered(program, of_zero, after_one));
  EXPECT_TRUE(ordered(program, of_zero, after_both));
}

TEST(Messages, ToAndFromNobodyOrderNothing) {
  Program program(2);
  const Event write = program.mark(0);
  program.send(0, kNull);
  program.receive(1, kNull, 0, {kNull, 0});
  const Event read = program.mark(1);
  EXPECT_TRUE(unordered(program, write, read));
  EXPECT_THAT(program.order().unmatched(), testing::IsEmpty());
}

TEST(Messages, AreReceivedWhereTheirRequestIsComplete) {
  Program program(2);
  const Event write = program.mark(0);
  program.isend(0, 1, 3, 10);
  program.wait(0, 10);
  program.ireceive(1, 0, 3, 20);
  const Event posted = program.mark(1);
  const Event wait = program.wait(1, 20, {0, 3});
  const Event read = program.mark(1);
  EXPECT_TRUE(unordered(program, write, posted));
  EXPECT_TRUE(unordered(program, write, wait));
  EXPECT_TRUE(ordered(program, write, read));
}

// The receives take messages in the order in which they were posted, not in which they were waited for.
TEST(Messages, RequestsTakeThemAsTheyWerePosted) {
  Program program(2);
  program.send(0, 1, 3);
  const Event between = program.mark(0);
  program.send(0, 1, 3);
  program.ireceive(1, 0, 3, 20);
  program.ireceive(1, 0, 3, 21);
  program.wait(1, 21, {0, 3});
  const Event read = program.mark(1);
  EXPECT_TRUE(ordered(program, between, read)) << "the second request has the second message";
}

TEST(Messages, AreCompletedByIndex) {
  Program program(3);
  const Event of_zero = program.mark(0);
  program.send(0, 2, 1);
  const Event of_one = program.mark(1);
  program.send(1, 2, 1);
  program.ireceive(2, 0, 1, 20);
  program.ireceive(2, kAny, 1, 21);
  program.waitany(2, {20, 21}, 1, {1, 1});
  const Event first = program.mark(2);
  program.waitsome(2, {20, -1}, {0}, {{0, 1}});
  const Event second = program.mark(2);
  EXPECT_TRUE(unordered(program, of_zero, first));
  EXPECT_TRUE(ordered(program, of_one, first));
  EXPECT_TRUE(ordered(program, of_zero, second));
}

TEST(Messages, AreAllThereAfterWaitall) {
  Program program(3);
  const Event of_zero = program.mark(0);
  program.send(0, 2, 1);
  const Event of_one = program.mark(1);
  program.send(1, 2, 1);
  program.ireceive(2, 0, 1, 20);
  program.isend(2, 0, 9, 30);
  program.ireceive(2, kAny, 1, 21);
  program.waitall(2, {20, 30, 21}, {{0, 1}, {kNull, 0}, {1, 1}});
  const Event read = program.mark(2);
  EXPECT_TRUE(ordered(program, of_zero, read));
  EXPECT_TRUE(ordered(program, of_one, read));
}

TEST(Messages, ATestThatFoundNothingCompletesNothing) {
  Program program(2);
  const Event write = program.mark(0);
  program.send(0, 1, 1);
  program.ireceive(1, 0, 1, 20);
  program.call(1, "MPI_Test", {literal(20), literal(0), absent()});
  const Event early = program.mark(1);
  program.call(1, "MPI_Test", {literal(20), literal(1), status_part(0, 1)});
  const Event late = program.mark(1);
  EXPECT_TRUE(unordered(program, write, early));
  EXPECT_TRUE(ordered(program, write, late));
}

TEST(Messages, PersistentRequestsAreStartedAgain) {
  Program program(2);
  program.isend(0, 1, 4, 10, 0, "MPI_Send_init");
  program.ireceive(1, 0, 4, 20, 0, "MPI_Recv_init");
  std::vector<Event> writes;
  std::vector<Event> reads;
  for (int round = 0; round < 3; ++round) {
    writes.push_back(program.mark(0));
    program.call(0, "MPI_Start", {literal(10)});
    program.wait(0, 10);
    program.call(1, "MPI_Startall", {literal(1), Program::requests_part({20})});
    program.waitall(1, {20},
                    {{kNull, 0}});  // the status of a receive with nothing to choose says nothing new
    reads.push_back(program.mark(1));
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(program.order().before(writes[i], reads[k]), i <= k) << i << k;
}

TEST(Messages, ASynchronousSendIsOverWhenItsReceiveHasBegun) {
  Program program(2);
  program.send(0, 1, 0, 0, "MPI_Ssend");
  const Event after_send = program.mark(0);
  const Event before_receive = program.mark(1);
  program.receive(1, 0);
  const Event after_receive = program.mark(1);
  EXPECT_TRUE(ordered(program, before_receive, after_send));
  EXPECT_TRUE(unordered(program, after_receive, after_send));
}

TEST(Messages, ASynchronousRequestToo) {
  Program program(2);
  program.isend(0, 1, 0, 10, 0, "MPI_Issend");
  const Event under_way = program.mark(0);
  program.wait(0, 10);
  const Event after_send = program.mark(0);
  const Event before_receive = program.mark(1);
  program.ireceive(1, 0, 0, 20);
  program.wait(1, 20, {0, 0});
  EXPECT_TRUE(ordered(program, before_receive, after_send));
  EXPECT_TRUE(unordered(program, before_receive, under_way));
}

TEST(Messages, SendrecvSendsAndReceives) {
  Program program(2);
  std::vector<Event> before;
  std::vector<Event> after;
  for (int rank = 0; rank < 2; ++rank) {
    before.push_back(program.mark(rank));
    program.call(
        rank, "MPI_Sendrecv",
        {absent(), literal(1), text("MPI_INT"), literal(1 - rank), literal(1), absent(), literal(1),
         text("MPI_INT"), literal(1 - rank), literal(1), text("MPI_COMM_WORLD"), status_part(1 - rank, 1)});
    after.push_back(program.mark(rank));
  }
  EXPECT_TRUE(ordered(program, before[0], after[1]));
  EXPECT_TRUE(ordered(program, before[1], after[0]));
  EXPECT_TRUE(unordered(program, before[0], before[1]));
  EXPECT_TRUE(unordered(program, after[0], after[1]));
}

TEST(Messages, AProbeSeesWhatTheNextReceiveTakes) {
  Program program(2);
  program.send(0, 1, 1);
  const Event between = program.mark(0);
  program.send(0, 1, 1);
  program.call(1, "MPI_Probe",
               {text("MPI_ANY_SOURCE"), literal(1), text("MPI_COMM_WORLD"), status_part(0, 1)});
  const Event probed = program.mark(1);
  program.receive(1, 0, 1);
  program.call(1, "MPI_Iprobe",
               {literal(0), literal(1), text("MPI_COMM_WORLD"), literal(1), status_part(0, 1)});
  const Event again = program.mark(1);
  EXPECT_TRUE(unordered(program, between, probed));
  EXPECT_TRUE(ordered(program, between, again));
  EXPECT_EQ(program.order().unmatched().size(), 1U) << "the second message was never received";
}

TEST(Messages, AMatchingProbeTakesTheMessage) {
  Program program(2);
  program.send(0, 1, 1);
  const Event between = program.mark(0);
  program.send(0, 1, 1);
  program.call(1, "MPI_Mprobe",
               {literal(0), literal(1), text("MPI_COMM_WORLD"), literal(0), status_part(0, 1)});
  program.receive(1, 0, 1);
  const Event second = program.mark(1);
  program.call(1, "MPI_Mrecv", {absent(), literal(1), text("MPI_INT"), literal(0), status_part(0, 1)});
  EXPECT_TRUE(ordered(program, between, second));
  EXPECT_THAT(program.order().unmatched(), testing::IsEmpty());
}

TEST(Messages, RanksCountInTheirCommunicator) {
  Program program(4);
  // Even and odd ranks, each a communicator of the same number: nobody is in both.
  for (int rank = 0; rank < 4; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank / 2), {{rank % 2, 2, 2}});
  std::vector<Event> before;
  std::vector<Event> after(4);
  for (int rank = 0; rank < 4; ++rank) before.push_back(program.mark(rank));
  for (int rank = 0; rank < 2; ++rank) {
    program.send(rank, 1, 0, 1);
    program.receive(rank + 2, 0, 0, 1);
    after[static_cast<std::size_t>(rank) + 2] = program.mark(rank + 2);
  }
  EXPECT_TRUE(ordered(program, before[0], after[2]));
  EXPECT_TRUE(ordered(program, before[1], after[3]));
  EXPECT_TRUE(unordered(program, before[0], after[3]));
  EXPECT_TRUE(unordered(program, before[1], after[2]));
}

TEST(Messages, OfOtherCommunicatorsDoNotMeet) {
  Program program(2);
  for (int rank = 0; rank < 2; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank), {{0, 1, 2}});
  program.send(0, 1, 0, 1);
  const Event between = program.mark(0);
  program.send(0, 1, 0, 0);
  program.receive(1, 0, 0, 0);
  const Event read = program.mark(1);
  EXPECT_TRUE(ordered(program, between, read));
  EXPECT_EQ(program.order().unmatched().size(), 1U);
}

TEST(Messages, AnInterCommunicatorCountsTheOtherGroup) {
  Program program(4);
  for (int rank = 0; rank < 4; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank % 2), {{rank < 2 ? 0 : 2, 1, 2}},
                         {{rank < 2 ? 2 : 0, 1, 2}});
  const Event write = program.mark(0);
  program.send(0, 1, 0, 1);
  program.receive(3, 0, 0, 1);
  const Event read = program.mark(3);
  EXPECT_TRUE(ordered(program, write, read));
  EXPECT_THAT(program.order().unmatched(), testing::IsEmpty());
}

TEST(Messages, ToOneselfAreMessagesToo) {
  Program program(1);
  program.isend(0, 0, 0, 10);
  program.receive(0, 0);
  program.wait(0, 10);
  EXPECT_THAT(program.order().unmatched(), testing::IsEmpty());
}

TEST(Messages, WithoutPartnerAreListed) {
  Program program(2);
  const Event lost = program.send(0, 1, 1);
  const Event waiting = program.ireceive(1, 0, 2, 20);
  const Order& order = program.order();
  ASSERT_EQ(order.unmatched().size(), 2U);
  EXPECT_EQ(order.unmatched()[0].event, lost);
  EXPECT_EQ(order.unmatched()[0].function, "MPI_Send");
  EXPECT_EQ(order.unmatched()[0].why, "no receive of it is in the trace");
  EXPECT_EQ(order.unmatched()[1].event, waiting);
  EXPECT_EQ(order.unmatched()[1].why, "no send of it is in the trace");
}

TEST(Messages, ACancelledReceiveTakesNone) {
  Program program(2);
  program.ireceive(1, 0, 1, 20);
  program.call(1, "MPI_Cancel", {literal(20)});
  program.wait(1, 20);
  program.call(1, "MPI_Test_cancelled", {absent(), literal(1)});
  const Event write = program.mark(0);
  program.send(0, 1, 1);
  program.receive(1, 0, 1);
  const Event read = program.mark(1);
  EXPECT_TRUE(ordered(program, write, read));
  ASSERT_EQ(program.order().unmatched().size(), 1U);
  EXPECT_EQ(program.order().unmatched()[0].why, "it was cancelled");
}

// Whether the first receive was cancelled in time decides which message the second has: nothing is claimed.
TEST(Messages, NothingIsClaimedBehindAnUncertainOne) {
  Program program(2);
  program.ireceive(1, 0, 1, 20);
  program.call(1, "MPI_Cancel", {literal(20)});
  program.wait(1, 20);
  const Event write = program.mark(0);
  program.send(0, 1, 1);
  program.receive(1, 0, 1);
  const Event read = program.mark(1);
  EXPECT_TRUE(unordered(program, write, read));
}

TEST(Messages, OfTwoThreadsWithOnePartnerAndTagAreNotGuessed) {
  Program program(2);
  program.add_thread(0, 1);
  const Event write = program.mark(0);
  program.send(0, 1, 1);
  program.on_thread(1);
  program.send(0, 1, 1);
  program.on_thread(0);
  program.receive(1, 0, 1);
  program.receive(1, 0, 1);
  const Event read = program.mark(1);
  EXPECT_TRUE(unordered(program, write, read));
  EXPECT_EQ(program.order().unmatched().size(), 4U);
}

TEST(Messages, OfTwoThreadsWithTheirOwnTagsAreMatched) {
  Program program(2);
  program.add_thread(0, 1);
  const Event main_write = program.mark(0);
  program.send(0, 1, 1);
  program.on_thread(1);
  const Event write = program.mark(0);
  program.send(0, 1, 2);
  program.on_thread(0);
  program.receive(1, 0, 2);
  const Event read = program.mark(1);
  program.receive(1, 0, 1);
  const Event last = program.mark(1);
  EXPECT_TRUE(ordered(program, write, read));
  EXPECT_TRUE(unordered(program, main_write, read));
  EXPECT_TRUE(ordered(program, main_write, last));
  EXPECT_TRUE(unordered(program, main_write, write)) << "threads of one process, and nothing between them";
}

TEST(Messages, OfARankThatIsMissingAreNotListed) {
  Program program(3, false, {1});
  const Event write = program.mark(0);
  program.send(0, 1);
  program.send(0, 2);
  program.receive(2, 1);
  program.receive(2, 0);
  const Event read = program.mark(2);
  EXPECT_TRUE(ordered(program, write, read));
  EXPECT_THAT(program.order().missing_ranks(), testing::ElementsAre(1));
  EXPECT_THAT(program.order().unmatched(), testing::IsEmpty());
}

}  // namespace
}  // namespace weir::semantics
