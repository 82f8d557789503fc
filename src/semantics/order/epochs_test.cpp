// One-sided communication with post, start, complete and wait, and collectives among neighbours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantics/order/made_program_test.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): the words of programs

// Every rank has window 0 over all, group 0 of all, and group 1 of the one that `partner` says.
void prepare(Program& program, const std::vector<int>& partner) {
  for (int rank = 0; rank < program.ranks(); ++rank) {
    program.call(rank, "MPI_Win_create",
                 {absent(), literal(64), literal(1), null(), comm_part(0), literal(0)});
    program.call(rank, "MPI_Comm_group", {comm_part(0), literal(0)});
    program.call(rank, "MPI_Group_incl",
                 {literal(0), literal(1), list(item(partner[static_cast<std::size_t>(rank)])), literal(1)});
  }
}

void get(Program& program, int rank, int target, const char* name = "MPI_Get") {
  program.call(rank, name,
               {absent(), literal(1), text("MPI_INT"), literal(target), literal(0), literal(1),
                text("MPI_INT"), literal(0)});
}

TEST(Epochs, AWaitComesAfterTheCompleteHasBegun) {
  Program program(2);
  prepare(program, {1, 0});
  const Event before_post = program.mark(0);
  program.call(0, "MPI_Win_post", {literal(1), literal(0), literal(0)});
  program.call(1, "MPI_Win_start", {literal(1), literal(0), literal(0)});
  const Event inside = program.mark(1);
  get(program, 1, 0, "MPI_Put");
  program.call(1, "MPI_Win_complete", {literal(0)});
  const Event after_complete = program.mark(1);
  const Event exposed = program.mark(0);
  program.call(0, "MPI_Win_wait", {literal(0)});
  const Event after_wait = program.mark(0);
  EXPECT_TRUE(ordered(program, inside, after_wait));
  EXPECT_TRUE(unordered(program, inside, exposed));
  EXPECT_TRUE(unordered(program, after_complete, after_wait));
  EXPECT_TRUE(unordered(program, before_post, after_complete)) << "a put may be kept back";
}

TEST(Epochs, WhatWasFetchedComesAfterThePost) {
  Program program(2);
  prepare(program, {1, 0});
  const Event before_post = program.mark(0);
  program.call(0, "MPI_Win_post", {literal(1), literal(0), literal(0)});
  program.call(1, "MPI_Win_start", {literal(1), literal(0), literal(0)});
  get(program, 1, 0);
  const Event under_way = program.mark(1);
  program.call(1, "MPI_Win_complete", {literal(0)});
  const Event after = program.mark(1);
  program.call(0, "MPI_Win_test", {literal(0), literal(0)});
  const Event not_yet = program.mark(0);
  program.call(0, "MPI_Win_test", {literal(0), literal(1)});
  const Event over = program.mark(0);
  EXPECT_TRUE(ordered(program, before_post, after));
  EXPECT_TRUE(unordered(program, before_post, under_way));
  EXPECT_TRUE(unordered(program, under_way, not_yet));
  EXPECT_TRUE(ordered(program, under_way, over));
}

TEST(Epochs, AreCountedPerPartner) {
  Program program(3);
  prepare(program, {0, 0, 0});
  // Rank 0 opens its memory to 2, then to 1; each of them accesses it once.
  for (const int origin : {2, 1}) {
    program.call(0, "MPI_Group_excl", {literal(0), literal(2), list(item(0) + item(3 - origin)), literal(1)});
    program.call(0, "MPI_Win_post", {literal(1), literal(0), literal(0)});
    if (origin == 1) break;
    program.call(0, "MPI_Win_wait", {literal(0)});
  }
  const Event of_one = program.mark(1);
  const Event of_two = program.mark(2);
  for (const int origin : {1, 2}) {
    program.call(origin, "MPI_Win_start", {literal(1), literal(0), literal(0)});
    program.call(origin, "MPI_Win_complete", {literal(0)});
  }
  const Event first = program.mark(0);
  program.call(0, "MPI_Win_wait", {literal(0)});
  const Event second = program.mark(0);
  EXPECT_TRUE(ordered(program, of_two, first));
  EXPECT_TRUE(unordered(program, of_one, first));
  EXPECT_TRUE(ordered(program, of_one, second));
}

