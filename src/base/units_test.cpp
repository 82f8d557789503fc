#include "base/units.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Units, SizesAreReadAsStoragePeopleWriteThem) {
  EXPECT_EQ(*parse_bytes("0"), Bytes(0));
  EXPECT_EQ(*parse_bytes("4k"), Bytes(4096));
  EXPECT_EQ(*parse_bytes("512M"), Bytes(512ull << 20));
  EXPECT_EQ(*parse_bytes("1.5GiB"), Bytes(3ull << 29));
  EXPECT_EQ(*parse_bytes("2 MB"), Bytes(2000000));
}

TEST(Units, BadSizesSayWhatToWrite) {
  for (const char* bad : {"", "M", "-1", "4q", "1e400", "nan", "0.5", "4kk", "9000P", "0x10"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  EXPECT_EQ(parse_bytes("4q").error().text(), "'4q' is not a size; write for example 4k, 512M or 1.5G");
}

TEST(Units, DurationsAreSecondsUnlessSaid) {
  EXPECT_EQ(*parse_duration("90"), Nanoseconds(90'000'000'000));
  EXPECT_EQ(*parse_duration("250ms"), Nanoseconds(250'000'000));
  EXPECT_EQ(*parse_duration("1.5h"), Nanoseconds(5400'000'000'000));
  EXPECT_FALSE(parse_duration("soon"));
}

TEST(Units, PeopleSeeThreeDigits) {
  EXPECT_EQ(format_bytes(Bytes(0)), "0 B");
  EXPECT_EQ(format_bytes(Bytes(1023)), "1023 B");
  EXPECT_EQ(format_bytes(Bytes(1536)), "1.50 KiB");
  EXPECT_EQ(format_bytes(Bytes(1023 * 1024)), "1.00 MiB");
  EXPECT_EQ(format_bytes(Bytes(~0ull)), "16.0 EiB");
  EXPECT_EQ(format_rate(Bytes(1ull << 30), Nanoseconds(500'000'000)), "2.00 GiB/s");
  EXPECT_EQ(format_rate(Bytes(1), Nanoseconds(0)), "-");
}

TEST(Units, DurationsChooseTheirUnit) {
  EXPECT_EQ(format_duration(Nanoseconds(7)), "7 ns");
  EXPECT_EQ(format_duration(Nanoseconds(3'200'000)), "3.20 ms");
  EXPECT_EQ(format_duration(Nanoseconds(999'600'000)), "1.00 s");
  EXPECT_EQ(format_duration(Nanoseconds(125'000'000'000)), "2 min 05 s");
  EXPECT_EQ(format_duration(Nanoseconds(3'720'000'000'000)), "1 h 02 min");
  EXPECT_EQ(format_duration(Nanoseconds(-1500)), "-1.50 us");
}

TEST(Units, CountsAreGrouped) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(12345678), "12 345 678");
}

}  // namespace
}  // namespace weir
