// Names and the files they lead to, when others change them at the same moment or a server has died in
// between.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include <fmt/format.h>

#include "burst/change.hpp"
#include "burst/journal.hpp"
#include "burst/test_cluster.hpp"
#include "transport/channel.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;

// A name that this server owns.
std::string name_on(const Job& job, std::uint32_t server, std::string_view prefix) {
  for (int i = 0;; ++i)
    if (std::string name = fmt::format("{}{}", prefix, i); job.layout().home_of(name).server == server)
      return name;
}

void add_to_journal(const Job& job, FileId file, const Change& change) {
  auto journal =
      Journal::open(journal_of(job.servers[file.home().server], file.home().worker), [](auto, auto) {});
  ASSERT_TRUE(journal) << journal.error().text();
  ASSERT_TRUE(journal->append(static_cast<std::uint32_t>(change.index()), encode_change(change)));
}

// A process of its own that says what it likes.
class Speaker {
 public:
  explicit Speaker(const Job& job) : job_(job) {
    auto channel = transport::Channel::connect({.socket = socket_of(job.servers[0]).string(),
                                                .secret = job.secret,
                                                .version = kProtocolVersion,
                                                .resume = 0},
                                               20s);
    EXPECT_TRUE(channel) << channel.error().text();
    channel_ = std::move(*channel);
  }
  template <class Body>
  Outcome<typename Body::Answer> ask(Home to, const Body& body, std::uint64_t sequence) {
    const Header header{.to_server = to.server, .client = channel_->client(), .sequence = sequence};
    return decode_answer<typename Body::Answer>(channel_->call(to.worker, encode_request(header, body), 20s));
  }
  std::uint64_t client() const { return channel_->client(); }
  Home home_of(std::string_view path) const { return job_.layout().home_of(path); }

 private:
  Job job_;
  std::unique_ptr<transport::Channel> channel_;
};

TEST(Names, ANameThatOthersPutFilesUnderLeadsToOneOfThemAtAnyMoment) {
  TestCluster cluster(2);
  const std::string there = name_on(cluster.job(), 1, "there");
  const auto mover = cluster.client(0);
  const auto looker = cluster.client(1);
  ASSERT_EQ(open_with(*mover, there, "session")->close(), 0);
  // Until the looker has had its turns: a busy machine may let it in late.
  std::atomic<std::uint64_t> looks = 0;
  std::atomic<bool> over = false;
  std::thread moving([&] {
    for (int i = 0; i < 100 || looks < 20; ++i) {
      // Of another owner than the name: who opens it asks twice.
      const std::string fresh = name_on(cluster.job(), 0, fmt::format("fresh{}-", i));
      EXPECT_EQ(open_with(*mover, fresh, "session")->close(), 0);
      EXPECT_EQ(mover->rename(fresh, there), 0);
      if (testing::Test::HasFailure()) break;
    }
    over = true;
  });
  Attributes attributes;
  for (; !over; ++looks) {
    EXPECT_EQ(looker->open(there, O_RDONLY, 0).error, 0);
    EXPECT_EQ(looker->stat(there, attributes), 0);
  }
  moving.join();
}

// As a server leaves it that died after the file was taken away and before its name was.
TEST(Names, ANameWhoseFileIsGoneIsNoName) {
  for (const std::uint32_t owner : {0U, 1U}) {  // of the name; the file is server 0's
    SCOPED_TRACE(owner);
    TestCluster cluster(2);
    const auto system = cluster.client(0);
    const std::string first = name_on(cluster.job(), 0, "first");
    const std::string name = name_on(cluster.job(), owner, "name");
    FileId file;
    {
      const auto made = open_with(*system, first, "session");
      file = made->id();
      ASSERT_EQ(write_text(*made, "old", 0), 0);
    }
    ASSERT_EQ(system->rename(first, name), 0);
    cluster.kill(0);
    add_to_journal(cluster.job(), file, FileGone{file});
    cluster.restart(0);
    Attributes attributes;
    EXPECT_EQ(system->stat(name, attributes), ENOENT);
    EXPECT_EQ(system->open(name, O_RDONLY, 0).error, ENOENT);
    const auto fresh = open_with(*system, name, "session");
    ASSERT_NE(fresh, nullptr);
    EXPECT_EQ(read_text_at(*fresh, 9, 0), "");
    EXPECT_EQ(write_text(*fresh, "new", 0), 0);
    EXPECT_EQ(fresh->close(), 0);
    EXPECT_EQ(read_text_at(*open_with(*system, name, "session"), 9, 0), "new");
  }
}

