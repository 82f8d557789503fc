#include "semantics/accesses.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>

#include "semantics/rebuilt_test.hpp"

namespace weir::semantics {
namespace {

using namespace trace::made;
using testing::ElementsAre;
using testing::IsEmpty;

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

// A shell's redirection: the second dup2 gets a handle of its own, and ends what its descriptor was before.
TEST_F(Rebuilt, ADescriptorThatIsReplacedIsClosed) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_WRONLY | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("dup2", 0, {handle(0), literal(1)}, opened(1, 1), 200, 10);
    lane.call("close", 0, {handle(0)}, literal(0), 300, 10);
    lane.call("write", 0, {handle(1), absent(), literal(5)}, full(), 400, 10);
    lane.call("open", 0, {path("b"), flags(O_WRONLY | O_CREAT), literal(0644)}, opened(0, 3), 500, 10);
    lane.call("dup2", 0, {handle(0), literal(1)}, opened(2, 1), 600, 10);
  }
  const Accesses& made = rebuilt();
  const auto& syncs = made.files[0].members[0].syncs;
  ASSERT_EQ(syncs.size(), 3U);  // open, close, dup2
  EXPECT_EQ(syncs[2].operations, consistency::Operations{consistency::Operation::close}.bits());
}

// The same with a file that is not in the trace: the user left it out.
TEST_F(Rebuilt, ADescriptorThatIsReplacedByOneLeftOutIsClosed) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_WRONLY | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("dup2", 0, {handle(0), literal(1)}, opened(1, 1), 200, 10);
    lane.call("close", 0, {handle(0)}, literal(0), 300, 10);
    lane.call("write", 0, {handle(1), absent(), literal(5)}, full(), 400, 10);
    lane.call("dup2", 0, {literal(10), literal(1)}, literal(1), 600, 10);
  }
  const Accesses& made = rebuilt();
  const auto& syncs = made.files[0].members[0].syncs;
  ASSERT_EQ(syncs.size(), 3U);  // open, close, dup2
  EXPECT_EQ(syncs[2].operations, consistency::Operations{consistency::Operation::close}.bits());
  EXPECT_EQ(syncs[2].record, 4U);
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
  EXPECT_THAT(texts("/data/log"), ElementsAre("end0 0", "w0 0+10", "end1 9", "w1 10+10", "end0 19", "w0 20+3",
                                              "end1 22", "w1 23+3"));
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

TEST_F(Rebuilt, TakingOutAPartOfAFileDoesNotCutItOff) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT | O_EXCL | O_APPEND), literal(0644)},
              opened(0, 3), 100, 10);
    lane.call("write", 0, {handle(0), absent(), literal(65536)}, full(), 200, 10);
    lane.call("fallocate", 0, {handle(0), literal(FALLOC_FL_COLLAPSE_RANGE), literal(4096), literal(4096)},
              literal(0), 300, 10);
    lane.call("write", 0, {handle(0), absent(), literal(10)}, full(), 400, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  const File& file = made.files[0];
  ASSERT_EQ(file.accesses.size(), 3U);
  EXPECT_EQ(file.accesses[1].begin, 4096);
  EXPECT_EQ(file.accesses[1].end, Access::kEverAfter);
  EXPECT_EQ(file.accesses[2].begin, 65536) << "or a bit before it";
  EXPECT_EQ(file.written_bytes, 65546U);
  EXPECT_TRUE(file.guessed);
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

// Shared memory for certain, a directory like /tmp maybe.
TEST_F(Rebuilt, MachinesHaveFilesOfTheirOwn) {
  for (const std::int32_t rank : {0, 1}) {
    const auto number = static_cast<std::uint64_t>(100 + rank);
    Lane lane(run(), {.process = number, .start = 1000});
    lane.program("/bin/app", "/data", std::string("app\0", 4), rank == 0 ? "node1" : "node2");
    lane.thread(number);
    lane.rank(rank, 2, 0, 0);
    std::uint32_t file = 0;
    for (const std::string_view name : {"/dev/shm/x", "/tmp/x", "/scratch/x"}) {
      lane.call("open", 0, {path(name), flags(O_RDWR | O_CREAT), literal(0644)},
                opened(file, static_cast<int>(3 + file)), 100 + 100 * file, 10);
      lane.call("write", 0, {handle(file), absent(), literal(8)}, full(), 150 + 100 * file, 10);
      ++file;
    }
  }
  const Accesses& made = rebuilt();
  std::vector<std::string> files;
  for (const File& file : made.files)
    files.push_back(
        fmt::format("{} {}{}", file.name, file.members.size(), made.may_be_several(file) ? "?" : ""));
  EXPECT_THAT(files, ElementsAre("/scratch/x 2", "/tmp/x 2?", "node1:/dev/shm/x 1", "node2:/dev/shm/x 1"));
}

// O_TMPFILE: what is named is the directory.
TEST_F(Rebuilt, FilesWithoutANameAreOneForEachOpen) {
  for (const std::uint64_t process : {100U, 101U}) {
    Lane lane(run(), {.process = process, .start = process});
    begin(lane, process);
    for (const std::uint32_t file : {0U, 1U}) {
      lane.call("open", 0, {path("/scratch"), flags(O_RDWR | O_TMPFILE | O_EXCL), literal(0600)},
                opened(file, static_cast<int>(3 + file)), 100 + 100 * file, 10);
      lane.call("pwrite", 0, {handle(file), absent(), literal(8), literal(0)}, full(), 150 + 100 * file, 10);
    }
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 4U);
  for (const File& file : made.files) EXPECT_EQ(texts(file).size(), 1U) << file.name;
}

TEST_F(Rebuilt, TwoFilesChangePlaces) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("new"), flags(O_RDWR | O_CREAT | O_EXCL), literal(0644)}, opened(0, 3), 100,
              10);
    lane.call("write", 0, {handle(0), absent(), literal(8)}, full(), 200, 10);
    lane.call("renameat2", 0, {literal(-100), path("new"), literal(-100), path("old"), literal(2)},
              literal(0), 300, 10);
    lane.call("open", 0, {path("old"), flags(O_RDONLY), literal(0)}, opened(1, 4), 400, 10);
    lane.call("read", 0, {handle(1), absent(), literal(8)}, full(), 500, 10);
    lane.call("open", 0, {path("new"), flags(O_RDONLY), literal(0)}, opened(2, 5), 600, 10);
    lane.call("read", 0, {handle(2), absent(), literal(3)}, full(), 700, 10);
  }
  std::vector<std::vector<std::string>> files;
  for (const File& file : rebuilt().files) files.push_back(texts(file));
  EXPECT_THAT(files, testing::UnorderedElementsAre(ElementsAre("w0 0+8", "r0 0+8"), ElementsAre("r0 0+3")));
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

