#include "capture/handles.hpp"

#include <gtest/gtest.h>

namespace weir::capture {
namespace {

class OpenHandles : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(handles_.start()); }
  Handles handles_;
};

TEST_F(OpenHandles, IdsAreTheLowestFree) {
  const Handle a = handles_.open(50, false);
  const Handle b = handles_.open(7, false);
  const Handle c = handles_.open(9000, true);
  EXPECT_EQ(a.id, 0U);
  EXPECT_EQ(b.id, 1U);
  EXPECT_EQ(c.id, 2U);
  EXPECT_TRUE(handles_.find(9000).ignored);
  EXPECT_FALSE(handles_.find(7).ignored);
  handles_.close(7, b);
  EXPECT_FALSE(handles_.find(7).known());
  EXPECT_EQ(handles_.open(60, false).id, 1U);
  EXPECT_EQ(handles_.open(61, false).id, 3U);
}

TEST_F(OpenHandles, OneIdInTwoLivesHasTwoGenerations) {
  const Handle first = handles_.open(5, false);
  handles_.close(5, first);
  const Handle second = handles_.open(5, false);
  EXPECT_EQ(first.id, second.id);
  EXPECT_NE(first.generation, second.generation);
  EXPECT_EQ(handles_.find(5).generation, second.generation);
}

TEST_F(OpenHandles, CloseForgetsOnlyWhatItWasAskedToForget) {
  const Handle first = handles_.open(5, false);
  Handle replaced;
  const Handle second = handles_.open(5, false, &replaced);
  EXPECT_EQ(replaced.packed(), first.packed());
  handles_.close(5, first);  // late: another thread has the descriptor by now
  EXPECT_EQ(handles_.find(5).packed(), second.packed());
  handles_.close(5, {});
  EXPECT_TRUE(handles_.find(5).known());
  handles_.close(5, second);
  EXPECT_FALSE(handles_.find(5).known());
}

TEST_F(OpenHandles, DescriptorsOutOfRangeAreNotKnown) {
  for (const int descriptor : {-1, Handles::kDescriptors, INT32_MAX, INT32_MIN}) {
    EXPECT_FALSE(handles_.open(descriptor, false).known());
    EXPECT_FALSE(handles_.find(descriptor).known());
    handles_.close(descriptor, {1, 1, false});
  }
  EXPECT_TRUE(handles_.open(Handles::kDescriptors - 1, false).known());
}

TEST_F(OpenHandles, ARangeIsForgottenAtOnce) {
  for (int i = 3; i < 10; ++i) handles_.open(i, false);
  handles_.close_range(5, 7);
  for (int i = 3; i < 10; ++i) EXPECT_EQ(handles_.find(i).known(), i < 5 || i > 7) << i;
  EXPECT_EQ(handles_.open(100, false).id, 2U) << "the ids are free again";
  handles_.close_range(4, ~0U);
  EXPECT_TRUE(handles_.find(3).known());
  EXPECT_FALSE(handles_.find(100).known());
  handles_.close_range(8, 2);  // nothing
  EXPECT_TRUE(handles_.find(3).known());
}

TEST_F(OpenHandles, PointersAreHandlesToo) {
  int some[3] = {};
  EXPECT_FALSE(handles_.find(&some[0]).known());
  const Handle stream = handles_.open(static_cast<const void*>(&some[0]), false);
  EXPECT_EQ(stream.id, 0U);
  EXPECT_EQ(handles_.find(&some[0]).packed(), stream.packed());
  EXPECT_FALSE(handles_.find(&some[1]).known());
  handles_.close(static_cast<const void*>(&some[1]), stream);
  handles_.close(static_cast<const void*>(&some[0]), stream);
  EXPECT_FALSE(handles_.find(&some[0]).known());
  const Handle again = handles_.open(static_cast<const void*>(&some[0]), true);
  EXPECT_EQ(again.id, 0U);
  EXPECT_TRUE(handles_.find(&some[0]).ignored);
  handles_.close(static_cast<const void*>(&some[0]), stream);  // of the one before
  EXPECT_TRUE(handles_.find(&some[0]).known());
}

TEST_F(OpenHandles, MorePointersThanThereIsRoomForGoUnnoticed) {
  std::size_t known = 0;
  for (std::uintptr_t i = 1; i <= 40'000; ++i)
    if (handles_.open(reinterpret_cast<const void*>(i << 4), false).known()) ++known;
  EXPECT_EQ(known, 32'768U);
  for (std::uintptr_t i = 1; i <= known; ++i)
    ASSERT_EQ(handles_.find(reinterpret_cast<const void*>(i << 4)).id, i - 1);
  EXPECT_FALSE(handles_.find(reinterpret_cast<const void*>(std::uintptr_t{40'000} << 4)).known());
}

TEST(Handle, IsPackedIntoAWord) {
  const Handle one{0xffffffff, Handle::kIds - 1, true};
  const Handle back = Handle::unpacked(one.packed());
  EXPECT_EQ(back.generation, one.generation);
  EXPECT_EQ(back.id, one.id);
  EXPECT_TRUE(back.ignored);
  EXPECT_FALSE(Handle::unpacked(0).known());
}

}  // namespace
}  // namespace weir::capture
