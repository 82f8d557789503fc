#include "base/bytes.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace weir {
namespace {

TEST(Bytes, NumbersComeBackAsTheyWentIn) {
  ByteWriter out;
  out.u8(0xfe);
  out.u16(0xbeef);
  out.u32(0xdeadbeef);
  out.u64(0x0123456789abcdef);
  out.f64(-0.1);
  out.string("weir \0 dam");
  ByteReader in(out.view());
  EXPECT_EQ(*in.u8(), 0xfe);
  EXPECT_EQ(*in.u16(), 0xbeef);
  EXPECT_EQ(*in.u32(), 0xdeadbeef);
  EXPECT_EQ(*in.u64(), 0x0123456789abcdefu);
  EXPECT_EQ(*in.f64(), -0.1);
  EXPECT_EQ(*in.string(), "weir \0 dam");
  EXPECT_TRUE(in.at_end());
}

TEST(Bytes, LayoutIsLittleEndian) {
  ByteWriter out;
  out.u32(0x01020304);
  out.varint(300);
  EXPECT_EQ(as_text(out.view()), std::string_view("\x04\x03\x02\x01\xac\x02", 6));
}

TEST(Bytes, VarintsOfAllLengthsComeBack) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int shift = 0; shift < 64; ++shift) {
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t value = random() >> shift;
      const auto negative = static_cast<std::int64_t>(random()) >> shift;
      ByteWriter out;
      out.varint(value);
      out.signed_varint(negative);
      ByteReader in(out.view());
      ASSERT_EQ(*in.varint(), value);
      ASSERT_EQ(*in.signed_varint(), negative);
      ASSERT_TRUE(in.at_end());
    }
  }
}

TEST(Bytes, SmallMagnitudesAreShortWhateverTheirSign) {
  for (const std::int64_t value : {0, -1, 1, -64, 63}) {
    ByteWriter out;
    out.signed_varint(value);
    EXPECT_EQ(out.size(), 1u) << value;
  }
  ByteWriter out;
  out.signed_varint(std::numeric_limits<std::int64_t>::min());
  ByteReader in(out.view());
  EXPECT_EQ(*in.signed_varint(), std::numeric_limits<std::int64_t>::min());
}

TEST(Bytes, EveryTruncationIsAnErrorThatMovesNothing) {
  ByteWriter out;
  out.u64(7);
  out.varint(1u << 20);
  out.string("hello");
  for (std::size_t length = 0; length < out.size(); ++length) {
    ByteReader in(out.view().first(length));
    const bool number = in.u64().has_value();
    const bool varint = number && in.varint().has_value();
    const std::size_t before = in.position();
    if (varint) {
      EXPECT_FALSE(in.string());
      EXPECT_EQ(in.position(), before);
    }
    EXPECT_FALSE(number && varint && length == out.size());
  }
}

TEST(Bytes, AVarintOfMoreThan64BitsIsRefused) {
  const std::string ones(10, '\xff');
  ByteReader too_long(as_bytes(ones));
  EXPECT_FALSE(too_long.varint());
  const std::string overflow = std::string(9, '\xff') + '\x02';
  ByteReader in(as_bytes(overflow));
  EXPECT_FALSE(in.varint());
  EXPECT_EQ(in.position(), 0u);
}

TEST(Bytes, ACountLargerThanItsInputIsRefusedBeforeMemoryIsReserved) {
  ByteWriter out;
  out.varint(1000);
  out.u32(1);
  ByteReader in(out.view());
  EXPECT_FALSE(in.count(4));
  EXPECT_EQ(in.position(), 0u);
  EXPECT_NE(in.count(4).error().text().find("1000 items at byte 0"), std::string::npos);
}

TEST(Bytes, AStringBeyondItsLimitIsRefused) {
  ByteWriter out;
  out.string("12345");
  ByteReader in(out.view());
  EXPECT_EQ(in.string(4).error().code(), Errc::too_big);
  EXPECT_EQ(*in.string(5), "12345");
}

}  // namespace
}  // namespace weir
