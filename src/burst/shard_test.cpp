// A shard and the moments between its messages, one by one.
#include "burst/shard_test.hpp"

#include <fstream>

namespace weir::burst {
namespace {

FileId make_file(ShardAlone& alone, const std::string& path) {
  const auto opened = alone.ask(Open{.path = path, .create = true});
  EXPECT_EQ(opened.error(), 0);
  return opened.outcome().body.file;
}

// Of all files that have one: it must lead to them.
std::vector<std::string> named_files(ShardAlone& alone) {
  std::vector<std::string> names;
  for (const auto& [id, file] : alone.shard().state().files()) {
    if (!file.named) continue;
    names.push_back(file.path);
    EXPECT_EQ(alone.shard().state().find_name(file.path), id) << file.path;
  }
  return names;
}

TEST(Shard, OfTwoFilesThatAreRenamedToOneNameOneIsLeft) {
  // The second comes after so many messages of the first.
  for (int before = 0; before < 6; ++before) {
    SCOPED_TRACE(before);
    ShardAlone alone;
    make_file(alone, "a");
    make_file(alone, "b");
    make_file(alone, "c");
    const auto one = alone.ask(Rename{"a", "b"});
    for (int i = 0; i < before; ++i) alone.step();
    const auto other = alone.ask(Rename{"c", "b"});
    EXPECT_EQ(alone.ask_until_done(Rename{"a", "b"}, one), 0);
    EXPECT_EQ(alone.ask_until_done(Rename{"c", "b"}, other), 0);
    EXPECT_EQ(named_files(alone), std::vector<std::string>{"b"});
    EXPECT_EQ(alone.ask_until_done(Unlink{"b"}, alone.ask(Unlink{"b"})), 0);
    EXPECT_TRUE(alone.shard().state().files().empty());
  }
}

TEST(Shard, ANameThatIsUnlinkedWhileAFileGetsItLeavesNoFileBehind) {
  for (int before = 0; before < 6; ++before) {
    SCOPED_TRACE(before);
    ShardAlone alone;
    make_file(alone, "a");
    make_file(alone, "b");
    const auto renamed = alone.ask(Rename{"a", "b"});
    for (int i = 0; i < before; ++i) alone.step();
    const auto gone = alone.ask(Unlink{"b"});
    EXPECT_EQ(alone.ask_until_done(Unlink{"b"}, gone), 0);
    EXPECT_EQ(alone.ask_until_done(Rename{"a", "b"}, renamed), 0);
    EXPECT_LE(named_files(alone).size(), 1u);
  }
}

// A server that has heard nothing for a while asks again, while the first is still under way.
TEST(Shard, ANameThatIsPutTwiceAtOnceIsPutOnce) {
  ShardAlone alone;
  const FileId file = make_file(alone, "a");
  const PutName request{.path = "b", .from = "a", .file = file};
  const auto one = alone.ask(request);
  const auto again = alone.ask(request);
  EXPECT_EQ(alone.ask(PutName{.path = "b", .from = "c", .file = file}).error(), kAskAgain);
  alone.run();
  EXPECT_EQ(one.error(), 0);
  EXPECT_EQ(again.error(), 0);
  EXPECT_FALSE(one.outcome().body.has_both);
  EXPECT_TRUE(alone.shard().state().find(file)->has_name("b"));
}

// A server may die, or its device be full, at any commit: the one who made the file must not be told that
// somebody else did.
TEST(Shard, AFileIsMadeAndItsMakerAnsweredInOneCommit) {
  ShardAlone alone;
  const Open request{.path = "lock", .create = true, .exclusive = true};
  alone.keep_fails_with = ENOSPC;
  EXPECT_EQ(alone.ask(request, 7, 1).error(), ENOSPC);
  alone.keep_fails_with = 0;
  EXPECT_EQ(alone.ask(request, 7, 1).error(), 0);
  ASSERT_EQ(alone.commits.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<FileMade>(alone.commits[0].front()));
  EXPECT_TRUE(std::holds_alternative<Answered>(alone.commits[0].back()));
  EXPECT_EQ(alone.ask(request, 7, 1).error(), 0);  // asked again
  EXPECT_EQ(alone.ask(request, 8, 1).error(), EEXIST);
}

TEST(Shard, AFileOfTheBackingDirectoryIsTakenOverByTheOpen) {
  ShardAlone alone;
  std::ofstream(alone.backing().directory() / "a") << "text";
  const auto opened = alone.ask(Open{.path = "a"}, 7, 1);
  ASSERT_EQ(opened.error(), 0);
  EXPECT_TRUE(opened.outcome().body.in_backing);
  EXPECT_EQ(opened.outcome().body.attributes.size, 4u);
  EXPECT_EQ(alone.commits.size(), 1u);
  const auto cut = alone.ask(Open{.path = "a", .truncate = true}, 7, 2);
  EXPECT_EQ(cut.outcome().body.file, opened.outcome().body.file);
  EXPECT_EQ(alone.backing().stat("a").body.size, 0u);
}

// Who asks is in the header, where it is checked; nobody publishes, or takes back, for another.
TEST(Shard, WhatAClientPublishesAndTakesBackIsItsOwn) {
  constexpr std::uint64_t kOne = 7;
  constexpr std::uint64_t kOther = 8;
  ShardAlone alone;
  const FileId file = make_file(alone, "a");
  EXPECT_EQ(alone.ask(Attach{.file = file, .pieces = {{0, 10, 4096, 1}}}, kOne).error(), 0);
  EXPECT_EQ(alone.ask(Append{.file = file, .pieces = {{0, 10, 8192, 1}}}, kOther).error(), 0);
  EXPECT_EQ(alone.ask(Detach{.file = {}, .begin = 0, .end = 100}, kOther).error(), 0);
  const auto left = alone.ask(Query{.file = file, .begin = 0, .end = 100});
  ASSERT_EQ(left.outcome().body.extents.size(), 1u);
  EXPECT_EQ(left.outcome().body.extents[0].where.client, kOne);
}

// The agents that write the backing file were told the attributes of before.
TEST(Shard, AttributesAreNotChangedWhileTheFileIsFlushed) {
  ShardAlone alone;
  const FileId file = make_file(alone, "a");
  const auto flushed = alone.ask(Flush{file});
  const SetAttributes request{.file = file, .with_mode = true, .mode = 0400};
  const auto set = alone.ask(request);
  EXPECT_EQ(set.error(), kAskAgain);
  std::ofstream(alone.backing().directory() / "a");  // as an agent makes it
  alone.run();
  EXPECT_EQ(flushed.error(), 0);
  EXPECT_EQ(alone.ask_until_done(request, set), 0);
  EXPECT_EQ(alone.backing().stat("a").body.mode, 0400u);
}

// Until then an agent that finds the file there knows nothing of its name: another may have made it and died.
TEST(Shard, AgentsAreToldThatAFileIsInTheBackingDirectoryOnceOneHasSaidSo) {
  ShardAlone alone;
  const FileId file = make_file(alone, "a");
  ASSERT_EQ(alone.ask(Attach{.file = file, .pieces = {{0, 10, 4096, 1}}}, 7).error(), 0);
  for (const int error : {EIO, 0}) {
    alone.write_back_fails_with = error;
    const auto flushed = alone.ask(Flush{file});
    alone.run();
    EXPECT_EQ(flushed.error(), error);
    ASSERT_FALSE(alone.write_backs.empty());
    EXPECT_FALSE(alone.write_backs.back().in_backing);
  }
  ASSERT_EQ(alone.ask(Attach{.file = file, .pieces = {{0, 10, 8192, 1}}}, 7).error(), 0);
  alone.ask(Flush{file});
  alone.run();
  EXPECT_EQ(alone.write_backs.size(), 3u);
  EXPECT_TRUE(alone.write_backs.back().in_backing);
}

TEST(Shard, ExtentsThatDoNotFitIntoOneAnswerAreToldInSeveral) {
  ShardAlone alone;
  const FileId file = make_file(alone, "a");
  Attach request{.file = file, .pieces = {}};
  for (std::uint64_t i = 0; i < 10; ++i) request.pieces.push_back({i * 20, 10, 4096 + i * 10, 1});
  ASSERT_EQ(alone.ask(request, 7, 1).error(), 0);
  alone.shard().set_most_extents(4);
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> ends;
  for (std::uint64_t at = 25; at < 500;) {
    const auto told = alone.ask(Query{.file = file, .begin = at, .end = 500}).outcome().body;
    for (const Extent& extent : told.extents) begins.push_back(extent.bytes.begin);
    ends.push_back(at = told.end);
  }
  EXPECT_EQ(begins, (std::vector<std::uint64_t>{25, 40, 60, 80, 100, 120, 140, 160, 180}));
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{100, 180, 500}));
  const Open open{.path = "a", .want_extents = true};
  for (int i = 0; i < 2; ++i) {  // asked again too
    const auto opened = alone.ask(open, 8, 1).outcome().body;
    EXPECT_TRUE(opened.has_more && opened.extents.empty());
  }
  alone.shard().set_most_extents(10);
  const auto opened = alone.ask(open, 8, 2).outcome().body;
  EXPECT_TRUE(!opened.has_more && opened.extents.size() == 10);
}

TEST(Shard, WhatIsTooLongForAMessageIsRefusedAndChangesNothing) {
  ShardAlone alone;
  const FileId file = make_file(alone, "a");
  Attach request{.file = file, .pieces = {}};
  for (std::uint64_t i = 0; i < 100; ++i) request.pieces.push_back({i * 20, 10, 4096 + i * 10, 1});
  ASSERT_EQ(alone.ask(request, 7, 1).error(), 0);
  const Open open{.path = "a", .want_extents = true};
  alone.shard().set_longest_answer(1000);
  EXPECT_EQ(alone.ask(Query{.file = file, .begin = 0, .end = 2000}).error(), EMSGSIZE);
  EXPECT_EQ(alone.ask(Query{.file = file, .begin = 0, .end = 100}).error(), 0);
  EXPECT_EQ(alone.ask(open, 8, 1).error(), EMSGSIZE);
  EXPECT_TRUE(alone.shard().state().find(file)->opens.empty());
  alone.shard().set_longest_answer(100'000);
  EXPECT_EQ(alone.ask(open, 8, 1).outcome().body.extents.size(), 100u);
  EXPECT_EQ(alone.shard().state().find(file)->opens.size(), 1u);
}

}  // namespace
}  // namespace weir::burst