// A server that dies right after an unlink or a rename is asked again: what it had done is not denied.
TEST(Names, AnUnlinkOrRenameAskedAgainAfterADeathIsAnsweredAsBefore) {
  TestCluster cluster(1);
  Speaker speaker(cluster.job());
  std::uint64_t sequence = 0;
  for (const std::string name : {"a", "b"})
    ASSERT_EQ(speaker.ask(speaker.home_of(name), Open{.path = name, .create = true}, ++sequence).error, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(speaker.ask(speaker.home_of("a"), Unlink{"a"}, 10).error, 0);
    EXPECT_EQ(speaker.ask(speaker.home_of("b"), Rename{"b", "c"}, 11).error, 0);
  }
  // One commit holds both: a journal that ends with the name's end ends with the answer.
  std::vector<Change> changes;
  cluster.kill(0);
  ASSERT_TRUE(salvage_journal(
      journal_of(cluster.job().servers[0], 0),
      [&](std::uint32_t type, ByteSpan body) { changes.push_back(std::move(*decode_change(type, body))); }));
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (std::holds_alternative<NameGone>(changes[i])) {
      ASSERT_LT(i + 1, changes.size());
      EXPECT_TRUE(std::holds_alternative<Answered>(changes[i + 1]));
    }
}

// The file's owner keeps the name and that it has answered for it in one commit: the owner of the name may
// die before it has, and be asked again.
TEST(Names, ALinkAskedAgainAfterADeathIsAnsweredAsBefore) {
  TestCluster cluster(2);
  Speaker speaker(cluster.job());
  const std::string first = name_on(cluster.job(), 1, "first");
  const std::string second = name_on(cluster.job(), 0, "second");
  const auto made = speaker.ask(speaker.home_of(first), Open{.path = first, .create = true}, 1);
  ASSERT_EQ(made.error, 0);
  const FileId file = made.body.file;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(speaker.ask(speaker.home_of(second), LinkName{second, file}, 10).error, 0);
  EXPECT_EQ(speaker.ask(speaker.home_of(second), LinkName{second, file}, 11).error, EEXIST);
  EXPECT_EQ(speaker.ask(speaker.home_of(second), LinkName{second, FileId{~std::uint64_t{0}}}, 12).error,
            ENOENT);
  std::vector<Change> changes;
  cluster.kill(1);
  ASSERT_TRUE(salvage_journal(
      journal_of(cluster.job().servers[1], 0),
      [&](std::uint32_t type, ByteSpan body) { changes.push_back(std::move(*decode_change(type, body))); }));
  const auto added =
      std::ranges::find_if(changes, [](const Change& one) { return std::holds_alternative<NameAdded>(one); });
  ASSERT_NE(added, changes.end());
  const auto* const answered = std::get_if<Answered>(&*std::next(added));
  ASSERT_NE(answered, nullptr);
  EXPECT_EQ(answered->client, speaker.client());
  EXPECT_EQ(answered->sequence, 10u);
}

TEST(Names, AnOpenAskedAgainShowsTheFileAndIsNotKeptWithAllOfIt) {
  constexpr std::uint64_t kPieces = 20'000;
  TestCluster cluster(1);
  const auto system = cluster.client();
  const auto file = open_with(*system, "scattered", "none");
  for (std::uint64_t i = 0; i < kPieces; ++i) ASSERT_EQ(write_text(*file, "x", i * 2), 0);
  ASSERT_EQ(file->attach_all(), 0);
  const auto journal = journal_of(cluster.job().servers[0], 0);
  const auto before = std::filesystem::file_size(journal);
  Speaker speaker(cluster.job());
  const Open request{.path = "scattered", .want_extents = true};
  for (int i = 0; i < 3; ++i) {
    const auto opened = speaker.ask(speaker.home_of("scattered"), request, 7);
    ASSERT_EQ(opened.error, 0);
    EXPECT_EQ(opened.body.extents.size(), kPieces);
    EXPECT_EQ(opened.body.attributes.size, kPieces * 2 - 1);
  }
  EXPECT_LT(std::filesystem::file_size(journal) - before, 4096u);
}

TEST(Names, BytesOfANodeThatIsNotThereAreNotPublished) {
  TestCluster cluster(2);
  Speaker speaker(cluster.job());
  const Home home = speaker.home_of("f");
  const auto opened = speaker.ask(home, Open{.path = "f", .create = true}, 1);
  ASSERT_EQ(opened.error, 0);
  const FileId id = opened.body.file;
  const std::vector<LogPiece> pieces = {{0, 10, 4096, 1}};
  EXPECT_EQ(speaker.ask(home, Attach{.file = id, .node = 2, .pieces = pieces}, 2).error, EINVAL);
  EXPECT_EQ(speaker.ask(home, Append{.file = id, .node = 9, .pieces = pieces}, 3).error, EINVAL);
  EXPECT_EQ(speaker.ask(home, Flush{id}, 0).error, 0);
}

// Threads open and close a file while another has unpublished bytes in it: all opens of a process show them.
TEST(Names, OpensOfOneProcessAreOfOneFile) {
  TestCluster cluster(1);
  const auto system = cluster.client();
  std::atomic<bool> over = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i)
    others.emplace_back([&] {
      while (!over) EXPECT_EQ(open_with(*system, "f", "none")->close(), 0);
    });
  for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
    const auto writer = open_with(*system, "f", "none");
    const std::string text = fmt::format("{:04}", i);
    EXPECT_EQ(write_text(*writer, text, 0), 0);
    EXPECT_EQ(read_text_at(*open_with(*system, "f", "none"), 9, 0), text);
  }
  over = true;
  for (std::thread& other : others) other.join();
}

}  // namespace
}  // namespace weir::burst