// Locks say that two epochs do not overlap, and not which one came first.
TEST(Epochs, LocksOrderNothing) {
  Program program(2);
  prepare(program, {1, 0});
  std::vector<Event> inside;
  for (int rank = 0; rank < 2; ++rank) {
    program.call(rank, "MPI_Win_lock", {literal(1), literal(0), literal(0), literal(0)});
    inside.push_back(program.mark(rank));
    get(program, rank, 0);
    program.call(rank, "MPI_Win_unlock", {literal(0), literal(0)});
  }
  EXPECT_TRUE(unordered(program, inside[0], inside[1]));
}

std::string neighbour_pairs(Program& program, const std::function<void(int)>& call) {
  std::vector<Event> before;
  std::vector<Event> after;
  for (int rank = 0; rank < program.ranks(); ++rank) {
    before.push_back(program.mark(rank));
    call(rank);
    after.push_back(program.mark(rank));
  }
  std::string text;
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::size_t k = 0; k < after.size(); ++k)
      if (i != k && program.order().before(before[i], after[k]))
        text += (text.empty() ? "" : " ") + std::to_string(i) + std::to_string(k);
  return text;
}

TEST(Neighbours, OfAGridAreOneStepAway) {
  Program program(6);  // 2 x 3, periodic along the rows
  for (int rank = 0; rank < 6; ++rank) {
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank), {{0, 1, 6}});
    program.call(
        rank, "MPI_Cart_create",
        {comm_part(0), literal(2), list(item(2) + item(3)), list(item(0) + item(1)), literal(0), literal(1)});
  }
  EXPECT_EQ(neighbour_pairs(program,
                            [&](int rank) {
                              program.call(rank, "MPI_Neighbor_allgather",
                                           {absent(), literal(1), text("MPI_INT"), absent(), literal(1),
                                            text("MPI_INT"), comm_part(1)});
                            }),
            "01 02 03 10 12 14 20 21 25 30 34 35 41 43 45 52 53 54");
}

TEST(Neighbours, OfAGraphAreAsEachTold) {
  Program program(3);  // 0 -> 1 -> 2, and from 2 to 0 nothing is sent
  for (int rank = 0; rank < 3; ++rank) {
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank), {{0, 1, 3}});
    program.call(rank, "MPI_Dist_graph_create_adjacent",
                 {comm_part(0), literal(1), list(relative_item((rank + 2) % 3 - rank)), absent(), literal(1),
                  list(relative_item((rank + 1) % 3 - rank)), absent(), null(), literal(0), literal(1)});
  }
  EXPECT_EQ(neighbour_pairs(program,
                            [&](int rank) {
                              program.call(rank, "MPI_Neighbor_alltoallv",
                                           {absent(), list(item(rank == 2 ? 0 : 1)), list(item(0)),
                                            text("MPI_INT"), absent(), list(item(rank == 0 ? 0 : 1)),
                                            list(item(0)), text("MPI_INT"), comm_part(1)});
                            }),
            "01 12");
}

TEST(Neighbours, OfATopologyThatIsNotInTheTraceAreNotGuessed) {
  Program program(2);
  for (int rank = 0; rank < 2; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank), {{0, 1, 2}});
  EXPECT_EQ(neighbour_pairs(program,
                            [&](int rank) {
                              program.call(rank, "MPI_Neighbor_allgather",
                                           {absent(), literal(1), text("MPI_INT"), absent(), literal(1),
                                            text("MPI_INT"), comm_part(1)});
                            }),
            "");
}

}  // namespace
}  // namespace weir::semantics
