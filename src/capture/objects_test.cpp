#include "capture/objects.hpp"

#include <gtest/gtest.h>

#include "capture/requests.hpp"

namespace weir::capture {
namespace {

TEST(Objects, EachKindCountsForItself) {
  Objects objects;
  ASSERT_TRUE(objects.start());
  EXPECT_EQ(objects.add(Role::datatype, 0x10).id, 0U);
  EXPECT_EQ(objects.add(Role::datatype, 0x20).id, 1U);
  EXPECT_EQ(objects.add(Role::group, 0x10).id, 0U);
  EXPECT_EQ(objects.find(Role::datatype, 0x20).id, 1U);
  EXPECT_FALSE(objects.find(Role::window, 0x20).used);
}

TEST(Objects, TheLowestNumberThatIsFreeComesNext) {
  Objects objects;
  ASSERT_TRUE(objects.start());
  for (std::uint64_t bits = 1; bits <= 100; ++bits) objects.add(Role::info, bits);
  objects.remove(Role::info, 8);
  objects.remove(Role::info, 4);
  EXPECT_EQ(objects.add(Role::info, 1000).id, 3U);
  EXPECT_EQ(objects.add(Role::info, 1001).id, 7U);
  EXPECT_EQ(objects.add(Role::info, 1002).id, 100U);
}

TEST(Objects, AHandleThatComesAgainIsANewObject) {
  Objects objects;
  ASSERT_TRUE(objects.start());
  EXPECT_EQ(objects.add(Role::datatype, 5).id, 0U);
  EXPECT_EQ(objects.add(Role::datatype, 5).id, 0U);  // freed unseen
  EXPECT_EQ(objects.add(Role::datatype, 6).id, 1U);
}

TEST(Objects, PredefinedOnesHaveNamesAndStay) {
  Objects objects;
  ASSERT_TRUE(objects.start());
  objects.predefine(Role::communicator, 1, "MPI_COMM_WORLD", 3);
  objects.predefine(Role::communicator, 2, "");
  objects.remove(Role::communicator, 1);
  EXPECT_STREQ(objects.find(Role::communicator, 1).name, "MPI_COMM_WORLD");
  EXPECT_EQ(objects.find(Role::communicator, 1).rank, 3);
  EXPECT_TRUE(objects.find(Role::communicator, 2).is_null());
}

TEST(Objects, CommunicatorsAreNeverCalledAlike) {
  Objects objects;
  ASSERT_TRUE(objects.start());
  objects.add_communicator(10, 7, 0, false);
  EXPECT_EQ(objects.reserve_communicator(), 8U);
  objects.remove(Role::communicator, 10);
  EXPECT_EQ(objects.reserve_communicator(), 9U);
  EXPECT_EQ(objects.add(Role::communicator, 11).id, 10U);
}

// Removal closes the gap in the table: nothing behind it may get lost, whatever the places clash.
TEST(Objects, ManyComeAndGo) {
  Objects objects;
  ASSERT_TRUE(objects.start());
  constexpr std::uint64_t kMany = 20000;
  for (std::uint64_t i = 0; i < kMany; ++i) objects.add(Role::group, i * 64);
  for (std::uint64_t i = 0; i < kMany; i += 3) objects.remove(Role::group, i * 64);
  for (std::uint64_t i = 0; i < kMany; ++i)
    EXPECT_EQ(objects.find(Role::group, i * 64).used, i % 3 != 0) << i;
}

TEST(Requests, NumbersDoNotDependOnWhoCompletesFirst) {
  Requests requests;
  ASSERT_TRUE(requests.start());
  constexpr std::uint64_t kSend = 1111;
  constexpr std::uint64_t kReceive = 2222;
  for (int round = 0; round < 3; ++round) {
    const auto send = requests.add(0x100, kSend, false, false);
    const auto receive = requests.add(0x200, kReceive, true, false);
    EXPECT_EQ(send.id, 0U);
    EXPECT_EQ(receive.id, Requests::kPerPool);
    requests.remove(round % 2 == 0 ? send : receive);
    requests.remove(round % 2 == 0 ? receive : send);
  }
}

TEST(Requests, OneHandleForSeveralMeansTheOldest) {
  Requests requests;
  ASSERT_TRUE(requests.start());
  const auto first = requests.add(0x100, 1, false, false);
  const auto second = requests.add(0x100, 2, false, false);
  EXPECT_TRUE(requests.find(0x100).shared);
  EXPECT_EQ(requests.find(0x100).id, first.id);
  EXPECT_EQ(requests.find(0x100, 1).id, second.id);
  EXPECT_FALSE(requests.find(0x100, 2).known());
  requests.remove(requests.find(0x100));
  EXPECT_EQ(requests.find(0x100).id, second.id);
  EXPECT_FALSE(requests.find(0x100).shared);
}

}  // namespace
}  // namespace weir::capture
