#include "intercept/child_environment.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <sys/mman.h>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Followed kRecorder = {
    .library = "libweir-capture-", .settings = {"WEIR_TRACE_"}, .needed = "WEIR_TRACE_DIR"};

// What a program would find, when it is started with `given` by one that was itself started with `own`.
std::vector<std::string> found(const std::vector<const char*>& own, std::vector<const char*> given,
                               const Followed& followed = kRecorder) {
  auto start = own;
  start.push_back(nullptr);
  static ChildEnvironment ours(followed);
  ours = ChildEnvironment(followed);
  ours.read(start.data());
  given.push_back(nullptr);
  const std::size_t room = ours.room_for(given.data());
  const char* const* environment = given.data();
  std::vector<char*> memory(room / sizeof(char*) + 1);
  if (room > 0) environment = ours.completed(given.data(), memory.data());
  std::vector<std::string> texts;
  for (; *environment != nullptr; ++environment) texts.emplace_back(*environment);
  return texts;
}

constexpr const char* kOurs = "LD_PRELOAD=/lib/libweir-capture-posix.so";
constexpr const char* kWhere = "WEIR_TRACE_DIR=/t";
constexpr const char* kMore = "WEIR_TRACE_TIMING=off";

TEST(ChildEnvironment, AnEmptyOneGetsEverything) {
  EXPECT_THAT(found({"A=1", kOurs, kWhere, kMore}, {}), ElementsAre(kOurs, kWhere, kMore));
  EXPECT_THAT(found({"A=1", kOurs, kWhere}, {"B=2"}), ElementsAre("B=2", kOurs, kWhere));
}

TEST(ChildEnvironment, AWholeOneStaysAsItIs) {
  EXPECT_THAT(found({kOurs, kWhere}, {kWhere, "B=2", kOurs}), ElementsAre(kWhere, "B=2", kOurs));
}

TEST(ChildEnvironment, OtherLibrariesStayBehindOurs) {
  EXPECT_THAT(found({kOurs, kWhere}, {"LD_PRELOAD=/lib/other.so", "B=2", kWhere}),
              ElementsAre("LD_PRELOAD=/lib/libweir-capture-posix.so:/lib/other.so", "B=2", kWhere));
  EXPECT_THAT(found({kOurs, kWhere}, {"LD_PRELOAD=", kWhere}), ElementsAre(kOurs, kWhere));
}

TEST(ChildEnvironment, OursIsFoundAmongOthers) {
  EXPECT_THAT(found({"LD_PRELOAD=/a.so:/lib/libweir-capture-mpich.so:/b.so", kWhere}, {}),
              ElementsAre("LD_PRELOAD=/lib/libweir-capture-mpich.so", kWhere));
  const char* const both = "LD_PRELOAD=/other.so /lib/libweir-capture-posix.so";
  EXPECT_THAT(found({kOurs, kWhere}, {both, kWhere}), ElementsAre(both, kWhere));
}

TEST(ChildEnvironment, AnotherDirectoryIsTheProgramsChoice) {
  EXPECT_THAT(found({kOurs, kWhere, kMore}, {"WEIR_TRACE_DIR=/u"}), ElementsAre("WEIR_TRACE_DIR=/u", kOurs));
}

TEST(ChildEnvironment, WithoutOurLibraryNothingIsAdded) {
  EXPECT_THAT(found({"LD_PRELOAD=/lib/other.so", kWhere}, {}), IsEmpty());
}

TEST(ChildEnvironment, WhatIsTooLongIsNotPassedOnInPart) {
  const std::string huge = "WEIR_TRACE_EXCLUDE=" + std::string(40000, 'x');
  EXPECT_THAT(found({kOurs, kWhere, huge.c_str()}, {}), IsEmpty());
}

TEST(ChildEnvironment, ALibraryMayAskToComeLast) {
  constexpr Followed kFileSystem = {.library = "libweir-burst",
                                    .settings = {"WEIR_JOB=", "WEIR_SERVER=", "WEIR_BURST_"},
                                    .needed = "WEIR_JOB",
                                    .goes_last = true};
  const std::vector<const char*> own = {"LD_PRELOAD=/a.so:/lib/libweir-burst.so", "WEIR_JOB=/j",
                                        "WEIR_JOBS=1", "WEIR_BURST_DIR=/d", "WEIR_SERVER=1"};
  EXPECT_THAT(found(own, {"LD_PRELOAD=/b.so"}, kFileSystem),
              ElementsAre("LD_PRELOAD=/b.so:/lib/libweir-burst.so", "WEIR_JOB=/j", "WEIR_BURST_DIR=/d",
                          "WEIR_SERVER=1"));
  EXPECT_THAT(found(own, {}, kFileSystem), ElementsAre("LD_PRELOAD=/lib/libweir-burst.so", "WEIR_JOB=/j",
                                                       "WEIR_BURST_DIR=/d", "WEIR_SERVER=1"));
}

TEST(ChildEnvironment, NoneAtAllIsAnEmptyOne) {
  const char* const start[] = {kOurs, kWhere, nullptr};
  static ChildEnvironment ours(kRecorder);
  ours.read(start);
  const std::size_t room = ours.room_for(nullptr);
  ASSERT_GT(room, 0U);
  std::vector<char*> memory(room / sizeof(char*) + 1);
  EXPECT_STREQ(ours.completed(nullptr, memory.data())[0], kOurs);
}

TEST(ChildEnvironment, OneThatCannotBeReadIsLeftToTheSystem) {
  const char* const start[] = {kOurs, kWhere, nullptr};
  static ChildEnvironment ours(kRecorder);
  ours.read(start);
  void* const nowhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(nowhere, MAP_FAILED);
  EXPECT_EQ(ours.room_for(static_cast<const char* const*>(nowhere)), 0U);
  const char* const partly[] = {"A=1", static_cast<const char*>(nowhere), nullptr};
  EXPECT_EQ(ours.room_for(partly), 0U);
  munmap(nowhere, 4096);
}

}  // namespace
}  // namespace weir
