// Collectives: which calls belong together, and between whom they make an order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantics/order/made_program_test.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): the words of programs

// What each rank did before and after its call of a collective.
struct Around {
  std::vector<Event> before;
  std::vector<Event> after;
};

template <class Call>
Around around(Program& program, Call&& call) {
  Around made;
  for (int rank = 0; rank < program.ranks(); ++rank) {
    made.before.push_back(program.mark(rank));
    call(rank);
    made.after.push_back(program.mark(rank));
  }
  return made;
}

// "01 10 12": whose past is before whose future, the own one left out.
std::string pairs(Program& program, const Around& events) {
  std::string text;
  for (std::size_t i = 0; i < events.before.size(); ++i)
    for (std::size_t k = 0; k < events.after.size(); ++k)
      if (i != k && program.order().before(events.before[i], events.after[k]))
        text += (text.empty() ? "" : " ") + std::to_string(i) + std::to_string(k);
  return text;
}

constexpr const char* kAllOfThree = "01 02 10 12 20 21";

TEST(Collectives, ABarrierOrdersAllWithAll) {
  Program program(3);
  const Around events = around(program, [&](int rank) { program.barrier(rank); });
  EXPECT_EQ(pairs(program, events), kAllOfThree);
  EXPECT_TRUE(unordered(program, events.before[0], events.before[1]));
  EXPECT_TRUE(unordered(program, events.after[0], events.after[1]));
}

TEST(Collectives, ABroadcastComesFromItsRoot) {
  Program program(3);
  EXPECT_EQ(pairs(program, around(program, [&](int rank) { program.bcast(rank, 1); })), "10 12");
}

TEST(Collectives, AReductionGoesToItsRoot) {
  Program program(3);
  EXPECT_EQ(pairs(program, around(program, [&](int rank) { program.reduce(rank, 2); })), "02 12");
}

TEST(Collectives, WithoutDataThereIsNoOrder) {
  Program program(3);
  const Around bcast = around(program, [&](int rank) { program.bcast(rank, 1, 0); });
  const Around reduce = around(program, [&](int rank) { program.reduce(rank, 1, 0); });
  const Around all = around(program, [&](int rank) { program.allreduce(rank, 0); });
  EXPECT_EQ(pairs(program, bcast), "");
  EXPECT_EQ(pairs(program, reduce), "");
  EXPECT_EQ(pairs(program, all), "");
}

TEST(Collectives, ResultsOfAllNeedAll) {
  Program program(3);
  EXPECT_EQ(pairs(program, around(program, [&](int rank) { program.allreduce(rank); })), kAllOfThree);
}

TEST(Collectives, AScanGoesUpwards) {
  for (const char* const name : {"MPI_Scan", "MPI_Exscan"}) {
    Program program(4);
    EXPECT_EQ(pairs(program, around(program, [&](int rank) { program.allreduce(rank, 1, 0, name); })),
              "01 02 03 12 13 23");
  }
}

Part counts(const std::vector<int>& values) {
  std::string items;
  for (const int one : values) items += item(one);
  return list(items);
}

TEST(Collectives, AllgathervTakesFromThoseThatGive) {
  Program program(3);
  EXPECT_EQ(pairs(program, around(program,
                                  [&](int rank) {
                                    program.call(rank, "MPI_Allgatherv",
                                                 {absent(), literal(rank == 1 ? 0 : 1), text("MPI_INT"),
                                                  absent(), counts({1, 0, 1}), counts({0, 1, 1}),
                                                  text("MPI_INT"), comm_part(0)});
                                  })),
            "01 02 20 21");
}

TEST(Collectives, AlltoallvFollowsTheCounts) {
  Program program(3);
  const std::vector<std::vector<int>> takes = {{0, 1, 0}, {1, 1, 1}, {0, 0, 0}};
  EXPECT_EQ(pairs(program, around(program,
                                  [&](int rank) {
                                    program.call(
                                        rank, "MPI_Alltoallv",
                                        {absent(), counts({0, 0, 0}), counts({0, 0, 0}), text("MPI_INT"),
                                         absent(), counts(takes[static_cast<std::size_t>(rank)]),
                                         counts({0, 0, 0}), text("MPI_INT"), comm_part(0)});
                                  })),
            "01 10 21");
}

TEST(Collectives, ReduceScatterOrdersThoseThatGetSomething) {
  Program program(3);
  EXPECT_EQ(pairs(program, around(program,
                                  [&](int rank) {
                                    program.call(rank, "MPI_Reduce_scatter",
                                                 {absent(), absent(), counts({1, 0, 2}), text("MPI_INT"),
                                                  text("MPI_SUM"), comm_part(0)});
                                  })),
            "02 10 12 20");
}

