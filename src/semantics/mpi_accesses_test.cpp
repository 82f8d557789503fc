// What the ranks of an MPI program access: through MPI-IO, inside the calls of libraries, and in the order
// that MPI gives them.
#include <cstdint>
#include <filesystem>
#include <string_view>

#include <fcntl.h>

#include "semantics/rebuilt_test.hpp"

namespace weir::semantics {
namespace {

using namespace trace::made;
using testing::ElementsAre;

void mpi_open(Lane& lane, std::string_view name, std::uint32_t depth, std::uint64_t at,
              std::uint64_t duration) {
  lane.call("MPI_File_open", depth, {text("MPI_COMM_WORLD"), path(name), literal(9), null(), opened(0, -1)},
            literal(0), at, duration);
}

// MPI opens the file below as handle 1, and one of its own as handle 2.
void mpi_open_seen_below(Lane& lane, std::uint32_t depth) {
  const std::uint32_t below = depth + 1;
  lane.call("open", below, {path("/data/m"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(1, 5), 110, 10);
  lane.call("open", below, {path("/tmp/m.shared"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(2, 6), 130,
            10);
  lane.call("write", below, {handle(2), absent(), literal(8)}, full(), 150, 10);
  mpi_open(lane, "/data/m", depth, 100 + 5 * depth, 100);
}

// Both ranks through the same view: blocks of two integers, rank by rank.
TEST_F(Rebuilt, MpiViewsWithDerivedTypes) {
  for (const std::int32_t rank : {0, 1}) {
    Lane lane(run(), {.process = static_cast<std::uint64_t>(100 + rank), .start = 1000});
    begin(lane, static_cast<std::uint64_t>(100 + rank));
    lane.rank(rank, 2, 0, 0);
    mpi_open(lane, "ufs:/data/m", 0, 100, 10);
    lane.call("MPI_Type_vector", 0, {literal(2), literal(2), literal(4), text("MPI_INT"), literal(7)},
              literal(0), 200, 10);
    lane.call("MPI_Type_create_resized", 0, {literal(7), literal(0), literal(32), literal(8)}, literal(0),
              250, 10);
    lane.call("MPI_File_set_view", 0,
              {handle(0), literal(rank * 8), text("MPI_INT"), literal(8), text("native"), null()}, literal(0),
              300, 10);
    lane.call("MPI_File_write_at", 0,
              {handle(0), literal(2), absent(), literal(4), text("MPI_INT"), absent()}, literal(0),
              400 + 100 * static_cast<std::uint64_t>(rank), 10);
    lane.call("MPI_File_close", 0, {handle(0)}, literal(0), 900, 10);
  }
  // From the third integer on: the second block of the first tile, the first of the next.
  EXPECT_THAT(texts("/data/m"), ElementsAre("w0 16+8", "w0 32+8", "w1 24+8", "w1 40+8"));
}

TEST_F(Rebuilt, ASeekToTheEndOfAnMpiFileIsForgottenAtTheNext) {
  {
    Lane lane(run(), {.process = 100, .start = 1000});
    begin(lane, 100);
    lane.rank(0, 1, 0, 0);
    mpi_open(lane, "/data/m", 0, 100, 10);
    lane.call("MPI_File_seek", 0, {handle(0), literal(0), literal(604)}, literal(0), 200, 10);
    lane.call("MPI_File_write", 0, {handle(0), absent(), literal(2), text("MPI_BYTE"), absent()}, literal(0),
              300, 10);
    lane.call("MPI_File_write_at", 0,
              {handle(0), literal(50), absent(), literal(3), text("MPI_BYTE"), absent()}, literal(0), 400,
              10);
    lane.call("MPI_File_seek", 0, {handle(0), literal(7), literal(600)}, literal(0), 500, 10);
    lane.call("MPI_File_write", 0, {handle(0), absent(), literal(4), text("MPI_BYTE"), absent()}, literal(0),
              600, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w0 50+3", "w0 7+4"));
  EXPECT_EQ(made.untyped, 1U);
}

TEST_F(Rebuilt, ThePositionOfAnMpiFileIsLostWithATypeThatIsNotKnown) {
  {
    Lane lane(run(), {.process = 100, .start = 1000});
    begin(lane, 100);
    lane.rank(0, 1, 0, 0);
    mpi_open(lane, "/data/m", 0, 100, 10);
    const auto write = [&](const Part& type, std::uint64_t at) {
      lane.call("MPI_File_write", 0, {handle(0), absent(), literal(2), type, absent()}, literal(0), at, 10);
    };
    write(text("MPI_DOUBLE_INT"), 200);
    write(text("MPI_BYTE"), 300);
    lane.call("MPI_File_write_at", 0, {handle(0), literal(50), absent(), literal(3), literal(99), absent()},
              literal(0), 400, 10);
    write(text("MPI_BYTE"), 500);
    write(literal(99), 600);  // as nothing made it
    write(text("MPI_BYTE"), 700);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w0 0+24", "w0 24+2", "w0 26+2"));
  EXPECT_EQ(made.untyped, 3U);
}

TEST_F(Rebuilt, WhatMpiDoesBelowCountsOnceAndItsOwnFilesDoNot) {
  {
    Lane lane(run(), {.process = 100, .start = 1000});
    begin(lane, 100);
    lane.rank(0, 1, 0, 0);
    mpi_open_seen_below(lane, 0);
    lane.call("pwrite", 1, {handle(1), absent(), literal(4), literal(0)}, full(), 310, 10);
    lane.call("pwrite", 1, {handle(1), absent(), literal(4), literal(8)}, full(), 330, 10);
    lane.call("MPI_File_write", 0, {handle(0), absent(), literal(2), text("MPI_INT"), absent()}, literal(0),
              300, 60);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w0 0+4", "w0 8+4"));
  EXPECT_EQ(made.library_files, 1U);
}

// As HDF5 does it.
TEST_F(Rebuilt, WhatMpiDoesInsideAnotherLibraryIsItsOwn) {
  {
    Lane lane(run(), {.process = 100, .start = 1000});
    begin(lane, 100);
    lane.rank(0, 1, 0, 0);
    mpi_open_seen_below(lane, 1);
    lane.call("H5Lexists", 0, {literal(1), text("x"), literal(0)}, literal(1), 100, 200);
    lane.call("pwrite", 1, {handle(1), absent(), literal(4), literal(0)}, full(), 310, 10);
    lane.call("MPI_File_write", 0, {handle(0), absent(), literal(1), text("MPI_INT"), absent()}, literal(0),
              300, 60);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w0 0+4"));
  EXPECT_EQ(made.library_files, 1U);
}

// As many calls in one as a walk over a large tree makes: each is looked at a few times and not for every
// other one.
TEST_F(Rebuilt, CallsInsideOneCallTakeTimeInProportion) {
  constexpr std::uint64_t kCalls = 200'000;
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    for (std::uint64_t i = 0; i < kCalls; ++i)
      lane.call("stat", 1, {path("a"), absent()}, literal(0), 200 + 10 * i, 5);
    lane.call("H5Lexists", 0, {literal(1), text("x"), literal(0)}, literal(1), 100, 200 + 10 * kCalls);
  }
  std::uint64_t inside = 0;
  for (const MetadataCount& one : rebuilt().metadata)
    if (one.function == "stat" && one.made_by == MetadataCount::Library::hdf5) inside += one.calls;
  EXPECT_EQ(inside, kCalls);
}

// Rank 1 reads between two writes of rank 0, by barriers; its clock is behind, or there is none.
void read_between_writes(const std::filesystem::path& run) {
  const auto barrier = [](Lane& lane, std::uint64_t at) {
    lane.call("MPI_Barrier", 0, {text("MPI_COMM_WORLD")}, literal(0), at, 10);
  };
  for (const std::int32_t rank : {0, 1}) {
    const auto number = static_cast<std::uint64_t>(100 + rank);
    Lane lane(run, {.process = number, .start = rank == 0 ? 100'000U : 1000U});
    begin(lane, number);
    lane.rank(rank, 2, 0, 0);
    if (rank == 1) {
      lane.call("open", 0, {path("x.tmp"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
      lane.call("pwrite", 0, {handle(0), absent(), literal(5), literal(90)}, full(), 120, 10);
      lane.call("rename", 0, {path("x.tmp"), path("x")}, literal(0), 140, 10);
    }
    barrier(lane, 200);
    if (rank == 0) lane.call("open", 0, {path("x"), flags(O_RDWR), literal(0)}, opened(0, 3), 300, 10);
    if (rank == 0) lane.call("pwrite", 0, {handle(0), absent(), literal(10), literal(0)}, full(), 350, 10);
    barrier(lane, 400);
    if (rank == 1) lane.call("pread", 0, {handle(0), absent(), literal(10), literal(0)}, full(), 500, 10);
    barrier(lane, 600);
    if (rank == 0) lane.call("pwrite", 0, {handle(0), absent(), literal(10), literal(0)}, full(), 700, 10);
  }
}

TEST_F(Rebuilt, AccessesStandInTheOrderOfTheProgramWhenClocksContradictIt) {
  read_between_writes(run());
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w1 90+5", "w0 0+10", "r1 0+10", "w0 0+10"));
}

TEST_F(Rebuilt, AccessesStandInTheOrderOfTheProgramWithoutTimes) {
  read_between_writes(run());
  const Accesses& made = rebuilt(trace::TimingMode::off);
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w1 90+5", "w0 0+10", "r1 0+10", "w0 0+10"));
}

}  // namespace
}  // namespace weir::semantics