TEST_F(Rebuilt, AMappingEndsWithItsLastPartAndGrowsWhenItIsMoved) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("mmap", 0,
              {null(), literal(8192), literal(PROT_WRITE), literal(MAP_SHARED), handle(0), literal(4096)},
              literal(0x70000), 200, 10);
    lane.call("msync", 0, {literal(0x70000), literal(8192), literal(MS_ASYNC)}, literal(0), 300, 10);
    lane.call("msync", 0, {literal(0x70000), literal(4096), literal(MS_SYNC)}, literal(0), 400, 10);
    lane.call("msync", 0, {literal(0x70000), literal(8192), literal(MS_SYNC)}, literal(0), 500, 10);
    lane.call("mremap", 0, {literal(0x70000), literal(8192), literal(12288), literal(1), absent()},
              literal(0x90000), 600, 10);
    lane.call("munmap", 0, {literal(0x90000), literal(4096)}, literal(0), 700, 10);
    lane.call("munmap", 0, {literal(0x91000), literal(8192)}, literal(0), 800, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("~w0 4096+8192", "~w0 12288+4096"));
  std::vector<std::uint64_t> records;
  for (const SyncPoint& sync : made.files[0].members[0].syncs)
    if (sync.buffer == made.files[0].accesses[0].buffer) records.push_back(sync.record);
  EXPECT_THAT(records, ElementsAre(4U, 7U)) << "the msync that waits for all of it, and the last munmap";
}

TEST_F(Rebuilt, ADescriptorThatIsToBeClosedByExecIsNotClosed) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("write", 0, {handle(0), absent(), literal(8)}, full(), 200, 10);
    lane.call("close_range", 0, {literal(3), literal(9), literal(4)}, literal(0), 300, 10);
    lane.call("write", 0, {handle(0), absent(), literal(8)}, full(), 400, 10);
    lane.call("close_range", 0, {literal(3), literal(9), literal(0)}, literal(0), 500, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("w0 0+8", "w0 8+8"));
  const auto& syncs = made.files[0].members[0].syncs;
  ASSERT_EQ(syncs.size(), 2U);
  EXPECT_EQ(syncs[1].record, 4U);
}

TEST_F(Rebuilt, SyncfsSpeaksForItsOwnFileOnly) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("open", 0, {path("/elsewhere/b"), flags(O_RDWR | O_CREAT), literal(0644)}, opened(1, 4), 150,
              10);
    for (const std::uint32_t file : {0U, 1U})
      lane.call("write", 0, {handle(file), absent(), literal(8)}, full(), 200 + 20 * file, 10);
    lane.call("syncfs", 0, {handle(0)}, literal(0), 300, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 2U);
  const auto is_sync = [](const SyncPoint& one) {
    return (one.operations & consistency::Operations{consistency::Operation::sync}.bits()) != 0;
  };
  for (const File& file : made.files) {
    const auto& syncs = file.members[0].syncs;
    EXPECT_EQ(std::count_if(syncs.begin(), syncs.end(), is_sync), file.name == "/data/a" ? 1 : 0);
  }
}

