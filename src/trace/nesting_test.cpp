#include "trace/nesting.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace weir::trace {
namespace {

struct One {
  std::size_t function;
  std::uint32_t depth;
};

Nesting of(const std::vector<One>& records, std::size_t begin, std::size_t end) {
  Nesting made;
  for (std::size_t i = begin; i < end; ++i)
    made.add(records[i].function, records[i].depth, {1, 10 + records[i].function, 100});
  return made;
}

std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> counts(const Nesting& nesting) {
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> made;
  for (const auto& [pair, inside] : nesting.pairs()) made[pair] = inside.calls;
  return made;
}

// A call tree written in the order in which calls end.
void write_tree(std::mt19937& random, std::uint32_t depth, std::vector<One>& out,
                std::map<std::pair<std::size_t, std::size_t>, std::uint64_t>& expected, std::size_t caller) {
  const std::size_t function = random() % 5;
  if (depth > 0) ++expected[{caller, function}];
  if (depth < 4)
    for (std::uint32_t children = random() % 4; children > 0; --children)
      write_tree(random, depth + 1, out, expected, function);
  out.push_back({function, depth});
}

TEST(Nesting, CallsInsideBelongToTheNextOneAbove) {
  // write inside MPI_File_write inside H5Dwrite, then a bare write.
  const std::vector<One> records = {{0, 2}, {0, 2}, {1, 1}, {2, 0}, {0, 0}};
  const std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> expected = {{{1, 0}, 2}, {{2, 1}, 1}};
  EXPECT_EQ(counts(of(records, 0, records.size())), expected);
}

TEST(Nesting, PiecesJoinedTellTheSameAsTheWhole) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<One> records;
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> expected;
    for (int trees = 0; trees < 5; ++trees) write_tree(random, 0, records, expected, 0);
    Nesting joined;
    std::size_t begin = 0;
    while (begin < records.size()) {
      const std::size_t end = std::min(records.size(), begin + 1 + random() % 7);
      joined.join(of(records, begin, end));
      begin = end;
    }
    EXPECT_EQ(counts(joined), expected) << "round " << round;
    EXPECT_EQ(counts(of(records, 0, records.size())), expected) << "round " << round;
  }
}

TEST(Nesting, ACallCountsForTheNearestRecordedOneAbove) {
  const std::vector<One> records = {{0, 2}, {1, 0}};  // the one between was not recorded
  const std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> expected = {{{1, 0}, 1}};
  EXPECT_EQ(counts(of(records, 0, 2)), expected);
  Nesting joined = of(records, 0, 1);
  joined.join(of(records, 1, 2));
  EXPECT_EQ(counts(joined), expected);
}

}  // namespace
}  // namespace weir::trace
