#include "burst/recovery.hpp"

#include <cerrno>
#include <fstream>

#include <gmock/gmock.h>

#include "base/file.hpp"
#include "burst/lock_seats.hpp"
#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Recoveries : testing::Test {
  TestCluster cluster{2, 2};
  std::unique_ptr<FileSystem> one = cluster.client(0);
  std::unique_ptr<FileSystem> two = cluster.client(1);

  void write(FileSystem& system, const std::string& path, std::string_view text, std::uint64_t offset = 0) {
    const auto file = open_with(system, path, "commit");
    EXPECT_EQ(write_text(*file, text, offset), 0);
    EXPECT_EQ(file->close(), 0);
  }
  std::uint64_t client_two = two->session().client();

  // Nothing is flushed: the servers are just gone.
  void kill_all() {
    one.reset();
    two.reset();
    cluster.kill(0);
    cluster.kill(1);
  }
  std::vector<FoundBuffer> buffers() { return *find_buffers(cluster.backing().parent_path()); }
  std::string content(const std::string& path) {
    const auto text = read_text(cluster.backing() / path);
    return text ? *text : "nothing";
  }
  static std::uint64_t lost(const Recovery& recovery) {
    std::uint64_t bytes = 0;
    for (const RecoveredFile& file : recovery.files) bytes += file.lost_bytes;
    return bytes;
  }
};

TEST_F(Recoveries, BringOutWhatWasAttachedAndNameWhatWasNot) {
  std::filesystem::create_directory(cluster.backing() / "d");
  for (int i = 0; i < 10; ++i) {
    write(*one, "d/f" + std::to_string(i), "first of " + std::to_string(i));
    write(*two, "d/f" + std::to_string(i), "more", 20);
  }
  write(*one, "flushed", "flushed");
  EXPECT_EQ(open_with(*one, "flushed", "commit")->flush(), 0);
  write(*one, "gone", "gone");
  EXPECT_EQ(one->unlink("gone"), 0);
  write(*two, "old", "renamed");
  EXPECT_EQ(two->rename("old", "new"), 0);
  EXPECT_EQ(one->link(one->look("new").body.file, "d/linked"), 0);
  open_with(*two, "empty", "commit")->close();
  write(*one, "cut", "0123456789");
  EXPECT_EQ(open_with(*one, "cut", "commit")->truncate(4), 0);
  {
    const auto unpublished = open_with(*two, "unpublished", "none");
    EXPECT_EQ(write_text(*unpublished, "nobody saw this", 0), 0);
  }
  kill_all();

  for (int round = 0; round < 2; ++round) {
    const auto recovery = recover(buffers(), {});
    ASSERT_TRUE(recovery) << recovery.error().text();
    EXPECT_TRUE(recovery->is_complete());
    EXPECT_THAT(recovery->problems, IsEmpty());
    for (int i = 0; i < 10; ++i) {
      std::string expected = "first of " + std::to_string(i);
      expected.resize(20, '\0');
      EXPECT_EQ(content("d/f" + std::to_string(i)), expected + "more");
    }
    EXPECT_EQ(content("flushed"), "flushed");
    EXPECT_EQ(content("gone"), "nothing");
    EXPECT_EQ(content("old"), "nothing");
    EXPECT_EQ(content("new"), "renamed");
    EXPECT_EQ(content("d/linked"), "renamed");
    EXPECT_EQ(std::filesystem::hard_link_count(cluster.backing() / "new"), 2U);
    EXPECT_EQ(content("empty"), "");
    EXPECT_EQ(content("cut"), "0123");
    ASSERT_EQ(recovery->files.size(), 14U);  // f0..f9, cut, empty, new, unpublished
    ASSERT_EQ(recovery->unpublished.size(), 2U);
    EXPECT_EQ(recovery->unpublished[1].server, 1U);
    EXPECT_EQ(recovery->unpublished[1].client, client_two);
    EXPECT_EQ(recovery->unpublished[1].bytes, 15U);
  }
  remove_buffers(buffers(), *recover(buffers(), {}));
  EXPECT_FALSE(find_buffers(cluster.backing().parent_path()));
}

