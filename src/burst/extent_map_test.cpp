#include "burst/extent_map.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace weir::burst {
namespace {

Place place(std::uint64_t client, std::uint64_t position, std::uint64_t version = 1) {
  return {.node = 0, .segment = 3, .client = client, .position = position, .version = version};
}

std::vector<Extent> extents_of(const ExtentMap& map) {
  std::vector<Extent> all;
  map.for_each([&](Span bytes, const Place& where) { all.push_back({bytes, where}); });
  return all;
}

TEST(ExtentMap, LaterWriteCutsEarlierExtent) {
  ExtentMap map;
  map.insert({0, 100}, place(1, 0));
  map.insert({40, 60}, place(2, 500));
  const std::vector<Extent> expected = {
      {{0, 40}, place(1, 0)}, {{40, 60}, place(2, 500)}, {{60, 100}, place(1, 60)}};
  EXPECT_EQ(extents_of(map), expected);
  EXPECT_EQ(map.size(), 3u);
  EXPECT_EQ(map.end(), 100u);
}

TEST(ExtentMap, RunsThatContinueInFileAndLogMerge) {
  ExtentMap map;
  map.insert({0, 10}, place(1, 0));
  map.insert({20, 30}, place(1, 20));
  EXPECT_EQ(map.size(), 2u);
  map.insert({10, 20}, place(1, 10));  // closes the gap on both sides
  EXPECT_EQ(extents_of(map), (std::vector<Extent>{{{0, 30}, place(1, 0)}}));
  map.insert({30, 40}, place(1, 31));     // the log goes on elsewhere
  map.insert({40, 50}, place(2, 41));     // another client's log
  map.insert({50, 60}, place(2, 51, 2));  // another publication
  EXPECT_EQ(map.size(), 4u);
}

TEST(ExtentMap, TheSameBytesAgainAreANoOp) {
  ExtentMap map;
  map.insert({0, 100}, place(1, 0));
  map.insert({20, 40}, place(1, 20));
  map.insert({0, 100}, place(1, 0));
  EXPECT_EQ(extents_of(map), (std::vector<Extent>{{{0, 100}, place(1, 0)}}));
}

TEST(ExtentMap, CoverMarksHolesAndMovesPlaces) {
  ExtentMap map;
  map.insert({10, 20}, place(1, 100));
  map.insert({30, 40}, place(2, 7));
  const std::vector<Piece> expected = {
      {{5, 10}, std::nullopt}, {{10, 20}, place(1, 100)}, {{20, 30}, std::nullopt}, {{30, 35}, place(2, 7)}};
  EXPECT_EQ(map.cover({5, 35}), expected);
  EXPECT_EQ(map.cover({12, 15}), (std::vector<Piece>{{{12, 15}, place(1, 102)}}));
  EXPECT_EQ(map.cover({50, 60}), (std::vector<Piece>{{{50, 60}, std::nullopt}}));
  EXPECT_TRUE(map.cover({7, 7}).empty());
  EXPECT_EQ(ExtentMap().cover({0, 1}), (std::vector<Piece>{{{0, 1}, std::nullopt}}));
}

TEST(ExtentMap, EraseLeavesBothSides) {
  ExtentMap map;
  map.insert({0, 100}, place(1, 0));
  map.erase({40, 60});
  EXPECT_EQ(extents_of(map), (std::vector<Extent>{{{0, 40}, place(1, 0)}, {{60, 100}, place(1, 60)}}));
  map.erase({0, 1000});
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.end(), 0u);
  map.erase({0, 10});
  map.insert({5, 6}, place(1, 0));
  EXPECT_EQ(map.size(), 1u);
}

TEST(ExtentMap, OffsetsNearTheEndOfAFileWork) {
  const std::uint64_t last = (std::uint64_t{1} << 63) - 1;
  ExtentMap map;
  map.insert({last - 10, last}, place(1, 0));
  map.insert({last - 5, last}, place(2, 0));
  map.insert({0, 1}, place(3, 0));
  EXPECT_EQ(map.end(), last);
  EXPECT_EQ(map.cover({last - 10, last}).size(), 2u);
}