TEST(Collectives, GatherAndScatterGoByWhatEachHas) {
  Program program(3);
  const Around gather = around(program, [&](int rank) {
    program.call(
        rank, "MPI_Gatherv",
        {absent(), literal(rank), text("MPI_INT"), absent(), rank == 0 ? counts({0, 1, 2}) : absent(),
         rank == 0 ? counts({0, 0, 1}) : absent(), text("MPI_INT"), literal(0), comm_part(0)});
  });
  const Around scatter = around(program, [&](int rank) {
    program.call(rank, "MPI_Scatter",
                 {absent(), literal(1), text("MPI_INT"), absent(), literal(1), text("MPI_INT"), literal(2),
                  comm_part(0)});
  });
  EXPECT_EQ(pairs(program, gather), "10 20");
  EXPECT_EQ(pairs(program, scatter), "20 21");
}

TEST(Collectives, OneThatALaterCallCompletesOrdersThere) {
  Program program(2);
  const Event before = program.mark(0);
  program.ibarrier(0, 10);
  program.ibarrier(1, 20);
  const Event under_way = program.mark(1);
  program.wait(1, 20);
  const Event after = program.mark(1);
  program.wait(0, 10);
  EXPECT_TRUE(unordered(program, before, under_way));
  EXPECT_TRUE(ordered(program, before, after));
}

TEST(Collectives, AreCountedPerCommunicator) {
  Program program(3);
  for (int rank = 0; rank < 3; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank), {{0, 1, 3}});
  const Event write = program.mark(0);
  // Rank 0 has the barriers in another order than rank 1 has the wait: only numbers per communicator tell
  // them apart.
  program.ibarrier(0, 10, 1);
  program.barrier(0);
  program.barrier(1);
  const Event early = program.mark(1);
  program.barrier(1, 1);
  const Event late = program.mark(1);
  program.barrier(2);
  program.barrier(2, 1);
  EXPECT_TRUE(ordered(program, write, early));
  EXPECT_TRUE(ordered(program, write, late));
}

TEST(Collectives, TheNthBelongsToTheNth) {
  Program program(2);
  program.barrier(0);
  const Event between = program.mark(0);
  program.barrier(0);
  program.barrier(1);
  const Event early = program.mark(1);
  program.barrier(1);
  const Event late = program.mark(1);
  EXPECT_TRUE(unordered(program, between, early));
  EXPECT_TRUE(ordered(program, between, late));
}

TEST(Collectives, OthersThanThoseOfTheCommunicatorAreNotOrdered) {
  Program program(4);
  for (int rank = 0; rank < 4; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank / 2), {{rank % 2, 2, 2}});
  EXPECT_EQ(pairs(program, around(program, [&](int rank) { program.barrier(rank, 1); })), "02 13 20 31");
}

TEST(Collectives, ASplitNeedsTheColoursOfAllAndADuplicateNobody) {
  Program program(3);
  for (int rank = 0; rank < 3; ++rank) {
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank), {{0, 1, 3}});
    program.communicator(rank, 2, static_cast<std::uint32_t>(rank), {{0, 1, 3}});
  }
  const Around dup = around(program, [&](int rank) {
    program.call(rank, "MPI_Comm_dup", {comm_part(0), literal(1)});
  });
  const Around split = around(program, [&](int rank) {
    program.call(rank, "MPI_Comm_split", {comm_part(0), literal(0), literal(rank), literal(2)});
  });
  EXPECT_EQ(pairs(program, dup), "");
  EXPECT_EQ(pairs(program, split), kAllOfThree);
}

// MPI_UNDEFINED for a colour.
TEST(Collectives, WhoLeavesASplitWithoutACommunicatorHeardOfNobody) {
  Program program(3);
  for (int rank = 0; rank < 2; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank), {{0, 1, 2}});
  const Around split = around(program, [&](int rank) {
    program.call(
        rank, "MPI_Comm_split",
        {comm_part(0), literal(rank < 2 ? 0 : -32766), literal(rank), rank < 2 ? literal(1) : null()});
  });
  EXPECT_EQ(pairs(program, split), "01 10 20 21");
}

TEST(Collectives, ThatDifferAreListedAndOrderNothingFromThereOn) {
  Program program(2);
  program.barrier(0);
  program.barrier(1);
  program.bcast(0, 0);
  program.allreduce(1);
  const Around events = around(program, [&](int rank) { program.barrier(rank); });
  EXPECT_EQ(pairs(program, events), "");
  EXPECT_EQ(program.order().unmatched().size(), 4U);
}

