#include "semantics/communication.hpp"

#include <gtest/gtest.h>

#include "semantics/accesses.hpp"
#include "semantics/order/made_program_test.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): parts of calls

std::string shown(const Communication& found) {
  std::string text;
  for (const Channel& one : found.channels)
    text += std::to_string(one.from) + ">" + std::to_string(one.to) + ": " + std::to_string(one.messages) +
            " of " + std::to_string(one.bytes) + "; ";
  return text + std::to_string(found.unsized) + " unsized, " + std::to_string(found.unplaced) + " unplaced";
}

std::string shown(Program& program) {
  const auto& trace = program.trace();
  const auto found = find_communication(trace);
  EXPECT_TRUE(found.has_value());
  // The same from records that are read to rebuild accesses.
  MessageCounter counter(trace);
  RebuildOptions how;
  how.also = [&](std::uint32_t process, const trace::Record& record) { counter.see(process, record); };
  EXPECT_TRUE(rebuild({&trace}, how).has_value());
  EXPECT_EQ(shown(counter.take()), shown(*found));
  return shown(*found);
}

TEST(Communication, SendsCountForTheirPair) {
  Program program(3);
  program.send(0, 1);
  program.isend(0, 1, 7, 10);
  program.wait(0, 10);
  program.send(2, 0, 0, 0, "MPI_Ssend");
  program.send(1, kNull);
  program.receive(1, 0);
  EXPECT_EQ(shown(program), "0>1: 2 of 8; 2>0: 1 of 4; 0 unsized, 0 unplaced");
}

TEST(Communication, DerivedDatatypesHaveTheirSizes) {
  Program program(2);
  program.call(0, "MPI_Type_contiguous", {literal(5), text("MPI_DOUBLE"), literal(3)});
  program.call(0, "MPI_Send",
               {absent(), literal(2), literal(3), literal(1), literal(0), text("MPI_COMM_WORLD")});
  program.call(0, "MPI_Type_free", {literal(3)});
  program.call(0, "MPI_Send",
               {absent(), literal(2), literal(3), literal(1), literal(0), text("MPI_COMM_WORLD")});
  EXPECT_EQ(shown(program), "0>1: 2 of 80; 1 unsized, 0 unplaced");
}

TEST(Communication, PersistentSendsCountWhenStarted) {
  Program program(2);
  program.isend(0, 1, 0, 10, 0, "MPI_Send_init");
  program.call(0, "MPI_Start", {literal(10)});
  program.wait(0, 10);
  program.call(0, "MPI_Startall", {literal(1), Program::requests_part({10})});
  EXPECT_EQ(shown(program), "0>1: 2 of 8; 0 unsized, 0 unplaced");
}

TEST(Communication, RanksAreThoseOfTheCommunicator) {
  Program program(3);
  for (const int rank : {1, 2})
    program.communicator(rank, 1, static_cast<std::uint32_t>(2 - rank), {{2, -1, 2}});  // ranks 2 and 1
  program.send(2, 1, 0, 1);
  EXPECT_EQ(shown(program), "2>1: 1 of 4; 0 unsized, 0 unplaced");
}

TEST(Communication, MessagesToAnAbsentRankAreCountedApart) {
  Program program(2, false, {1});
  program.send(0, 1);
  EXPECT_EQ(shown(program), "0 unsized, 1 unplaced");
}

}  // namespace
}  // namespace weir::semantics