TEST(ExtentMap, ASequentialWriterIsOneExtent) {
  ExtentMap map;
  for (std::uint64_t i = 0; i < 10'000; ++i) map.insert({i * 4096, (i + 1) * 4096}, place(1, i * 4096));
  EXPECT_EQ(map.size(), 1u);
}

TEST(ExtentMap, CopiesAndMovesAreIndependent) {
  ExtentMap map;
  map.insert({0, 10}, place(1, 0));
  ExtentMap copy = map;
  map.insert({10, 20}, place(1, 10));
  EXPECT_EQ(copy.end(), 10u);
  copy.insert({10, 12}, place(9, 0));
  ExtentMap moved = std::move(copy);
  EXPECT_EQ(moved.end(), 12u);
  EXPECT_EQ(map.end(), 20u);
  moved.clear();
  EXPECT_TRUE(moved.empty());
}

TEST(ExtentMap, InOrderRefusesWhatOverlapsOrIsEmpty) {
  const Place any;
  EXPECT_TRUE(ExtentMap::in_order({}));
  EXPECT_TRUE(ExtentMap::in_order(std::vector<Extent>{{{0, 5}, any}, {{5, 6}, any}}));
  EXPECT_FALSE(ExtentMap::in_order(std::vector<Extent>{{{0, 5}, any}, {{4, 6}, any}}));
  EXPECT_FALSE(ExtentMap::in_order(std::vector<Extent>{{{5, 6}, any}, {{0, 5}, any}}));
  EXPECT_FALSE(ExtentMap::in_order(std::vector<Extent>{{{5, 5}, any}}));
}

// The map against one place per byte, in which merging is what continues() says of neighbouring bytes.
class ByteArray {
 public:
  explicit ByteArray(std::size_t size) : bytes_(size) {}
  void insert(Span span, const Place& where) {
    for (std::uint64_t i = span.begin; i < span.end; ++i) bytes_[i] = where.at(i - span.begin);
  }
  void erase(Span span) {
    std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(span.begin),
              bytes_.begin() + static_cast<std::ptrdiff_t>(span.end), std::nullopt);
  }
  std::vector<Piece> cover(Span span) const {
    std::vector<Piece> pieces;
    for (std::uint64_t i = span.begin; i < span.end; ++i) {
      const auto& here = bytes_[i];
      if (!pieces.empty() && pieces.back().where.has_value() == here.has_value() &&
          (!here || pieces.back().where->at(i - pieces.back().bytes.begin) == *here))
        pieces.back().bytes.end = i + 1;
      else
        pieces.push_back({{i, i + 1}, here});
    }
    return pieces;
  }

 private:
  std::vector<std::optional<Place>> bytes_;
};

struct Shape {
  std::uint64_t file, longest, clients, steps;
};

Place random_place(Random& random, const Shape& shape, Span bytes) {
  // Half of the places are those of one log as long as the file, so that neighbours often continue each
  // other.
  const std::uint64_t position = random.below(2) == 0 ? bytes.begin : random.below(50);
  return place(1 + random.below(shape.clients), position, 1 + random.below(2));
}

void same_as_byte_array(std::uint64_t seed, const Shape& shape) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  ExtentMap map;
  ByteArray reference(shape.file);
  const auto random_span = [&] {
    const std::uint64_t begin = random.below(shape.file);
    return Span{begin, std::min(shape.file, begin + 1 + random.below(shape.longest))};
  };
  Span last{0, 0};
  Place last_place;
  for (std::uint64_t step = 0; step < shape.steps; ++step) {
    const std::uint64_t what = random.below(20);
    if (what == 0) {
      const Span bytes{random_span().begin, shape.file};
      const Span some{bytes.begin, std::min(bytes.end, bytes.begin + random.below(10 * shape.longest))};
      map.erase(some);
      reference.erase(some);
    } else if (what == 1) {
      std::vector<Extent> many;
      for (std::uint64_t at = random.below(shape.file); at < shape.file && many.size() < 400;) {
        const Span bytes{at, std::min(shape.file, at + 1 + random.below(shape.longest))};
        many.push_back({bytes, random_place(random, shape, bytes)});
        reference.insert(bytes, many.back().where);
        at = bytes.end + random.below(shape.longest);
      }
      map.insert(many);
    } else if (what < 6 && last.end < shape.file) {  // goes on where it was
      const Span bytes{last.end, std::min(shape.file, last.end + 1 + random.below(shape.longest))};
      last_place = last_place.at(last.size());
      last = bytes;
      map.insert(bytes, last_place);
      reference.insert(bytes, last_place);
    } else {
      last = random_span();
      last_place = random_place(random, shape, last);
      map.insert(last, last_place);
      reference.insert(last, last_place);
    }
    const Span asked = random_span();
    ASSERT_EQ(map.cover(asked), reference.cover(asked)) << "step " << step;
  }
  const std::vector<Piece> whole = reference.cover({0, shape.file});
  ASSERT_EQ(map.cover({0, shape.file}), whole);
  ASSERT_EQ(map.size(),
            static_cast<std::size_t>(std::count_if(
                whole.begin(), whole.end(), [](const Piece& piece) { return piece.where.has_value(); })));
}

TEST(ExtentMap, AgreesWithAByteArray) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed)
    same_as_byte_array(seed, {.file = 200, .longest = 20, .clients = 2, .steps = 400});
  // Many small extents: several chunks, which split, empty and join.
  for (std::uint64_t seed = 1; seed <= 15; ++seed)
    same_as_byte_array(seed, {.file = 6000, .longest = 8, .clients = 5, .steps = 3000});
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    same_as_byte_array(seed, {.file = 6000, .longest = 600, .clients = 3, .steps = 2000});
}

TEST(ExtentMap, BulkInsertGivesWhatSingleInsertsGive) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ExtentMap one_by_one;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t begin = random.below(100'000);
      one_by_one.insert({begin, begin + 1 + random.below(60)},
                        place(1 + random.below(3), random.below(1000)));
    }
    ExtentMap at_once = one_by_one;
    std::vector<Extent> many;
    for (std::uint64_t at = random.below(20); at < 110'000; at += 40 + random.below(seed * 100))
      many.push_back({{at, at + 1 + random.below(40)}, place(7, at)});
    for (const Extent& extent : many) one_by_one.insert(extent.bytes, extent.where);
    at_once.insert(many);
    EXPECT_EQ(extents_of(at_once), extents_of(one_by_one));
    EXPECT_EQ(at_once.size(), one_by_one.size());
  }
}

}  // namespace
}  // namespace weir::burst
