#include "semantics/accesses.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/scratch_dir.hpp"
#include "trace/made_run_test.hpp"

namespace weir::semantics {
namespace {

using namespace trace::made;
using testing::ElementsAre;
using testing::IsEmpty;

class Rebuilt : public testing::Test {
 protected:
  std::filesystem::path run() const { return dir_.path() / "run"; }

  // Merges what the lanes left and rebuilds it.
  const Accesses& rebuilt(trace::TimingMode timing = trace::TimingMode::lossless) {
    const auto merged = merge(run(), timing);
    EXPECT_TRUE(merged) << merged.error().text();
    auto opened = trace::TraceFile::open(run());
    EXPECT_TRUE(opened) << opened.error().text();
    trace_ = std::make_unique<trace::TraceFile>(*std::move(opened));
    auto made = rebuild({trace_.get()});
    EXPECT_TRUE(made) << made.error().text();
    accesses_ = *std::move(made);
    return accesses_;
  }

  // "w0 0+64" for each access of a file, by time: process 0 wrote 64 bytes at 0. '~' where it takes effect
  // later, '?' where nothing was there to be read.
  static std::vector<std::string> texts(const File& file) {
    std::vector<std::string> list;
    for (const Access& one : file.accesses)
      list.push_back(fmt::format("{}{}{}{} {}+{}", one.delayed() ? "~" : "",
                                 (one.flags & Access::kMissed) != 0 ? "?" : "", one.writes() ? "w" : "r",
                                 file.members[one.member].process, one.begin, one.end - one.begin));
    return list;
  }
  std::vector<std::string> texts(std::string_view name) {
    for (const File& file : rebuilt().files)
      if (file.name == name) return texts(file);
    return {"no such file"};
  }

 private:
  ScratchDir dir_;
  std::unique_ptr<trace::TraceFile> trace_;
  Accesses accesses_;
};

void begin(Lane& lane, std::uint64_t number) {
  lane.program("/bin/app", "/data", std::string("app\0", 4));
  lane.thread(number);
}

Part flags(int value) { return literal(value); }

TEST_F(Rebuilt, PositionMovesWithReadsAndWritesAndSeeks) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("write", 0, {handle(0), absent(), literal(64)}, full(), 200, 10);
    lane.call("write", 0, {handle(0), absent(), literal(64)}, literal(10), 300, 10);  // short
    lane.call("pwrite", 0, {handle(0), absent(), literal(8), literal(1000)}, full(), 400, 10);
    lane.call("write", 0, {handle(0), absent(), literal(6)}, full(), 500, 10);  // pwrite moved nothing
    lane.call("lseek", 0, {handle(0), literal(-4), literal(SEEK_END)}, literal(1004), 600, 10);
    lane.call("read", 0, {handle(0), absent(), literal(100)}, literal(4), 700, 10);
    lane.call("read", 0, {handle(0), absent(), literal(100)}, literal(0), 800, 10);
    lane.call("write", 0, {handle(0), absent(), literal(5)}, failed(28), 900, 10);
  }
  EXPECT_THAT(texts("/data/a"), ElementsAre("w0 0+64", "w0 64+10", "w0 1000+8", "w0 74+6", "r0 1004+4",
                                            "?r0 1008+96", "?r0 1008+100"));
}

TEST_F(Rebuilt, DuplicatesShareThePosition) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("dup", 0, {handle(0)}, opened(1, 4), 200, 10);
    lane.call("open", 0, {path("a"), flags(O_RDWR), literal(0)}, opened(2, 5), 250, 10);
    lane.call("write", 0, {handle(0), absent(), literal(10)}, full(), 300, 10);
    lane.call("write", 0, {handle(1), absent(), literal(10)}, full(), 400, 10);
    lane.call("close", 0, {handle(0)}, literal(0), 450, 10);
    lane.call("write", 0, {handle(1), absent(), literal(10)}, full(), 500, 10);
    lane.call("write", 0, {handle(2), absent(), literal(7)}, full(), 600, 10);  // opened by itself
  }
  EXPECT_THAT(texts("/data/a"), ElementsAre("w0 0+10", "w0 10+10", "w0 20+10", "w0 0+7"));
}