// What was written under tokens was answered and is seen by all, though no owner was told of it.
TEST_F(Recoveries, BringOutWhatWasWrittenUnderTokens) {
  constexpr int kFiles = 8;  // of all owners
  one.reset();
  two.reset();
  auto writer = cluster.client(0);
  auto second = cluster.client(0);
  auto other_node = cluster.client(1);
  std::vector<std::shared_ptr<File>> files;
  const auto write_by_token = [&](FileSystem& system, const std::string& path, std::string_view text,
                                  std::uint64_t offset) {
    files.push_back(open_with(system, path, "posix-lock"));
    EXPECT_EQ(write_text(*files.back(), text, offset), 0);
  };
  for (int i = 0; i < kFiles; ++i) {
    write_by_token(*writer, "t" + std::to_string(i), "aaaa", 0);
    write_by_token(*second, "t" + std::to_string(i), "bb", 1);
    write_by_token(*other_node, "u" + std::to_string(i), "uuu", 4);
  }
  write_by_token(*writer, "gone", "gone", 0);
  EXPECT_EQ(writer->unlink("gone"), 0);
  cluster.kill(0);
  cluster.kill(1);
  for (int round = 0; round < 2; ++round) {
    const auto recovery = recover(buffers(), {});
    ASSERT_TRUE(recovery) << recovery.error().text();
    EXPECT_TRUE(recovery->is_complete());
    EXPECT_EQ(recovery->bytes, static_cast<std::uint64_t>(kFiles) * (4 + 3));
    for (int i = 0; i < kFiles; ++i) {
      EXPECT_EQ(content("t" + std::to_string(i)), "abba");
      EXPECT_EQ(content("u" + std::to_string(i)), std::string("\0\0\0\0uuu", 7));
    }
    EXPECT_EQ(content("gone"), "nothing");
    for (const UnpublishedBytes& row : recovery->unpublished)
      EXPECT_NE(row.client, other_node->session().client());
  }
  // A ring that is no ring: nobody knows what was in it.
  const auto flip_rings = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(locks_of(buffers()[0].server, 0))) {
      if (!client_of_ring(entry.path().filename().string())) continue;
      std::fstream ring(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      ring.seekg(lock::HoldTable::kBytes);
      const auto first = static_cast<char>(ring.get() ^ 1);
      ring.seekp(lock::HoldTable::kBytes);
      ring.put(first);
    }
  };
  flip_rings();
  const auto poor = recover(buffers(), {});
  ASSERT_TRUE(poor);
  EXPECT_FALSE(poor->is_complete());
  EXPECT_THAT(poor->problems, Contains(HasSubstr("wrote under tokens is unknown")));
  flip_rings();
  cluster.restart(0);  // so that the files can be closed
  cluster.restart(1);
}

TEST_F(Recoveries, AreRefusedWhileAServerRuns) {
  write(*one, "a", "a");
  one.reset();
  cluster.kill(0);
  const auto all = buffers();
  const auto recovery = recover(all, {});
  ASSERT_FALSE(recovery);
  EXPECT_THAT(recovery.error().text(), HasSubstr("server 1 of this job still runs"));
  const auto only_dead = recover(std::span(all).first(1), {});
  ASSERT_FALSE(only_dead);
  EXPECT_EQ(content("a"), "nothing");
  // And no server starts meanwhile, which is the same lock.
}

