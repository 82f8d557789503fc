#include "transport/wire.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "transport/host_test.hpp"

namespace weir::transport {
namespace {

enum class Colour : std::uint8_t { red, green };
enum class Checked : std::uint16_t { one = 1, two };
bool is_known(Checked value) { return value == Checked::one || value == Checked::two; }

struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint32_t log = 0;
  std::uint32_t node = 0;
  static constexpr auto fields = std::tuple{&Extent::begin, &Extent::length, &Extent::log, &Extent::node};
  bool operator==(const Extent&) const = default;
};
struct Padded {  // three bytes of it are nobody's
  std::uint32_t a = 0;
  std::uint8_t b = 0;
  static constexpr auto fields = std::tuple{&Padded::a, &Padded::b};
  bool operator==(const Padded&) const = default;
};
struct Swapped {  // on the wire in another order than in memory
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  static constexpr auto fields = std::tuple{&Swapped::b, &Swapped::a};
  bool operator==(const Swapped&) const = default;
};
struct Everything {
  std::uint8_t small = 0;
  std::int64_t negative = 0;
  double real = 0;
  bool yes = false;
  Colour colour = Colour::red;
  Checked checked = Checked::one;
  Offset offset;
  std::string text;
  Bytes bytes;
  std::array<std::uint16_t, 3> three{};
  std::optional<Extent> maybe;
  std::vector<Extent> extents;
  std::vector<Padded> padded;
  std::vector<Swapped> swapped;
  std::vector<std::string> names;
  static constexpr auto fields =
      std::tuple{&Everything::small,  &Everything::negative, &Everything::real,   &Everything::yes,
                 &Everything::colour, &Everything::checked,  &Everything::offset, &Everything::text,
                 &Everything::bytes,  &Everything::three,    &Everything::maybe,  &Everything::extents,
                 &Everything::padded, &Everything::swapped,  &Everything::names};
  bool operator==(const Everything&) const = default;
};

struct Small {
  std::uint16_t number = 0x0102;
  std::string text = "ab";
  std::optional<std::uint8_t> none;
  std::vector<Swapped> row = {{1, 2}};
  static constexpr auto fields = std::tuple{&Small::number, &Small::text, &Small::none, &Small::row};
};

Everything example() {
  Everything all;
  all.small = 200;
  all.negative = -5;
  all.real = -0.25;
  all.yes = true;
  all.colour = Colour::green;
  all.checked = Checked::two;
  all.offset = Offset(std::numeric_limits<std::int64_t>::max());
  all.text = "a path";
  all.bytes = to_bytes("bytes");
  all.three = {1, 2, 3};
  all.maybe = Extent{1, 2, 3, 4};
  all.extents = {{5, 6, 7, 8}, {9, 10, 11, 12}};
  all.padded = {{1, 2}, {3, 4}};
  all.swapped = {{1, 2}};
  all.names = {"", "x", std::string(1000, 'y')};
  return all;
}

TEST(Wire, WhatIsPackedComesBack) {
  for (const Everything& all : {example(), Everything{}}) {
    const auto again = unpack<Everything>(pack(all));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(*again == all);
  }
}

TEST(Wire, TheBytesAreThoseOfTheFormat) {
  const Bytes expected =
      to_bytes(std::string_view("\x02\x01"
                                "\x02\0\0\0"
                                "ab"
                                "\0"
                                "\x01\0\0\0"
                                "\x02\0\0\0"
                                "\x01\0\0\0",
                                21));
  EXPECT_EQ(pack(Small{}), expected);
}

TEST(Wire, MemoryIsCopiedOnlyWhereItIsTheFormat) {
  EXPECT_TRUE(detail::is_memory<Extent>());
  EXPECT_TRUE(detail::is_memory<std::uint64_t>());
  EXPECT_TRUE(detail::is_memory<Colour>());
  EXPECT_FALSE(detail::is_memory<Checked>());
  EXPECT_FALSE(detail::is_memory<bool>());
  EXPECT_FALSE(detail::is_memory<Padded>());
  EXPECT_FALSE(detail::is_memory<Swapped>());
  EXPECT_EQ(pack(std::vector<Padded>{{1, 2}}).size(), 4U + 5U);
}

TEST(Wire, EveryCutIsRefused) {
  const Bytes whole = pack(example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = unpack<Everything>(ByteSpan(whole).first(size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code(), Errc::bad_data);
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(unpack<Everything>(longer));
}

TEST(Wire, ACountBeyondTheEndIsRefusedBeforeAnythingIsAllocated) {
  ByteWriter out;
  out.u32(0xffffffff);
  out.u64(0);
  EXPECT_FALSE(unpack<std::vector<Extent>>(out.view()));
  EXPECT_FALSE(unpack<std::vector<std::string>>(out.view()));
  EXPECT_FALSE(unpack<std::string>(out.view()));
  const auto error = unpack<Bytes>(out.view()).error().text();
  EXPECT_NE(error.find("byte 0: a count beyond its end"), std::string::npos) << error;
}

TEST(Wire, ThereIsOneEncodingOfEachValue) {
  const std::byte two[] = {std::byte{2}};
  EXPECT_FALSE(unpack<bool>(two));
  EXPECT_FALSE(unpack<std::optional<std::uint8_t>>(two));
  const std::byte three[] = {std::byte{3}, std::byte{0}};
  EXPECT_FALSE(unpack<Checked>(three));
}

TEST(Wire, WhateverIsAcceptedPacksToTheSameBytes) {
  const Bytes proper = pack(example());
  Random random(11);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = proper;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes)
      bytes[random.below(bytes.size())] =
          static_cast<std::byte>(random.below(random.below(2) == 0 ? 4 : 256));
    const auto message = unpack<Everything>(bytes);
    if (!message) continue;
    ++accepted;
    ASSERT_EQ(pack(*message), bytes);
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace weir::transport