TEST_F(Rebuilt, AppendsThatOneCallOrOneStreamAsksFor) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT | O_EXCL), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("pwrite", 0, {handle(0), absent(), literal(100), literal(0)}, full(), 200, 10);
    lane.call("pwritev2", 0, {handle(0), absent(), literal(1), literal(0), literal(16)}, literal(8), 300, 10);
    lane.call("write", 0, {handle(0), absent(), literal(4)}, full(), 400,
              10);  // the position is where it was
    lane.call("fdopen", 0, {handle(0), text("a")}, opened(1, 3), 500, 10);
    lane.call("fwrite", 0, {absent(), literal(1), literal(5), handle(1)}, full(), 600, 10);
    lane.call("pwritev2", 0, {handle(0), absent(), literal(1), literal(-1), literal(16)}, literal(8), 700,
              10);
  }
  EXPECT_THAT(texts("/data/a"), ElementsAre("w0 0+100", "w0 100+8", "w0 0+4", "~w0 108+5", "w0 113+8"));
}

// Two children of a process that had the file from a shell, which was not recorded.
TEST_F(Rebuilt, WhatWasOpenBeforeTheRecordingIsSharedByAFamily) {
  for (const int how : {0, O_APPEND}) {
    const std::string name = how == 0 ? "/data/out" : "/data/log";
    const std::uint64_t shift = how == 0 ? 0 : 10'000;
    const std::uint64_t first = how == 0 ? 100 : 200;
    {
      Lane lane(run(), {.process = first, .start = 1000 + shift});
      begin(lane, first);
      lane.call("fork", 0, {}, literal(static_cast<std::int64_t>(first) + 1), 100, 10);
      lane.call("fork", 0, {}, literal(static_cast<std::int64_t>(first) + 2), 120, 10);
    }
    for (const std::uint64_t child : {1U, 2U}) {
      Lane lane(run(), {.process = first + child, .parent = first, .start = 1200 + shift});
      begin(lane, first + child);
      // It was found there at the first call.
      const std::int64_t position = child == 1 ? 20 : 30;
      lane.inherited({0, 1, 1, static_cast<std::uint32_t>(O_WRONLY | how), position, 0, 0}, name);
      lane.call("write", 0, {handle(0), absent(), literal(10)}, full(), 100 * child, 10);
      lane.call("write", 0, {handle(0), absent(), literal(3)}, full(), 100 * child + 300, 10);
    }
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 2U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("end4 0", "w4 0+10", "end5 9", "w5 10+10", "end4 19",
                                                "w4 20+3", "end5 22", "w5 23+3"));
  EXPECT_THAT(texts(made.files[1]), ElementsAre("w1 20+10", "w2 30+10", "w1 40+3", "w2 43+3"));
}

// A program that another one became, which had opened the file, gives it on to its child.
TEST_F(Rebuilt, WhatAnEarlierProgramOpenedIsGivenOn) {
  {
    Lane lane(run(), {.process = 100, .start = 1000});
    begin(lane, 100);
    lane.call("open", 0, {path("log"), flags(O_WRONLY | O_CREAT | O_EXCL | O_APPEND), literal(0644)},
              opened(0, 3), 100, 10);
    lane.call("write", 0, {handle(0), absent(), literal(5)}, full(), 150, 10);
    lane.call("execve", 0, {path("/bin/b"), text("b"), absent()}, unfinished(), 200, 0);
  }
  {
    Lane lane(run(), {.process = 100, .start = 1300});
    begin(lane, 100);
    lane.call("fork", 0, {}, literal(101), 100, 10);
  }
  {
    Lane lane(run(), {.process = 101, .parent = 100, .start = 1500});
    begin(lane, 101);
    lane.inherited(0, 3, "/data/log");
    lane.call("write", 0, {handle(0), absent(), literal(7)}, full(), 100, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_EQ(made.files[0].accesses.back().begin, 5);
  EXPECT_TRUE(made.files[0].accesses.back().at_end());
}

// It runs in its parent's memory, and what it opens is known by its number only.
TEST_F(Rebuilt, WhatAVforkedChildCutsOffIsGone) {
  {
    Lane lane(run(), {.process = 100, .start = 1000});
    begin(lane, 100);
    lane.call("open", 0, {path("a"), flags(O_RDWR | O_CREAT | O_EXCL), literal(0644)}, opened(0, 3), 100, 10);
    lane.call("write", 0, {handle(0), absent(), literal(50)}, full(), 150, 10);
    lane.call("vfork", 0, {}, column(101), 200, 250);
  }
  {
    Lane lane(run(), {.process = 101, .parent = 100, .start = 1250});
    begin(lane, 101);
    lane.call("open", 0, {path("a"), flags(O_WRONLY | O_CREAT | O_TRUNC), literal(0644)}, column(4), 50, 10);
  }
  EXPECT_THAT(texts("/data/a"), ElementsAre("w0 0+50", "end1 50", "w1 0+50"));
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