TEST_F(Recoveries, OfOneNodeSayWhatIsMissing) {
  for (int i = 0; i < 20; ++i) {
    write(*one, "f" + std::to_string(i), "one");
    write(*two, "f" + std::to_string(i), "two", 3);
  }
  kill_all();
  const auto all = buffers();
  ASSERT_EQ(all.size(), 2U);
  std::uint64_t bytes = 0;
  for (const FoundBuffer& buffer : all) {
    const auto part = recover(std::span(&buffer, 1), {});
    ASSERT_TRUE(part) << part.error().text();
    EXPECT_FALSE(part->is_complete());
    EXPECT_GT(part->bytes, 0U);
    EXPECT_EQ(lost(*part), part->bytes);  // of each file here, the half that the other node has
    EXPECT_THAT(part->problems, Contains(HasSubstr("was not given")));
    EXPECT_THAT(part->unpublished, IsEmpty());  // not known
    bytes += part->bytes;
  }
  EXPECT_EQ(bytes, 20U * 3);
  // With the journals of the other node, all that is in this node's segments.
  const auto copy = cluster.backing().parent_path() / "copy";
  std::filesystem::create_directory(copy);
  for (const auto& entry : std::filesystem::directory_iterator(all[1].server.directory))
    if (entry.is_regular_file()) std::filesystem::copy(entry.path(), copy);
  const auto half = recover(std::vector{all[0], find_buffers(copy)->front()}, {});
  ASSERT_TRUE(half) << half.error().text();
  EXPECT_EQ(half->bytes, 20U * 3);
  EXPECT_EQ(lost(*half), 20U * 3);
  EXPECT_THAT(half->problems, IsEmpty());
  const auto whole = recover(all, {});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->is_complete());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(content("f" + std::to_string(i)), "onetwo");
}

TEST_F(Recoveries, LookingWritesNothing) {
  write(*one, "a", "text");
  kill_all();
  const auto looked = recover(buffers(), {.backing = {}, .only_look = true});
  ASSERT_TRUE(looked);
  EXPECT_EQ(looked->bytes, 4U);
  EXPECT_EQ(content("a"), "nothing");
}

TEST_F(Recoveries, OfDamagedBuffersGiveWhatIsWhole) {
  write(*one, "a", std::string(100, 'a'));
  write(*two, "a", std::string(100, 'b'), 100);
  kill_all();
  const auto all = buffers();
  const auto segment = segments_of(all[1].server) / segment_name(client_two, 1);
  {
    std::fstream damage(segment, std::ios::in | std::ios::out | std::ios::binary);
    damage.seekp(30);
    damage.put('x');
  }
  auto recovery = recover(all, {});
  ASSERT_TRUE(recovery);
  ASSERT_EQ(recovery->files.size(), 1U);
  EXPECT_EQ(recovery->files[0].bytes, 100U);
  EXPECT_EQ(recovery->files[0].lost_bytes, 100U);
  EXPECT_THAT(recovery->files[0].why, ElementsAre(HasSubstr("is damaged")));
  EXPECT_FALSE(recovery->is_complete());
  EXPECT_EQ(content("a").substr(0, 100), std::string(100, 'a'));
  std::filesystem::remove(segment);
  recovery = recover(all, {});
  ASSERT_TRUE(recovery);
  EXPECT_THAT(recovery->files[0].why, ElementsAre(HasSubstr("is gone")));
  // No journal, one that is something else, one that is cut in its header.
  for (const std::string_view text : {"", "not a journal at all, but long enough for one", "WEIRJRNL"}) {
    for (std::uint32_t worker = 0; worker < 2; ++worker)
      std::ofstream(journal_of(all[0].server, worker), std::ios::binary) << text;
    const auto poor = recover(all, {});
    ASSERT_TRUE(poor);
    EXPECT_EQ(poor->is_complete() || text.empty(), text.empty());
  }
}

TEST_F(Recoveries, SayWhenTheBackingDirectoryTakesNothing) {
  std::filesystem::create_directory(cluster.backing() / "d");
  write(*one, "d/a", "text");
  write(*one, "b", "text");
  kill_all();
  std::filesystem::remove(cluster.backing() / "d");
  std::ofstream(cluster.backing() / "d") << "in the way";
  const auto recovery = recover(buffers(), {});
  ASSERT_TRUE(recovery);
  EXPECT_FALSE(recovery->is_written);
  EXPECT_EQ(recovery->files[1].write_error, ENOTDIR);
  EXPECT_EQ(content("b"), "text");  // the others come out all the same
  EXPECT_FALSE(recover(buffers(), {.backing = cluster.backing() / "nowhere", .only_look = false}));
  EXPECT_EQ(find_buffers(cluster.backing() / "nowhere").error().code(), Errc::not_found);
}

}  // namespace
}  // namespace weir::burst
