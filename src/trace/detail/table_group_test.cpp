#include "trace/detail/table_group.hpp"

#include <gtest/gtest.h>

#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/random.hpp"
#include "trace/detail/dictionary.hpp"
#include "trace/tables.hpp"

namespace weir::trace::detail {
namespace {

std::vector<std::byte> packed(const TableGroup& group) {
  ByteWriter out;
  group.put(out);
  return std::move(out).take();
}

// As the section of a table has it.
std::vector<std::byte> alone(std::string_view text) {
  ByteWriter out;
  put_packed(out, as_bytes(text));
  return std::move(out).take();
}
std::string plain_of(ByteSpan table) {
  ByteReader in(table);
  return std::string(as_text(take_packed(in, 1 << 20).value()));
}

// Every trace of version 3 is read with it: with other bytes none of them is.
TEST(Dictionary, IsWhatItWasWhenVersion3WasMade) {
  EXPECT_EQ(dictionary().size(), 90829U);
  EXPECT_EQ(checksum(dictionary()), 0xcab6db27bc903c53U);
}

TEST(TableGroup, ComesBackInItsOrder) {
  TableGroup group;
  group.add(Section::texts, alone("some text"));
  group.add(Section::facts, {});
  group.add(Section::processes, alone(std::string(10'000, 'p')));
  const auto plain = take_group(packed(group));
  ASSERT_TRUE(plain) << plain.error().text();
  const auto tables = tables_of_group(*plain);
  ASSERT_TRUE(tables) << tables.error().text();
  ASSERT_EQ(tables->size(), 3U);
  EXPECT_EQ((*tables)[0].type, Section::texts);
  EXPECT_EQ(plain_of((*tables)[0].payload), "some text");
  EXPECT_EQ((*tables)[1].type, Section::facts);
  EXPECT_TRUE((*tables)[1].payload.empty());
  EXPECT_EQ(plain_of((*tables)[2].payload), std::string(10'000, 'p'));
  EXPECT_TRUE(tables_of_group(*take_group(packed(TableGroup())))->empty());
}

TEST(TableGroup, DescriptionsOfKnownFunctionsCostFewBytes) {
  std::vector<Function> functions;
  for (const char* const name : {"open", "pwrite", "close", "fopen", "fwrite", "fclose"})
    functions.push_back(describe(*find_call(name)));
  ByteWriter table;
  put_functions(table, functions);
  TableGroup group;
  group.add(Section::functions, table.view());
  EXPECT_LT(packed(group).size(), 60U) << table.size() << " bytes alone";
}

TEST(TableGroup, DamageIsAnErrorOrOtherBytes) {
  constexpr std::uint64_t seed = 77;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  TableGroup group;
  group.add(Section::texts, alone(std::string(300, 't') + "text"));
  group.add(Section::names, alone("a name that does not repeat"));
  const std::vector<std::byte> whole = packed(group);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(take_group(ByteSpan(whole).first(length))) << length;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> bad = whole;
    bad[random.below(bad.size())] ^= static_cast<std::byte>(1U << random.below(8));
    if (const auto plain = take_group(bad); plain) (void)tables_of_group(*plain);
  }
}

TEST(TableGroup, LengthsBeyondAllMeasureTakeNoMemory) {
  ByteWriter out;
  out.varint(std::uint64_t{1} << 60);
  out.varint(4);
  out.u32(0);
  EXPECT_FALSE(take_group(out.view()));
  ByteWriter beyond;
  beyond.u8(1);
  beyond.varint(std::uint64_t{1} << 60);
  EXPECT_FALSE(tables_of_group(beyond.view()));
}

TEST(TableGroup, TablesOfALaterDayArePassedOver) {
  ByteWriter plain;
  plain.u8(200);
  plain.varint(3);
  plain.bytes(as_bytes("new"));
  plain.u8(2);
  plain.varint(3);
  plain.bytes(as_bytes("old"));
  const auto tables = tables_of_group(plain.view());
  ASSERT_TRUE(tables);
  ASSERT_EQ(tables->size(), 1U);
  EXPECT_EQ(as_text((*tables)[0].payload), "old");
}

}  // namespace
}  // namespace weir::trace::detail
