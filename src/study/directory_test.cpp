#include "study/directory.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"

namespace weir::study {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(FindPlace, TheDeepestDirectoryWithNearlyAllBytes) {
  const auto place = find_place(
      {{"/none/run/out/a/1", 500}, {"/none/run/out/b/2", 480}, {"/none/run/log", 20}}, "/none/study");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->directory, "/none/run/out");
  EXPECT_DOUBLE_EQ(place->share, 0.98);
  EXPECT_THAT(place->outside, ElementsAre("/none/run/log"));
}

TEST(FindPlace, FilesOfTheSystemAndOfTheStudyDoNotCount) {
  const auto place = find_place(
      {{"/dev/shm/x", 5000}, {"/proc/self/comm", 4}, {"/none/study/output", 999}, {"/none/run/a", 1}},
      "/none/study");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->directory, "/none/run");
  EXPECT_FALSE(find_place({{"/dev/null", 5}}, "/none/study"));
  EXPECT_FALSE(find_place({}, "/none/study"));
}

TEST(FindPlace, WhatIsGoneAfterTheRunDoesNotCountBesideWhatIsThere) {
  const ScratchDir scratch;
  const fs::path there = scratch.path() / "kept";
  std::ofstream(there) << "x";
  const auto place = find_place({{"/none/session/a", 1000}, {there.string(), 1}}, "/none/study");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->directory, scratch.path());
}

TEST(NamesBelow, AreRelative) {
  EXPECT_THAT(names_below({"/a/b", "/a/c/d", "/ab", "/a"}, "/a"), ElementsAre("b", "c/d"));
}

}  // namespace
}  // namespace weir::study