TEST(Collectives, BetweenGroupsOrderTheOtherGroup) {
  Program program(4);
  for (int rank = 0; rank < 4; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank % 2), {{rank < 2 ? 0 : 2, 1, 2}},
                         {{rank < 2 ? 2 : 0, 1, 2}});
  const Around barrier = around(program, [&](int rank) { program.barrier(rank, 1); });
  EXPECT_EQ(pairs(program, barrier), "02 03 12 13 20 21 30 31");
}

TEST(Collectives, ABroadcastBetweenGroupsComesFromTheOneThatIsRoot) {
  Program program(4);
  for (int rank = 0; rank < 4; ++rank)
    program.communicator(rank, 1, static_cast<std::uint32_t>(rank % 2), {{rank < 2 ? 0 : 2, 1, 2}},
                         {{rank < 2 ? 2 : 0, 1, 2}});
  const Around bcast = around(program, [&](int rank) {
    const Part root = rank == 1 ? text("MPI_ROOT") : rank == 0 ? text("MPI_PROC_NULL") : literal(1);
    program.call(rank, "MPI_Bcast", {absent(), literal(1), text("MPI_INT"), root, comm_part(1)});
  });
  EXPECT_EQ(pairs(program, bcast), "12 13");
}

TEST(Collectives, MissingRanksKeepNobodyFromMeeting) {
  Program program(4, false, {2});
  std::vector<Event> before;
  std::vector<Event> after;
  for (const int rank : {0, 1, 3}) {
    before.push_back(program.mark(rank));
    program.barrier(rank);
    after.push_back(program.mark(rank));
  }
  EXPECT_TRUE(ordered(program, before[0], after[2]));
  EXPECT_TRUE(ordered(program, before[2], after[1]));
  EXPECT_THAT(program.order().missing_ranks(), testing::ElementsAre(2));
}

TEST(Collectives, OfTwoThreadsOnOneCommunicatorAreNotGuessed) {
  Program program(2);
  program.add_thread(0, 1);
  const Event write = program.mark(0);
  program.barrier(0);
  program.on_thread(1);
  program.barrier(0);
  program.on_thread(0);
  program.barrier(1);
  program.barrier(1);
  const Event read = program.mark(1);
  EXPECT_TRUE(unordered(program, write, read));
  EXPECT_EQ(program.order().unmatched().size(), 4U);
}

Part window(int id) { return literal(id); }

void make_window(Program& program, int rank, int id, const Part& info = null()) {
  program.call(rank, "MPI_Win_create", {absent(), literal(64), literal(1), info, comm_part(0), window(id)});
}

// The window has another number in each process: they are the same because they were made together.
TEST(Collectives, AFenceThatEndsAnEpochIsABarrier) {
  Program program(2);
  for (int rank = 0; rank < 2; ++rank) make_window(program, rank, 3 + rank);
  const auto fence = [&](int assertion) {
    return around(program, [&, assertion](int rank) {
      program.call(rank, "MPI_Win_fence", {literal(assertion), window(3 + rank)});
    });
  };
  const Around first = fence(0);
  const Around second = fence(0);
  const Around nothing_before = fence(8192);
  const Around last = fence(16);
  const Around behind_last = fence(0);
  const Around last_of_mpich = fence(16384);
  const Around behind_that = fence(0);
  EXPECT_EQ(pairs(program, first), "") << "nothing was begun before";
  EXPECT_EQ(pairs(program, second), "01 10");
  EXPECT_EQ(pairs(program, nothing_before), "") << "MPI_MODE_NOPRECEDE";
  EXPECT_EQ(pairs(program, last), "01 10");
  EXPECT_EQ(pairs(program, behind_last), "") << "MPI_MODE_NOSUCCEED";
  EXPECT_EQ(pairs(program, last_of_mpich), "01 10");
  EXPECT_EQ(pairs(program, behind_that), "");
}

TEST(Collectives, FreeingAWindowWaitsForAllUnlessHintsSayOtherwise) {
  Program program(2);
  for (int rank = 0; rank < 2; ++rank) make_window(program, rank, 0);
  for (int rank = 0; rank < 2; ++rank) make_window(program, rank, 1, literal(0));
  const auto free = [&](int id) {
    return around(program, [&, id](int rank) { program.call(rank, "MPI_Win_free", {window(id)}); });
  };
  const Around hinted = free(1);
  const Around plain = free(0);
  EXPECT_EQ(pairs(program, hinted), "");
  EXPECT_EQ(pairs(program, plain), "01 10");
}

}  // namespace
}  // namespace weir::semantics
