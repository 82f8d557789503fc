#include "trace/bytes_inside.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace weir::trace {
namespace {

struct One {
  std::size_t function;
  std::uint32_t depth;
  std::uint64_t written;
};

BytesInside of(const std::vector<One>& records, std::size_t begin, std::size_t end) {
  BytesInside made;
  for (std::size_t i = begin; i < end; ++i)
    made.add(records[i].function, records[i].depth, {0, records[i].written});
  return made;
}

std::map<std::size_t, std::uint64_t> written(const BytesInside& inside) {
  std::map<std::size_t, std::uint64_t> made;
  for (const auto& [function, bytes] : inside.functions()) made[function] = bytes.written;
  return made;
}

TEST(BytesInside, EveryCallAboveHasThem) {
  // Two pwrites inside MPI_File_write (1) inside H5Dwrite (2), one straight inside H5Dwrite, then a bare one.
  const std::vector<One> records = {{0, 2, 10}, {0, 2, 20}, {1, 1, 0}, {0, 1, 5}, {2, 0, 0}, {0, 0, 7}};
  const std::map<std::size_t, std::uint64_t> expected = {{1, 30}, {2, 35}};
  EXPECT_EQ(written(of(records, 0, records.size())), expected);
}

TEST(BytesInside, ACallThatWasNotRecordedIsPassedOver) {
  const std::vector<One> records = {{0, 2, 10}, {2, 0, 0}, {1, 1, 0}, {2, 0, 0}};
  const std::map<std::size_t, std::uint64_t> expected = {{2, 10}};
  EXPECT_EQ(written(of(records, 0, records.size())), expected);
}

TEST(BytesInside, PiecesJoinedTellTheSameAsTheWhole) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<One> records;
    for (int i = 0; i < 40; ++i)
      records.push_back({random() % 5, static_cast<std::uint32_t>(random() % 4), random() % 3 * 10});
    BytesInside joined;
    for (std::size_t begin = 0; begin < records.size();) {
      const std::size_t end = std::min(records.size(), begin + 1 + random() % 7);
      joined.join(of(records, begin, end));
      begin = end;
    }
    ASSERT_EQ(written(joined), written(of(records, 0, records.size()))) << "round " << round;
  }
}

}  // namespace
}  // namespace weir::trace
