#include "trace/columns.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace weir::trace {
namespace {

std::vector<std::int64_t> round_trip(const std::vector<std::int64_t>& values, std::size_t* bytes = nullptr) {
  ByteWriter out;
  put_numbers(out, values);
  if (bytes != nullptr) *bytes = out.size();
  ByteReader in(out.view());
  const auto taken = take_numbers(in, values.size());
  EXPECT_TRUE(taken.has_value()) << taken.error().text();
  EXPECT_TRUE(in.at_end());
  return taken.value_or(std::vector<std::int64_t>());
}

TEST(Numbers, ComeBack) {
  for (const std::vector<std::int64_t>& values : {std::vector<std::int64_t>{},
                                                  {0},
                                                  {-1},
                                                  {INT64_MIN},
                                                  {INT64_MAX},
                                                  {INT64_MIN, INT64_MAX},
                                                  {INT64_MAX, INT64_MIN, 0, -1, 1},
                                                  {5, 5, 5},
                                                  {INT64_MIN, INT64_MIN},
                                                  {0, 255, 256, 65535, 65536}})
    EXPECT_EQ(round_trip(values), values);
}

TEST(Numbers, RandomOnesComeBackAtAnyWidth) {
  constexpr std::uint64_t seed = 91;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  for (unsigned bits = 1; bits <= 64; ++bits) {
    std::vector<std::int64_t> values(1 + random.below(500));
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() >> (64 - bits)) - 77;
    ASSERT_EQ(round_trip(values), values) << bits << " bits";
  }
}

TEST(Numbers, RegularOnesAreShort) {
  std::size_t bytes = 0;
  round_trip(std::vector<std::int64_t>(100'000, INT64_MIN), &bytes);
  EXPECT_LE(bytes, 11U) << "a constant is a layout and a number";
  std::vector<std::int64_t> even(100'000);
  for (std::size_t i = 0; i < even.size(); ++i) even[i] = static_cast<std::int64_t>(4096 * i);
  EXPECT_EQ(round_trip(even, &bytes), even);
  EXPECT_LT(bytes, 300U) << "equal steps";
}

TEST(Numbers, DamageIsAnErrorOrOtherNumbersNeverACrash) {
  constexpr std::uint64_t seed = 92;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  std::vector<std::int64_t> values(300);
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(random.below(100'000));
  ByteWriter out;
  put_numbers(out, values);
  for (std::size_t length = 0; length < out.size(); ++length) {
    ByteReader in(out.view().first(length));
    EXPECT_FALSE(take_numbers(in, values.size()).has_value()) << length;
  }
  for (int round = 0; round < 500; ++round) {
    std::vector<std::byte> damaged(out.view().begin(), out.view().end());
    damaged[random.below(damaged.size())] ^= static_cast<std::byte>(1U << random.below(8));
    ByteReader in(damaged);
    if (const auto taken = take_numbers(in, values.size()); taken) {
      EXPECT_EQ(taken->size(), values.size());
    }
  }
  const std::byte layout_not_known[] = {std::byte{3}, std::byte{0}};
  ByteReader strange(layout_not_known);
  EXPECT_FALSE(take_numbers(strange, 1).has_value());
  const std::byte nine_planes[] = {std::byte{1}, std::byte{0}, std::byte{9}};
  ByteReader wide(nine_planes);
  EXPECT_FALSE(take_numbers(wide, 1).has_value());
}

TEST(Numbers, ACountThatIsNotTheirsIsAnError) {
  ByteWriter out;
  put_numbers(out, std::vector<std::int64_t>{1, 2, 3});
  for (const std::uint64_t count : {0U, 2U, 4U}) {
    ByteReader in(out.view());
    EXPECT_FALSE(take_numbers(in, count).has_value()) << count;
  }
}

TEST(Columns, EachSignatureGetsItsOwnBack) {
  const std::vector<std::uint8_t> signatures = {0, 2, 0, 1, 3};
  ColumnWriter writer;
  for (std::int64_t i = 0; i < 1000; ++i) {
    writer.add(4, std::vector<std::int64_t>{i, -i, i * i});
    if (i % 3 == 0) writer.add(1, std::vector<std::int64_t>{7, i});
  }
  ByteWriter out;
  writer.finish(out);
  ByteReader in(out.view());
  auto reader = ColumnReader::parse(in, signatures, 2000);
  ASSERT_TRUE(reader.has_value()) << reader.error().text();
  EXPECT_TRUE(in.at_end());
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t* const three = reader->next(4, 3);
    ASSERT_NE(three, nullptr);
    EXPECT_EQ(std::vector<std::int64_t>(three, three + 3), (std::vector<std::int64_t>{i, -i, i * i}));
    if (i % 3 != 0) continue;
    const std::int64_t* const two = reader->next(1, 2);
    ASSERT_NE(two, nullptr);
    EXPECT_EQ(std::vector<std::int64_t>(two, two + 2), (std::vector<std::int64_t>{7, i}));
  }
  EXPECT_EQ(reader->next(4, 3), nullptr);
  EXPECT_EQ(reader->next(3, 1), nullptr) << "it had no records";
  EXPECT_EQ(reader->next(99, 1), nullptr);

  ByteWriter empty;
  writer.finish(empty);  // empty again
  EXPECT_EQ(empty.size(), 1U);
}

TEST(Columns, DamagedBlocksAreErrors) {
  const std::vector<std::uint8_t> signatures = {1, 2};
  ColumnWriter writer;
  for (std::int64_t i = 0; i < 50; ++i) {
    writer.add(0, std::vector<std::int64_t>{i});
    writer.add(1, std::vector<std::int64_t>{i, 3 * i});
  }
  ByteWriter out;
  writer.finish(out);
  for (std::size_t length = 0; length < out.size(); ++length) {
    ByteReader in(out.view().first(length));
    EXPECT_FALSE(ColumnReader::parse(in, signatures, 100).has_value()) << length;
  }
  ByteReader more_than_records(out.view());
  EXPECT_FALSE(ColumnReader::parse(more_than_records, signatures, 99).has_value());
  ByteReader not_there(out.view());
  EXPECT_FALSE(ColumnReader::parse(not_there, std::span(signatures).first(1), 100).has_value());
}

}  // namespace
}  // namespace weir::trace
