#include "burst/shard_state.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace weir::burst {
namespace {

constexpr FileId kFile{7};

ShardState with_a_file() {
  ShardState state;
  state.apply(FileMade{kFile, "a", {}, false});
  return state;
}

Published publication(std::uint64_t version, std::vector<LogPiece> pieces) {
  return {.file = kFile,
          .node = 1,
          .client = version % 3,
          .version = version,
          .time_ns = 5,
          .pieces = std::move(pieces)};
}

std::vector<Extent> extents_of(const ExtentMap& map) {
  std::vector<Extent> all;
  map.for_each([&](Span bytes, const Place& where) { all.push_back({bytes, where}); });
  return all;
}

// What a snapshot makes again, and how many records it took.
ShardState made_again(const ShardState& state, std::size_t& records) {
  ShardState again;
  records = 0;
  state.snapshot([&](const Change& change) {
    ++records;
    again.apply(change);
  });
  return again;
}

TEST(ShardState, OfPiecesThatOverlapInOnePublicationTheLaterCounts) {
  ShardState state = with_a_file();
  state.apply(publication(1, {{10, 10, 100, 1}, {0, 15, 200, 1}}));
  const FileState& file = *state.find(kFile);
  ASSERT_EQ(file.published.size(), 2u);
  EXPECT_EQ(extents_of(file.published)[0].bytes, (Span{0, 15}));
  EXPECT_EQ(extents_of(file.published)[1].where.position, 105u);
  EXPECT_EQ(file.attributes.size, 20u);
}

TEST(ShardState, ASnapshotOfRandomPublicationsMakesTheSameState) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ShardState state = with_a_file();
    for (std::uint64_t version = 1; version <= 60; ++version) {
      std::vector<LogPiece> pieces;
      std::uint64_t at = random() % 500;
      for (std::uint64_t i = random() % 20; i > 0; --i) {
        pieces.push_back({at, 1 + random() % 20, random() % 10'000, random() % 4});
        at += random() % 40;  // in order or not
      }
      state.apply(publication(version, std::move(pieces)));
      if (random() % 4 != 0) continue;
      // As a flush does: of what was published, some is written back.
      WrittenBack done{kFile, {}};
      for (const Extent& extent : extents_of(state.find(kFile)->unflushed))
        if (random() % 2 == 0) done.extents.push_back(extent);
      state.apply(done);
    }
    std::size_t records = 0;
    const ShardState again = made_again(state, records);
    const FileState& before = *state.find(kFile);
    const FileState& after = *again.find(kFile);
    EXPECT_EQ(extents_of(before.published), extents_of(after.published));
    EXPECT_EQ(extents_of(before.unflushed), extents_of(after.unflushed));
    EXPECT_EQ(before.attributes.size, after.attributes.size);
    EXPECT_EQ(before.in_backing, after.in_backing);
  }
}

TEST(ShardState, ASnapshotKeepsTheNumberOfAPublicationThatLeftNothing) {
  ShardState state = with_a_file();
  state.apply(publication(1, {{0, 10, 0, 1}}));
  state.apply(publication(2, {{10, 10, 10, 1}}));
  state.apply(Resized{kFile, 10, 6});
  std::size_t records = 0;
  EXPECT_GT(state.find(kFile)->version, 2u);
  EXPECT_EQ(made_again(state, records).find(kFile)->version, state.find(kFile)->version);
}

TEST(ShardState, ASnapshotKeepsAllNamesOfAFile) {
  ShardState state = with_a_file();
  for (const char* const name : {"b", "c", "d"}) state.apply(NameAdded{kFile, name});
  state.apply(NameTaken{kFile, "c"});
  std::size_t records = 0;
  const ShardState again = made_again(state, records);
  EXPECT_EQ(again.find(kFile)->other_names, (std::set<std::string>{"b", "d"}));
  EXPECT_TRUE(again.find(kFile)->has_name("a"));
  EXPECT_TRUE(again.find(kFile)->has_name("d"));
  EXPECT_FALSE(again.find(kFile)->has_name("c"));
}

TEST(ShardState, ASnapshotTellsThePiecesOfAPublicationTogether) {
  ShardState state = with_a_file();
  std::vector<LogPiece> pieces;
  for (std::uint64_t i = 0; i < 100'000; ++i) pieces.push_back({i * 128, 64, i * 64, 1});
  state.apply(publication(1, std::move(pieces)));
  std::size_t records = 0;
  const ShardState again = made_again(state, records);
  EXPECT_LT(records, 100u);
  EXPECT_EQ(again.find(kFile)->published.size(), 100'000u);
  EXPECT_EQ(again.find(kFile)->unflushed.size(), 100'000u);
}

}  // namespace
}  // namespace weir::burst
