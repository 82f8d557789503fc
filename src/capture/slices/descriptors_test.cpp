#include "capture/slices/descriptors.hpp"

#include <gtest/gtest.h>

namespace weir::capture {
namespace {

TEST(Descriptor, AppendingIsOneGo) {
  Descriptor file;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(file.wrote(-1, 100));
  EXPECT_TRUE(file.in_one_go());
  EXPECT_EQ(file.bytes(), 500U);
  EXPECT_EQ(file.writes(), 5U);
  EXPECT_FALSE(file.jumped());
}

TEST(Descriptor, WritingAtTheBeginningAgainIsAJump) {
  Descriptor file;
  EXPECT_FALSE(file.wrote(-1, 100)) << "the first begins by itself";
  for (int i = 0; i < 4; ++i) {
    file.sought(0);
    EXPECT_TRUE(file.wrote(-1, 100));
  }
  EXPECT_FALSE(file.in_one_go());
}

TEST(Descriptor, PositionedWritesDoNotMoveThePosition) {
  Descriptor file;
  EXPECT_FALSE(file.wrote(4096, 100));
  EXPECT_FALSE(file.wrote(4196, 100)) << "goes on where the last ended";
  EXPECT_TRUE(file.wrote(0, 100));
  EXPECT_EQ(file.position(), 0);
  EXPECT_TRUE(file.jumped());
}

TEST(Descriptor, AReadBetweenWritesIsAJump) {
  Descriptor file;
  EXPECT_FALSE(file.wrote(-1, 10));
  file.read(5);
  EXPECT_TRUE(file.wrote(-1, 10));
}

TEST(Descriptor, OneHeaderAmongManyWritesIsStillOneGo) {
  Descriptor file;
  for (int i = 0; i < 20; ++i) file.wrote(-1, 100);
  EXPECT_TRUE(file.wrote(0, 16));
  EXPECT_TRUE(file.in_one_go());
}

TEST(Descriptor, AFlushCountsTheWriteBeforeItOnce) {
  Descriptor file;
  file.wrote(-1, 10);
  file.wrote(-1, 30);
  EXPECT_EQ(file.flushed(), 30U);
  EXPECT_EQ(file.flushed(), 0U);
}

TEST(Descriptor, ForgottenIsNew) {
  Descriptor file;
  file.is(Descriptor::file);
  file.wrote(-1, 10);
  file.wrote(0, 10);
  file.forget();
  EXPECT_EQ(file.kind(), Descriptor::unknown);
  EXPECT_EQ(file.writes(), 0U);
  EXPECT_FALSE(file.jumped());
  EXPECT_FALSE(file.wrote(500, 10));
}

}  // namespace
}  // namespace weir::capture
