// What streams read and write, and when it takes effect.
#include <cerrno>

#include <fcntl.h>

#include "semantics/rebuilt_test.hpp"

namespace weir::semantics {
namespace {

using namespace trace::made;
using testing::ElementsAre;

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
  EXPECT_THAT(texts(made.files[0]), ElementsAre("~w0 0+32", "~w0 32+6", "r0 28+10", "r0 0+4", "?r0 4+4096"));
  const auto& syncs = made.files[0].members[0].syncs;
  ASSERT_EQ(syncs.size(), 4U);  // fopen, two seeks, fclose
  EXPECT_EQ(syncs[0].operations, consistency::Operations{consistency::Operation::fopen}.bits());
  EXPECT_EQ(syncs[3].operations,
            consistency::Operations{consistency::Operation::fclose}.bits() | SyncPoint::kFlushes);
}

TEST_F(Rebuilt, AStreamThatIsReadToItsEndAskedForMore) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("fopen", 0, {path("s"), text("r")}, opened(0, 3), 100, 10);
    lane.call("fread", 0, {absent(), literal(8), literal(1000), handle(0)}, literal(10), 200, 10);
    lane.call("fgetc", 0, {handle(0)}, failed(0), 300, 10);
    lane.call("fputc", 0, {absent(), handle(0)}, failed(EBADF), 400, 10);
    lane.call("fopen", 0, {path("s"), text("w")}, opened(1, 4), 500, 10);
    lane.call("fgetc", 0, {handle(1)}, failed(EBADF), 600, 10);
  }
  EXPECT_THAT(texts("/data/s"), ElementsAre("r0 0+80", "?r0 80+7920", "?r0 80+4096", "w0 0+80"));
}

TEST_F(Rebuilt, WordsAndLinesOfStreamsMoveThePosition) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("fopen", 0, {path("s"), text("w+")}, opened(0, 3), 100, 10);
    lane.call("putw", 0, {literal(7), handle(0)}, literal(0), 200, 10);
    lane.call("fputs", 0, {literal(0), handle(0)}, literal(1), 300, 10);  // of nothing
    lane.call("fwrite", 0, {absent(), literal(1), literal(5), handle(0)}, full(), 400, 10);
    lane.call("rewind", 0, {handle(0)}, absent(), 500, 10);
    lane.call("getw", 0, {handle(0)}, literal(7), 600, 10);
    lane.call("dup2", 0, {handle(0), literal(1)}, opened(1, 1), 700, 10);
    lane.call("puts", 0, {literal(9)}, literal(10), 800, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("~w0 0+4", "~w0 4+5", "r0 0+4", "~w0 4+10"));
  EXPECT_FALSE(made.files[0].guessed);
}

// putc_unlocked is in the program itself: what it calls when the buffer is full is all that is seen.
TEST_F(Rebuilt, ABufferThatTheProgramFillsItselfIsABlockEachTime) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("fopen", 0, {path("s"), text("w+")}, opened(0, 3), 100, 10);
    lane.call("__overflow", 0, {handle(0), absent()}, absent(), 200, 10);
    lane.call("__overflow", 0, {handle(0), absent()}, absent(), 300, 10);
    lane.call("rewind", 0, {handle(0)}, absent(), 400, 10);
    lane.call("__uflow", 0, {handle(0)}, absent(), 500, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("~w0 0+4096", "~w0 4096+4096", "r0 0+4096"));
  EXPECT_TRUE(made.files[0].guessed);
}

TEST_F(Rebuilt, WideCharactersAreGuessedToBeOneByteEach) {
  {
    Lane lane(run(), {.process = 100});
    begin(lane, 100);
    lane.call("fopen", 0, {path("s"), text("w+")}, opened(0, 3), 100, 10);
    lane.call("fputws", 0, {literal(6), handle(0)}, literal(1), 200, 10);
    lane.call("fwprintf", 0, {handle(0), absent(), absent()}, literal(4), 300, 10);
    lane.call("rewind", 0, {handle(0)}, absent(), 400, 10);
    lane.call("fgetwc", 0, {handle(0)}, absent(), 500, 10);
    lane.call("ungetwc", 0, {absent(), handle(0)}, absent(), 600, 10);
    lane.call("fwscanf", 0, {handle(0), absent(), absent()}, literal(2), 700, 10);
    lane.call("dup2", 0, {handle(0), literal(2)}, opened(1, 2), 800, 10);
    lane.call("perror", 0, {literal(3)}, absent(), 900, 10);
  }
  const Accesses& made = rebuilt();
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(texts(made.files[0]), ElementsAre("~w0 0+6", "~w0 6+4", "r0 0+1", "r0 0+4096", "w0 0+3"));
  EXPECT_TRUE(made.files[0].guessed);
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

}  // namespace
}  // namespace weir::semantics