TEST_F(Rebuilt, AForkedChildSharesThePosition) {
  {
    Lane lane(run(), {.process = 100, .start = 1000});
    begin(lane, 100);
    lane.call("open", 0, {path("log"), flags(O_WRONLY | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("write", 0, {handle(0), absent(), literal(5)}, full(), 200, 10);
    lane.call("fork", 0, {}, literal(101), 300, 50);
    lane.call("write", 0, {handle(0), absent(), literal(5)}, full(), 700, 10);
  }
  {
    Lane lane(run(), {.process = 101, .parent = 100, .start = 1320});
    begin(lane, 101);
    lane.inherited({0, 3, 1, O_WRONLY, 5, 0, 0}, "/data/log");
    lane.call("write", 0, {handle(0), absent(), literal(20)}, full(), 100, 10);
  }
  EXPECT_THAT(texts("/data/log"), ElementsAre("w0 0+5", "w1 5+20", "w0 25+5"));
}

TEST_F(Rebuilt, AppendsGoToTheEndWhoeverMovedIt) {
  for (const std::uint64_t process : {100U, 101U}) {
    Lane lane(run(), {.process = process, .start = 1000 + 5 * (process - 100)});
    begin(lane, process);
    lane.call("open", 0, {path("log"), flags(O_WRONLY | O_CREAT | O_APPEND), literal(0644)}, opened(0, 3),
              100, 2);
    const std::uint64_t shift = process == 100 ? 0 : 50;
    lane.call("write", 0, {handle(0), absent(), literal(10)}, full(), 200 + shift, 2);
    lane.call("write", 0, {handle(0), absent(), literal(3)}, full(), 300 + shift, 2);
  }
  EXPECT_THAT(texts("/data/log"), ElementsAre("w0 0+10", "w1 10+10", "w0 20+3", "w1 23+3"));
}

TEST_F(Rebuilt, StreamsWriteLaterAndSeekFromTheEnd) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("fopen", 0, {path("s"), text("w+")}, opened(0, 3), 100, 10);
    lane.call("fwrite", 0, {absent(), literal(8), literal(4), handle(0)}, full(), 200, 10);
    lane.call("fputs", 0, {literal(6), handle(0)}, literal(1), 300, 10);
    lane.call("fseek", 0, {handle(0), literal(-10), literal(SEEK_END)}, literal(0), 400, 10);
    lane.call("fread", 0, {absent(), literal(1), literal(10), handle(0)}, full(), 500, 10);
    lane.call("rewind", 0, {handle(0)}, absent(), 600, 10);
    lane.call("fread", 0, {absent(), literal(4), literal(2), handle(0)}, literal(1), 700, 10);
    lane.call("fclose", 0, {handle(0)}, literal(0), 800, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("~w0 0+32", "~w0 32+6", "r0 28+10", "r0 0+4"));
  const auto& syncs = made.files[0].members[0].syncs;
  ASSERT_EQ(syncs.size(), 4U);  // fopen, two seeks, fclose
  EXPECT_EQ(syncs[0].operations, consistency::Operations{consistency::Operation::fopen}.bits());
  EXPECT_EQ(syncs[3].operations,
            consistency::Operations{consistency::Operation::fclose}.bits() | SyncPoint::kFlushes);
}

TEST_F(Rebuilt, AStreamForAppendingIsReadFromTheBeginning) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("s"), flags(O_RDWR | O_CREAT | O_TRUNC), literal(0644)}, opened(0, 3), 100,
              10);
    lane.call("pwrite", 0, {handle(0), absent(), literal(100), literal(0)}, full(), 200, 10);
    lane.call("fopen", 0, {path("s"), text("a+")}, opened(1, 4), 300, 10);
    lane.call("fread", 0, {absent(), literal(1), literal(10), handle(1)}, full(), 400, 10);
    lane.call("fwrite", 0, {absent(), literal(1), literal(5), handle(1)}, full(), 500, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w0 0+100", "r0 0+10", "~w0 100+5"));
  EXPECT_FALSE(made.files[0].guessed);
}

