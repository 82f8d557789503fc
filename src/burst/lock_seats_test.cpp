#include "burst/lock_seats.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"

namespace weir::burst {
namespace {

constexpr FileId kFile{1};
constexpr std::uint64_t kAllTickets = std::numeric_limits<std::uint64_t>::max();

// What a client maps.
struct Mapped {
  explicit Mapped(const Seat& seat)
      : memory(std::move(*SharedMemory::open(seat.ring))), ring(*open_ring_of(memory.bytes())) {}

  SharedMemory memory;
  lock::DirtyRing ring;
};

lock::DirtyRecord record_of(std::uint64_t begin, std::uint64_t length) {
  return {.file = kFile.value, .begin = begin, .length = length, .segment = 1, .position = 0, .ticket = 1};
}

struct Seats : testing::Test {
  ScratchDir scratch;
  LockSeats seats{scratch.path() / "locks", {1, 1}, {0, 0}};
};

TEST_F(Seats, RecordsThatNoFileCanHaveAreNotSentWithOthers) {
  constexpr std::uint64_t kBeyond = std::uint64_t{1} << 63;
  Mapped good(seats.take(7).body);
  Mapped bad(seats.take(8).body);
  EXPECT_TRUE(bad.ring.push(record_of(kBeyond, 1)));
  EXPECT_TRUE(bad.ring.push(record_of(kBeyond - 1, 2)));
  EXPECT_TRUE(bad.ring.push(record_of(0, 0)));
  EXPECT_TRUE(good.ring.push(record_of(0, 10)));
  const auto taken = seats.take_dirty(kFile, kAllTickets, 100);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].client, 7u);
  seats.retire(taken);
  EXPECT_FALSE(seats.is_dirty(7));
  EXPECT_FALSE(seats.is_dirty(8));
}

// Sets what the client counts its records by.
void set_head(Mapped& client, std::uint64_t head) {
  const std::vector<std::byte> before(client.memory.bytes().begin(), client.memory.bytes().end());
  EXPECT_TRUE(client.ring.push(record_of(0, 1)));
  const auto changed =
      std::mismatch(before.begin(), before.end(), client.memory.bytes().begin()).first - before.begin();
  std::memcpy(client.memory.bytes().data() + changed / 8 * 8, &head, sizeof head);
}

TEST_F(Seats, ARingThatCountsNonsenseIsLookedAtOnce) {
  for (const std::uint64_t head :
       {std::uint64_t{1} << 60, std::numeric_limits<std::uint64_t>::max(), std::uint64_t{0}}) {
    Mapped bad(seats.take(8).body);
    set_head(bad, head);
    const auto taken = seats.take_dirty(kFile, kAllTickets, 100);
    seats.retire(taken);
    EXPECT_LE(taken.size(), 1u);
    EXPECT_FALSE(seats.is_dirty(8));
    seats.remove(8);
  }
  Mapped good(seats.take(7).body);
  EXPECT_TRUE(good.ring.push(record_of(0, 10)));
  EXPECT_EQ(seats.take_dirty(kFile, kAllTickets, 100).size(), 1u);
}

}  // namespace
}  // namespace weir::burst
