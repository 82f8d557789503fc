#include "burst/client/read_ahead.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace weir::burst {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Reads of `piece` bytes from `begin` on, to the end of a file of `size` bytes.
bool reads_whole(ReadAhead& ahead, std::uint64_t begin, std::uint64_t size, std::uint64_t piece) {
  for (; begin < size; begin += piece) ahead.after({begin, std::min(begin + piece, size)}, size);
  return ahead.has_read_whole();
}

TEST(ReadAhead, LargePiecesInOrderHaveTheNextOnesMappedAndEachByteOnce) {
  constexpr std::uint64_t kSize = 40 * kMiB;
  ReadAhead ahead;
  std::uint64_t mapped = kMiB;  // the second half of the first piece
  for (std::uint64_t at = 0; at < kSize; at += 2 * kMiB) {
    const Span next = ahead.after({at, at + 2 * kMiB}, kSize);
    if (next.empty()) continue;
    EXPECT_EQ(next.begin, mapped);
    mapped = next.end;
    ahead.mapped_until(next.end);
    EXPECT_GE(mapped, std::min(kSize, at + 10 * kMiB));
    EXPECT_LE(mapped, at + 18 * kMiB);
  }
  EXPECT_EQ(mapped, kSize);
}

TEST(ReadAhead, SmallPiecesAndThoseOutOfOrderHaveNothingMapped) {
  ReadAhead small;
  for (std::uint64_t at = 0; at < 4 * kMiB; at += 4096)
    ASSERT_TRUE(small.after({at, at + 4096}, 4 * kMiB).empty());
  ReadAhead backwards;
  backwards.after({38 * kMiB, 40 * kMiB}, 40 * kMiB);
  for (std::uint64_t at = 36 * kMiB; at > 0; at -= 2 * kMiB)
    ASSERT_TRUE(backwards.after({at, at + 2 * kMiB}, 40 * kMiB).empty());
}

TEST(ReadAhead, GoesOnWhereMappingStopped) {
  ReadAhead ahead;
  ASSERT_EQ(ahead.after({0, 2 * kMiB}, 40 * kMiB), (Span{kMiB, 18 * kMiB}));
  ahead.mapped_until(3 * kMiB);
  EXPECT_EQ(ahead.after({2 * kMiB, 4 * kMiB}, 40 * kMiB), (Span{3 * kMiB, 20 * kMiB}));
}

TEST(ReadAhead, PiecesOfAnyLengthReachNoFartherThanItsLimit) {
  for (const std::uint64_t length : {kMiB << 8, std::uint64_t{1} << 61, std::uint64_t{1} << 62}) {
    ReadAhead ahead;
    constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(ahead.after({0, length}, kLongest), (Span{length / 2, length + ReadAhead::kFarthest}));
  }
}

TEST(ReadAhead, AFileIsReadWholeInLargePiecesFromItsBeginning) {
  ReadAhead ahead;
  EXPECT_TRUE(reads_whole(ahead, 0, 6 * kMiB, 2 * kMiB));
  EXPECT_TRUE(reads_whole(ahead, 0, 6 * kMiB + 1, 2 * kMiB));  // the last one is short
  EXPECT_TRUE(reads_whole(ahead, 0, kMiB, kMiB));
  EXPECT_TRUE(reads_whole(ahead, 0, 3 * kMiB, 8 * kMiB));  // in one piece
  EXPECT_FALSE(reads_whole(ahead, 2 * kMiB, 6 * kMiB + 1, 3 * kMiB));
  EXPECT_FALSE(reads_whole(ahead, 0, 6 * kMiB, 4096));
  EXPECT_FALSE(reads_whole(ahead, 0, 4096, 4096));
}

TEST(ReadAhead, ALogIsNotReadWholeHoweverOftenItsEndIsReached) {
  ReadAhead ahead;
  for (std::uint64_t size = 100'000; size < 4 * kMiB; size += 100'000) {
    ahead.after({size - 100'000, size}, size);
    ASSERT_FALSE(ahead.has_read_whole()) << size;
  }
}

TEST(ReadAhead, AtOpenTheBeginningIsMappedOfWhatIsNotSmall) {
  EXPECT_TRUE(ReadAhead::at_open(kMiB - 1).empty());
  EXPECT_EQ(ReadAhead::at_open(3 * kMiB), (Span{0, 3 * kMiB}));
  EXPECT_EQ(ReadAhead::at_open(kMiB << 20), (Span{0, ReadAhead::kAtOpen}));
}

}  // namespace
}  // namespace weir::burst
