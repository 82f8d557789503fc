#include "capture/allocations.hpp"

#include <random>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>

namespace weir::capture {
namespace {

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST(Allocations, AnAddressIsPlacedInWhatItLiesIn) {
  Allocations all;
  all.add(at(1000), 100);
  all.add(at(2000), 50);
  EXPECT_EQ(all.find(at(2010)).id, 0U);
  EXPECT_EQ(all.find(at(2010)).displacement, 10U);
  EXPECT_EQ(all.find(at(1000)).id, 1U);
  EXPECT_EQ(all.find(at(1100)).displacement, 100U);
  EXPECT_FALSE(all.find(at(999)).known());
  EXPECT_FALSE(all.find(at(1101)).known());
}

TEST(Allocations, NumbersAreGivenToWhatIsAskedForAndComeBack) {
  Allocations all;
  for (std::uintptr_t i = 1; i <= 100; ++i) all.add(at(1000 * i), 10);
  EXPECT_EQ(all.find(at(70000)).id, 0U);
  EXPECT_EQ(all.find(at(3000)).id, 1U);
  all.remove(at(70000));
  EXPECT_FALSE(all.find(at(70000)).known());
  EXPECT_EQ(all.find(at(5000)).id, 0U);
}

TEST(Allocations, WhatGrowsKeepsItsNumber) {
  Allocations all;
  all.add(at(1000), 10);
  ASSERT_EQ(all.find(at(1000)).id, 0U);
  const std::uint32_t id = all.remove(at(1000), true);
  all.add(at(9000), 2000, id);
  EXPECT_EQ(all.find(at(10000)).id, 0U);
  all.add(at(20000), 1);
  EXPECT_EQ(all.find(at(20000)).id, 1U);
}

TEST(Allocations, ManyThatComeAndGoAreFoundLikeInAList) {
  Allocations all;
  std::unordered_map<std::uintptr_t, std::size_t> list;
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same every time
  for (int i = 0; i < 200000; ++i) {
    const std::uintptr_t begin = 1000 + 64 * (random() % 5000);
    if (const auto found = list.find(begin); found != list.end()) {
      all.remove(at(begin));
      list.erase(found);
    } else {
      const std::size_t bytes = random() % 63;
      all.add(at(begin), bytes);
      list.emplace(begin, bytes);
    }
    const std::uintptr_t asked = 1000 + random() % (64 * 5000);
    const std::uintptr_t home = asked - (asked - 1000) % 64;
    const auto owner = list.find(home);
    const bool expected = owner != list.end() && asked - home <= owner->second;
    ASSERT_EQ(all.find(at(asked)).known(), expected);
  }
}

}  // namespace
}  // namespace weir::capture
