#include "study/tree.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/scratch_dir.hpp"

namespace weir::study {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Key;

class TreeTest : public ::testing::Test {
 protected:
  fs::path at(const std::string& name) const { return directory_ / name; }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }
  std::string get(const std::string& name) const { return read_text(at(name)).value_or("missing"); }
  Original::Options options() const {
    return {.directory = directory_, .copies = scratch_.path() / "copies", .skip = {directory_ / "skipped"}};
  }

  ScratchDir scratch_;
  fs::path directory_ = scratch_.path() / "dir";
};

TEST_F(TreeTest, WhatIsKeptBeforehandComesBack) {
  put("a", "one");
  put("deep/b", "two");
  fs::create_symlink("a", at("link"));
  put("skipped/own", "kept");
  const auto original = Original::keep(options());
  ASSERT_TRUE(original) << original.error().text();
  put("a", "changed");
  put("new/c", "three");
  put("skipped/own", "changed");
  fs::remove_all(at("deep"));
  fs::remove(at("link"));
  fs::create_directories(at("link"));
  ASSERT_TRUE(original->put_back());
  EXPECT_EQ(get("a"), "one");
  EXPECT_EQ(get("deep/b"), "two");
  EXPECT_EQ(fs::read_symlink(at("link")), "a");
  EXPECT_FALSE(fs::exists(at("new")));
  EXPECT_EQ(get("skipped/own"), "changed") << "what is skipped is nobody's business";
  const auto changed = original->changed();
  ASSERT_TRUE(changed);
  EXPECT_TRUE(changed->entries.empty());
  EXPECT_TRUE(changed->removed.empty());
}

TEST_F(TreeTest, AfterwardsOnlyWhatTheProgramMadeIsTakenAway) {
  put("others", "file");
  const std::int64_t begin = next_file_tick_ns();
  put("made/x", "program");
  put("later", "of somebody else");
  auto made = Original::keep_after(options(), begin, {"made", "made/x"});
  ASSERT_TRUE(made) << made.error().text();
  // As a resumed study reads it.
  const auto original = Original::read(options(), *parse_json(made->to_json().dump()));
  ASSERT_TRUE(original) << original.error().text();
  const auto changed = original->changed();
  ASSERT_TRUE(changed);
  EXPECT_THAT(changed->entries, ElementsAre(Key("made"), Key("made/x")));
  ASSERT_TRUE(original->put_back());
  EXPECT_FALSE(fs::exists(at("made")));
  EXPECT_EQ(get("others"), "file");
  EXPECT_EQ(get("later"), "of somebody else");
}

TEST_F(TreeTest, AFileThatTheTracedRunChangedIsKeptAsItIsAndTold) {
  put("log", "before");
  fs::last_write_time(at("log"), fs::file_time_type::clock::now() - std::chrono::hours(1));
  const std::int64_t begin = next_file_tick_ns();
  put("log", "during");
  const auto original = Original::keep_after(options(), begin, {"log"});
  ASSERT_TRUE(original);
  EXPECT_THAT(original->changed_before(), ElementsAre("log"));
  put("log", "later");
  ASSERT_TRUE(original->put_back());
  EXPECT_EQ(get("log"), "during");
}

TEST_F(TreeTest, IsLeftAsTheProgramLeavesIt) {
  put("input", "of the user");
  put("log", "before");
  put("lock", "gone in the end");
  fs::create_symlink("input", at("latest"));
  const auto original = Original::keep(options());
  ASSERT_TRUE(original);
  const auto run = [&] {
    put("log", "after");
    put("out/1", "result");
    fs::remove(at("lock"));
    fs::remove(at("latest"));
    fs::create_symlink("out/1", at("latest"));
  };
  run();
  const auto changed = original->changed();
  ASSERT_TRUE(changed);
  const fs::path results = scratch_.path() / "results";
  EXPECT_THAT(changed->removed, ElementsAre("lock"));
  ASSERT_TRUE(copy_entries(directory_, changed->entries, results));
  ASSERT_TRUE(original->put_back());
  run();
  put("out/1", "others' bytes");
  put("out/2", "of the last run only");
  put("lock", "left by the last run");
  const auto done = original->leave(results, changed->removed);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(get("input"), "of the user");
  EXPECT_EQ(get("log"), "after");
  EXPECT_EQ(get("out/1"), "result");
  EXPECT_EQ(fs::read_symlink(at("latest")), "out/1");
  EXPECT_FALSE(fs::exists(at("lock")));
  EXPECT_FALSE(fs::exists(at("out/2")));
}

TEST_F(TreeTest, TooMuchToKeepIsSaidBeforehand) {
  put("big", std::string(1000, 'x'));
  Original::Options small = options();
  small.most_bytes = 999;
  const auto original = Original::keep(small);
  ASSERT_FALSE(original);
  EXPECT_EQ(original.error().code(), Errc::too_big);
}

TEST_F(TreeTest, ComparesByteByByte) {
  const auto original = Original::keep(options());
  ASSERT_TRUE(original);
  put("same", std::string(3'000'000, 'a'));
  put("other", std::string(3'000'000, 'a'));
  put("shorter", "abc");
  put("gone", "abc");
  fs::create_symlink("same", at("link"));
  const auto first = original->changed();
  ASSERT_TRUE(first);
  const fs::path reference = scratch_.path() / "reference";
  ASSERT_TRUE(copy_entries(directory_, first->entries, reference));
  const auto nothing = compare(reference, first->removed, directory_, *first);
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->differences.empty());
  EXPECT_EQ(nothing->files, 4U);
  EXPECT_EQ(nothing->bytes, 6'000'006U);

  std::string text(3'000'000, 'a');
  text[2'500'001] = 'b';
  put("other", text);
  put("shorter", "ab");
  fs::remove(at("gone"));
  put("extra", "x");
  fs::remove(at("link"));
  fs::create_symlink("other", at("link"));
  const auto now = original->changed();
  ASSERT_TRUE(now);
  const auto found = compare(reference, first->removed, directory_, *now);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, 3'000'000U) << "of what is the same";
  std::vector<std::string> told;
  for (const Difference& one : found->differences) told.push_back(one.name + " " + one.what);
  EXPECT_THAT(told,
              ElementsAre("gone is missing", "link is of another kind", "other differs from byte 2500001 on",
                          "shorter has 2 bytes instead of 3", "extra is new"));
}

TEST_F(TreeTest, ComparesWhatIsRemoved) {
  for (const char* const name : {"both", "first", "second", "changed", "removed"}) put(name, "input");
  const auto original = Original::keep(options());
  ASSERT_TRUE(original);
  fs::remove(at("both"));
  fs::remove(at("first"));
  put("changed", "by the first run");
  fs::remove(at("removed"));
  const auto first = original->changed();
  ASSERT_TRUE(first);
  const fs::path reference = scratch_.path() / "reference";
  ASSERT_TRUE(copy_entries(directory_, first->entries, reference));
  ASSERT_TRUE(original->put_back());
  fs::remove(at("both"));
  fs::remove(at("second"));
  fs::remove(at("changed"));
  put("removed", "by the first run");
  const auto second = original->changed();
  ASSERT_TRUE(second);
  const auto found = compare(reference, first->removed, directory_, *second);
  ASSERT_TRUE(found);
  std::vector<std::string> told;
  for (const Difference& one : found->differences) told.push_back(one.name + " " + one.what);
  EXPECT_THAT(
      told, ElementsAre("changed is missing", "removed is new", "second is missing", "first is still there"));
}

}  // namespace
}  // namespace weir::study
