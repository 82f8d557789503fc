#include "semantics/access_map.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace weir::semantics {
namespace {

Access access(std::int64_t begin, std::int64_t bytes, std::int64_t time, std::uint32_t member, bool writes) {
  Access made;
  made.begin = begin;
  made.end = begin + bytes;
  made.start_ns = time;
  made.end_ns = time + 1;
  made.member = member;
  made.flags = writes ? Access::kWrite : 0;
  return made;
}

Accesses one_file(std::vector<Access> accesses) {
  Accesses made;
  File file;
  file.name = "/scratch/out.dat";
  file.members = {{7, {}}, {8, {}}};
  file.accesses = std::move(accesses);
  made.files.push_back(std::move(file));
  return made;
}

TEST(AccessMap, BytesFallIntoTheirBins) {
  // Offsets in bins of 100, times in bins of 10.
  const auto maps = access_maps(
      one_file({access(0, 150, 100, 0, true), access(380, 20, 139, 1, false), access(150, 10, 102, 1, true)}),
      {.files = 1, .time_bins = 4, .offset_bins = 4});
  ASSERT_EQ(maps.size(), 1U);
  const AccessMap& map = maps[0];
  EXPECT_EQ(map.begin_ns, 100);
  EXPECT_EQ(map.time_bin_ns, 10);
  EXPECT_EQ(map.offset_bin_bytes, 100);
  EXPECT_EQ(map.time_bins, 4U);
  EXPECT_EQ(map.offset_bins, 4U);
  ASSERT_EQ(map.cells.size(), 3U);
  EXPECT_EQ(map.cells[0].written_bytes, 100U);
  EXPECT_EQ(map.cells[1].offset, 1U);
  EXPECT_EQ(map.cells[1].written_bytes, 60U);
  EXPECT_EQ(map.cells[1].accesses, 2U);
  EXPECT_EQ(map.cells[1].process, 7U);  // 50 bytes of one, 10 of the other
  EXPECT_EQ(map.cells[2].time, 3U);
  EXPECT_EQ(map.cells[2].offset, 3U);
  EXPECT_EQ(map.cells[2].read_bytes, 20U);
  EXPECT_EQ(map.cells[2].process, 8U);
}

TEST(AccessMap, ACellBelongsToWhoMovesMostOfItsBytesInAnyOrder) {
  for (const bool in_turns : {false, true}) {
    std::vector<Access> list;
    for (std::uint32_t i = 0; i < 6; ++i) list.push_back(access(0, i % 2 == 0 ? 10 : 12, 5, i % 2, true));
    if (!in_turns) std::ranges::stable_sort(list, {}, &Access::member);
    const auto maps = access_maps(one_file(list), {.files = 1, .time_bins = 1, .offset_bins = 1});
    ASSERT_EQ(maps.at(0).cells.size(), 1U);
    EXPECT_EQ(maps[0].cells[0].process, 8U);
    EXPECT_EQ(maps[0].cells[0].written_bytes, 66U);
  }
}

TEST(AccessMap, WhatWasCutOffOrNotThereIsNoAccess) {
  Access cut = access(0, 1000, 5, 0, true);
  cut.flags |= Access::kTruncates;
  Access missed = access(0, 1000, 6, 0, false);
  missed.flags |= Access::kMissed;
  const auto maps = access_maps(one_file({cut, missed}));
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_TRUE(maps[0].cells.empty());
}

TEST(AccessMap, TheFilesWithMostBytesComeFirst) {
  Accesses accesses = one_file({access(0, 1, 0, 0, true)});
  for (const std::uint64_t bytes : {10U, 30U, 20U}) {
    accesses.files.push_back(accesses.files.front());
    accesses.files.back().name = std::to_string(bytes);
    accesses.files.back().written_bytes = bytes;
  }
  const auto maps = access_maps(accesses, {.files = 2, .time_bins = 4, .offset_bins = 4});
  ASSERT_EQ(maps.size(), 2U);
  EXPECT_EQ(maps[0].name, "30");
  EXPECT_EQ(maps[1].name, "20");
}

}  // namespace
}  // namespace weir::semantics