TEST_F(Rebuilt, TheEndOfAFileOlderThanTheTraceIsGuessed) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("old"), flags(O_WRONLY | O_APPEND), literal(0)}, opened(0, 3), 100, 10);
    lane.call("write", 0, {handle(0), absent(), literal(10)}, full(), 200, 10);
    lane.call("open", 0, {path("new"), flags(O_WRONLY | O_CREAT | O_EXCL | O_APPEND), literal(0644)},
              opened(1, 4), 300, 10);
    lane.call("write", 0, {handle(1), absent(), literal(10)}, full(), 400, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 2U);
  EXPECT_FALSE(made.files[0].guessed);  // by name: "new"
  EXPECT_TRUE(made.files[1].guessed);
}

TEST_F(Rebuilt, AFlushIsOfItsOwnStream) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("fopen", 0, {path("s"), text("w")}, opened(0, 3), 100, 10);
    lane.call("fwrite", 0, {absent(), literal(1), literal(10), handle(0)}, full(), 200, 10);
    lane.call("fopen", 0, {path("s"), text("r")}, opened(1, 4), 300, 10);
    lane.call("fclose", 0, {handle(1)}, literal(0), 400, 10);
    lane.call("fclose", 0, {handle(0)}, literal(0), 500, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  const auto& syncs = made.files[0].members[0].syncs;
  ASSERT_EQ(syncs.size(), 4U);
  EXPECT_NE(syncs[2].buffer, made.files[0].accesses[0].buffer);
  EXPECT_EQ(syncs[3].buffer, made.files[0].accesses[0].buffer);
}

TEST_F(Rebuilt, CuttingOffIsAWriteOfWhatWasThere) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT | O_TRUNC), literal(0644)}, opened(0, 3), 100,
              10);
    lane.call("pwrite", 0, {handle(0), absent(), literal(100), literal(0)}, full(), 200, 10);
    lane.call("ftruncate", 0, {handle(0), literal(40)}, literal(0), 300, 10);
    lane.call("ftruncate", 0, {handle(0), literal(80)}, literal(0), 400, 10);  // longer: nothing is lost
    lane.call("truncate", 0, {path("/data/./a"), literal(70)}, literal(0), 500, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w0 0+100", "w0 40+60", "w0 70+10"));
  EXPECT_EQ(std::count_if(made.name_uses.begin(), made.name_uses.end(),
                          [](const NameUse& use) { return use.kind == NameUse::Kind::resize; }),
            4);
}

TEST_F(Rebuilt, FilesAreWhatTheyAreNotWhatTheyAreCalled) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("tmp"), flags(O_WRONLY | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("write", 0, {handle(0), absent(), literal(1)}, full(), 200, 10);
    lane.call("rename", 0, {path("tmp"), path("final")}, literal(0), 300, 10);
    lane.call("link", 0, {path("final"), path("other")}, literal(0), 350, 10);
    lane.call("open", 0, {path("other"), flags(O_RDONLY), literal(0)}, opened(1, 4), 400, 10);
    lane.call("read", 0, {handle(1), absent(), literal(2)}, literal(1), 500, 10);
    lane.call("open", 0, {path("tmp"), flags(O_WRONLY | O_CREAT), literal(0644)}, opened(2, 5), 600, 10);
    lane.call("write", 0, {handle(2), absent(), literal(3)}, full(), 700, 10);
    lane.call("unlink", 0, {path("tmp")}, literal(0), 800, 10);
    lane.call("open", 0, {path("tmp"), flags(O_WRONLY | O_CREAT), literal(0644)}, opened(3, 6), 900, 10);
    lane.call("write", 0, {handle(3), absent(), literal(4)}, full(), 950, 10);
  }
  std::vector<std::vector<std::string>> files;
  for (const File& file : rebuilt().files) files.push_back(texts(file));
  EXPECT_THAT(files, testing::UnorderedElementsAre(ElementsAre("w0 0+1", "r0 0+1", "?r0 1+1"),
                                                   ElementsAre("w0 0+3"), ElementsAre("w0 0+4")));
}

