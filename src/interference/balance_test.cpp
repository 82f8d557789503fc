#include "interference/balance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/scratch_dir.hpp"
#include "interference/placement.hpp"

namespace weir::interference {
namespace {

Targets made(const std::vector<std::vector<double>>& courses) {
  Targets targets;
  targets.slice_ns = 100'000'000;
  for (std::size_t i = 0; i < courses.front().size(); ++i)
    targets.begin_ns.push_back(1'000'000'000 + static_cast<std::int64_t>(i) * targets.slice_ns);
  for (std::size_t i = 0; i < courses.size(); ++i)
    targets.courses.push_back({"t" + std::to_string(i), courses[i]});
  return targets;
}

TEST(Balance, EvenTargetsHaveNoTail) {
  const auto balance = balance_of(made({{0, 10, 10, 10, 0}, {0, 10, 10, 10, 0}}));
  ASSERT_EQ(balance.targets.size(), 2U);
  EXPECT_NEAR(balance.targets[0].end_s, 0.3, 1e-9);
  EXPECT_NEAR(balance.targets[0].rate, 100, 1e-6);
  EXPECT_EQ(balance.tail_share, 0);
  EXPECT_NEAR(balance.tail_s, 0, 1e-9);
  EXPECT_NEAR(balance.imbalance, 0, 1e-9);
}

TEST(Balance, ALateTargetIsNamed) {
  const auto balance = balance_of(
      made({{10, 10, 10, 10, 0, 0, 0, 0}, {10, 10, 10, 10, 0, 0, 0, 0}, {10, 10, 10, 10, 10, 10, 10, 10}}));
  EXPECT_FALSE(balance.targets[0].straggler);
  EXPECT_TRUE(balance.targets[2].straggler);
  EXPECT_NEAR(balance.imbalance, 100, 1e-9);
  EXPECT_NEAR(balance.tail_s, 0.4, 1e-9);
  EXPECT_NEAR(balance.tail_share, 40.0 / 160, 1e-9);
}

TEST(Balance, ATrickleIsNotWork) {
  const auto balance = balance_of(made({{100, 100, 0.1, 0.1}, {100, 100, 0, 0}, {0, 0, 0, 0}}));
  ASSERT_EQ(balance.targets.size(), 2U) << "a target nothing is written to is not late";
  EXPECT_NEAR(balance.targets[0].end_s, 0.2, 1e-9);
}

TEST(Balance, TargetsOfAParallelFileSystemComeBeforeDisks) {
  const Json seen = {{"devices", {"disk:a"}},
                     {"slices",
                      {{"begin_ns", {0, 100, 200}},
                       {"disk:a", {{"write_bytes", {1, 2, 3}}}},
                       {"disk:below", {{"write_bytes", {1, 2, 3}}}},
                       {"lustre-osc:ost0", {{"write_bytes", {5, nullptr, 5}}}},
                       {"lustre-osc:ost1", {{"read_bytes", {5, 5, 5}}}}}}};
  const auto lustre = targets_in(seen);
  ASSERT_TRUE(lustre) << lustre.error().text();
  ASSERT_EQ(lustre->courses.size(), 1U);
  EXPECT_EQ(lustre->courses[0].name, "lustre-osc:ost0");
  EXPECT_THAT(lustre->courses[0].bytes, testing::ElementsAre(5, 0, 5));
  Json disks = seen;
  disks["slices"].erase("lustre-osc:ost0");
  const auto found = targets_in(disks);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->courses.size(), 1U) << "not the disk beneath";
  EXPECT_EQ(found->courses[0].name, "disk:a");
  EXPECT_EQ(found->slice_ns, 100);
}

TEST(Balance, WhatHoldsNoSlicesIsAnError) {
  EXPECT_FALSE(targets_in(Json::array()));
  EXPECT_FALSE(targets_in(Json::object()));
  EXPECT_FALSE(targets_in({{"slices", {{"begin_ns", {0, 100}}}}})) << "nothing was written";
  EXPECT_FALSE(targets_in({{"slices", {{"begin_ns", {100, 0}}, {"disk:a", {{"write_bytes", {1, 2}}}}}}}));
}

TEST(Placement, BalancedIsEvenAndRandomIsTheSameForTheSameSeed) {
  EXPECT_THAT(placed(Placement::balanced, 5, 2, 1, 0), testing::ElementsAre(0, 1, 0, 1, 0));
  const auto once = placed(Placement::random, 100, 4, 7, 3);
  EXPECT_EQ(once, placed(Placement::random, 100, 4, 7, 3));
  EXPECT_NE(once, placed(Placement::random, 100, 4, 7, 4));
  EXPECT_THAT(once, testing::Each(testing::Lt(4U)));
}

TEST(Placement, EveryProcessWritesItsFileAndIsTimed) {
  const ScratchDir scratch;
  PlacementStudy study;
  for (const char* name : {"a", "b", "c"}) {
    study.targets.push_back(scratch.path() / name);
    std::filesystem::create_directory(study.targets.back());
  }
  study.processes = 4;
  study.size = Bytes(1U << 20U);
  study.chunk = Bytes(64U << 10U);
  const auto run = run_placed(study, Placement::balanced, 0);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->process_s.size(), 4U);
  EXPECT_THAT(run->target_of, testing::ElementsAre(0, 0, 1, 2));
  EXPECT_FALSE(run->storage_seen) << "all on one device";
  EXPECT_GE(run->spread_s(), 0);
  ASSERT_EQ(run->balance.targets.size(), 3U);
  EXPECT_NEAR(run->balance.targets[0].bytes, 2 << 20, 1);
  EXPECT_NEAR(run->balance.targets[2].bytes, 1 << 20, 1);
  for (const auto& target : study.targets) EXPECT_TRUE(std::filesystem::is_empty(target));
  const auto summary = summary_of(Placement::balanced, {*run}, false);
  EXPECT_EQ(summary.runs, 1U);
  EXPECT_EQ(summary.runtime_s, run->slowest_s());
  EXPECT_EQ(summary_of(Placement::random, {*run}, false).runs, 0U);
}

}  // namespace
}  // namespace weir::interference
