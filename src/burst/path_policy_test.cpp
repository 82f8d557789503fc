// A job's policy rows: each file under the model of the first row that its path matches.
#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

std::shared_ptr<File> open_by_path(FileSystem& system, const std::string& path) {
  auto opened = system.open(path, O_RDWR | O_CREAT, 0600);
  EXPECT_EQ(opened.error, 0) << path;
  return opened.body;
}

// What a reader sees that has the file open from before: after a write, after its fsync, after a close; and
// who opens the file then.
struct Seen {
  std::string written, synced, closed, opened_anew;
  bool operator==(const Seen&) const = default;
};

Seen seen_of(TestCluster& cluster, const std::string& path) {
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto writer = open_by_path(*one, path);
  const auto reader = open_by_path(*two, path);
  Seen seen;
  EXPECT_EQ(write_text(*writer, "a", 0), 0);
  seen.written = read_text_at(*reader, 9, 0);
  EXPECT_EQ(writer->sync(consistency::Operation::fsync), 0);
  seen.synced = read_text_at(*reader, 9, 0);
  EXPECT_EQ(writer->close(), 0);
  seen.closed = read_text_at(*reader, 9, 0);
  seen.opened_anew = read_text_at(*open_by_path(*two, path), 9, 0);
  return seen;
}

TEST(PathPolicy, EachFileHasTheModelOfTheFirstRowThatMatches) {
  TestCluster cluster(2);
  std::filesystem::create_directories(cluster.backing() / "sub");
  cluster.job().model = "posix";
  const std::string mount = cluster.job().mount.string();
  cluster.job().policy =
      "# weir policy 1\nposix-lock " + mount + "/sub/l.a\nsession *.a\ncommit " + mount + "/*.b\nposix *.b\n";
  const Seen session{"", "", "", "a"};
  const Seen commit{"", "a", "a", "a"};
  const Seen posix{"a", "a", "a", "a"};
  EXPECT_EQ(seen_of(cluster, "f.a"), session);
  EXPECT_EQ(seen_of(cluster, mount + "/g.a"), session);
  EXPECT_EQ(seen_of(cluster, "sub/h.a"), session);
  EXPECT_EQ(seen_of(cluster, "f.b"), commit);
  EXPECT_EQ(seen_of(cluster, "sub/f.b"), commit);
  EXPECT_EQ(seen_of(cluster, "f.c"), posix);
  EXPECT_EQ(seen_of(cluster, "sub/l.a"), posix);

  const auto system = cluster.client();
  EXPECT_EQ(&open_by_path(*system, "sub/l.a")->policy(), *find_policy("posix-lock"));
  EXPECT_EQ(&open_by_path(*system, "f.c")->policy(), *find_policy("posix"));
}

TEST(PathPolicy, WhoNamesAModelGetsThat) {
  TestCluster cluster(2);
  cluster.job().model = "session";
  cluster.job().policy = "# weir policy 1\nsession *\n";
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  EXPECT_EQ(write_text(*open_with(*one, "f", "posix"), "a", 0), 0);
  EXPECT_EQ(read_text_at(*open_by_path(*two, "f"), 9, 0), "a");
}

// A file that is handed on open, as to a started program, is found by its number.
TEST(PathPolicy, AFileThatIsHandedOnHasTheModelOfItsPath) {
  TestCluster cluster;
  cluster.job().model = "posix";
  cluster.job().policy = "# weir policy 1\ncommit *.b\n";
  const auto one = cluster.client();
  const auto two = cluster.client();
  for (const auto& [path, model] : {std::pair{"f.b", "commit"}, std::pair{"f", "posix"}}) {
    const auto file = open_by_path(*one, path);
    const auto adopted = two->adopt(file->id(), O_RDWR);
    ASSERT_EQ(adopted.error, 0);
    EXPECT_EQ(&adopted.body->policy(), *find_policy(model));
  }
}

TEST(PathPolicy, APolicyThatIsNoneIsRefused) {
  TestCluster cluster;
  for (const char* const wrong : {"sometimes *\n", "session\n", "# weir policy 9\nsession *\n"}) {
    cluster.job().policy = wrong;
    EXPECT_FALSE(FileSystem::connect(cluster.job(), 0)) << wrong;
  }
}

}  // namespace
}  // namespace weir::burst