TEST_F(Rebuilt, VectorsAndCopiesAndMappings) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("open", 0, {path("b"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(1, 4), 110, 10);
    lane.call("writev", 0, {handle(0), absent(), literal(2)}, literal(192), 200, 10);
    lane.call("copy_file_range", 0, {handle(0), literal(64), handle(1), null(), literal(100), literal(0)},
              full(), 300, 10);
    lane.call(
        "mmap", 0,
        {null(), literal(4096), literal(PROT_READ | PROT_WRITE), literal(MAP_SHARED), handle(1), literal(0)},
        literal(0x7000), 400, 10);
    lane.call("munmap", 0, {literal(0x7000), literal(4096)}, literal(0), 500, 10);
  }
  EXPECT_THAT(texts("/data/a"), ElementsAre("w0 0+192", "r0 64+100"));
}

TEST_F(Rebuilt, PipesDevicesAndStandardStreamsAreNoFiles) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.inherited(0, 1, "pipe:[123]");
    lane.inherited(1, 2, "/dev/pts/0");
    lane.call("write", 0, {handle(0), absent(), literal(5)}, full(), 100, 10);
    lane.call("write", 0, {handle(1), absent(), literal(5)}, full(), 200, 10);
  }
  EXPECT_THAT(rebuilt().files, IsEmpty());
}

// Both ranks through the same view: blocks of two integers, rank by rank.
TEST_F(Rebuilt, MpiViewsWithDerivedTypes) {
  for (const std::int32_t rank : {0, 1}) {
    Lane lane(run(), {.process = static_cast<std::uint64_t>(100 + rank), .start = 1000});
    begin(lane, static_cast<std::uint64_t>(100 + rank));
    lane.rank(rank, 2, 0, 0);
    lane.call("MPI_File_open", 0,
              {text("MPI_COMM_WORLD"), path("ufs:/data/m"), literal(9), null(), opened(0, -1)}, literal(0),
              100, 10);
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
    lane.call("MPI_File_open", 0,
              {text("MPI_COMM_WORLD"), path("/data/m"), literal(9), null(), opened(0, -1)}, literal(0), 100,
              10);
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

TEST_F(Rebuilt, WhatMpiDoesBelowCountsOnceAndItsOwnFilesDoNot) {
  {
    Lane lane(run(), {.process = 100, .start = 1000});
    begin(lane, 100);
    lane.rank(0, 1, 0, 0);
    lane.call("open", 1, {path("/data/m"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(1, 5), 110, 10);
    lane.call("open", 1, {path("/tmp/m.shared"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(2, 6), 130,
              10);
    lane.call("write", 1, {handle(2), absent(), literal(8)}, full(), 150, 10);
    lane.call("MPI_File_open", 0,
              {text("MPI_COMM_WORLD"), path("/data/m"), literal(9), null(), opened(0, -1)}, literal(0), 100,
              100);
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

TEST_F(Rebuilt, ATraceWithoutDataCallsHasNoFiles) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("mkdir", 0, {path("d"), literal(0755)}, literal(0), 100, 10);
  }
  const Accesses& made = rebuilt();
  EXPECT_THAT(made.files, IsEmpty());
  ASSERT_EQ(made.name_uses.size(), 1U);
  EXPECT_EQ(made.name_uses[0].kind, NameUse::Kind::create);
}

}  // namespace
}  // namespace weir::semantics
