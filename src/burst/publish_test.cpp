#include <atomic>
#include <string>
#include <thread>

#include "burst/test_cluster.hpp"

// Publications, and requests, that no single message holds.
namespace weir::burst {
namespace {

constexpr std::uint64_t kPieces = 10;

void write_pieces(File& file, char letter) {
  for (std::uint64_t i = 0; i < kPieces; ++i) ASSERT_EQ(write_text(file, std::string(3, letter), i * 10), 0);
}

std::string pieces_of(char letter) {
  std::string text;
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    text.resize(i * 10, '\0');
    text += std::string(3, letter);
  }
  return text;
}

TEST(Publish, PiecesThatDoNotFitIntoOneMessageGoInSeveral) {
  TestCluster cluster;
  cluster.job().most_extents = 4;
  const auto one = cluster.client();
  const auto two = cluster.client();
  const auto writer = open_with(*one, "a", "commit");
  const auto reader = open_with(*two, "a", "commit");
  const auto questions_of = [&](const auto& publish) {
    const std::uint64_t before = one->session().questions();
    EXPECT_EQ(publish(), 0);
    return one->session().questions() - before;
  };
  write_pieces(*writer, 'a');
  EXPECT_EQ(questions_of([&] { return writer->attach({0, 33}); }), 1u);  // four
  EXPECT_EQ(read_text_at(*reader, 1000, 0), pieces_of('a').substr(0, 33));
  EXPECT_EQ(questions_of([&] { return writer->attach_all(); }), 2u);  // the other six
  EXPECT_EQ(read_text_at(*reader, 1000, 0), pieces_of('a'));
  EXPECT_EQ(questions_of([&] { return writer->attach_all(); }), 0u);
  write_pieces(*writer, 'b');
  ASSERT_EQ(two->unlink("a"), 0);
  EXPECT_EQ(questions_of([&] { return writer->close(); }), 3u);  // the last one closes the file too
  EXPECT_EQ(read_text_at(*reader, 1000, 0), pieces_of('b'));
}

TEST(Publish, EachOfSeveralMessagesCountsOnceWhateverTheNetworkDoes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestCluster cluster(2, 1, {.drop = 0.2, .duplicate = 0.2, .reorder = true}, seed);
    cluster.job().most_extents = 3;
    cluster.restart(0);
    cluster.restart(1);
    const auto one = cluster.client(0);
    const auto two = cluster.client(1);
    for (const std::string name : {"a", "b", "c"}) {
      const auto writer = open_with(*one, name, "session");
      write_pieces(*writer, 'a');
      ASSERT_EQ(writer->attach_all(), 0);
      write_pieces(*writer, 'b');
      ASSERT_EQ(writer->close(), 0);
      ASSERT_EQ(read_text_at(*open_with(*two, name, "session", O_RDONLY), 1000, 0), pieces_of('b'));
    }
  }
}

TEST(Publish, WhatOneAnswerDoesNotTellIsAskedFor) {
  TestCluster cluster;
  cluster.job().most_extents = 4;
  cluster.restart(0);
  const auto one = cluster.client();
  const auto two = cluster.client();
  for (const std::string model : {"posix", "commit", "session", "eventual"}) {
    SCOPED_TRACE(model);
    const auto writer = open_with(*one, model, model);
    write_pieces(*writer, 'a');
    ASSERT_EQ(writer->attach_all(), 0);
    const auto reader = open_with(*two, model, model);
    EXPECT_EQ(read_text_at(*reader, 1000, 0), pieces_of('a'));
    std::vector<Extent> extents;
    EXPECT_EQ(reader->owners({0, 1000}, extents), 0);
    EXPECT_EQ(extents.size(), kPieces);
    write_pieces(*writer, 'b');
    ASSERT_EQ(writer->close(), 0);
    EXPECT_EQ(read_text_at(*open_with(*two, model, model), 1000, 0), pieces_of('b'));
  }
}

// Each publication writes all pieces: whoever looks meanwhile sees one of them, whole.
TEST(Publish, WhatIsToldInSeveralAnswersIsOfOneMoment) {
  TestCluster cluster;
  const auto one = cluster.client();  // publishes in one message
  cluster.job().most_extents = 4;
  cluster.restart(0);
  const auto two = cluster.client();
  const auto writer = open_with(*one, "a", "commit");
  const auto reader = open_with(*two, "a", "commit");
  write_pieces(*writer, 'a');
  ASSERT_EQ(writer->attach_all(), 0);
  std::atomic<bool> done = false;
  std::thread writing([&] {
    for (int i = 0; i < 200; ++i) {
      write_pieces(*writer, static_cast<char>('a' + i % 26));
      EXPECT_EQ(writer->attach_all(), 0);
    }
    done = true;
  });
  while (!done) {
    const std::string text = read_text_at(*reader, 1000, 0);
    EXPECT_EQ(text, pieces_of(text[0]));
  }
  writing.join();
}

// It is not asked again: no server says more to it.
TEST(Publish, ARequestThatIsTooLongFailsByItselfAndHarmsNothing) {
  TestCluster cluster;
  const auto system = cluster.client();
  const StatName request{std::string(transport::kLongestMessage, 'x')};
  EXPECT_EQ(system->session().ask({0, 0}, request).error, EMSGSIZE);
  EXPECT_EQ(system->session().ask({0, 0}, StatName{"x"}).error, ENOENT);
}

}  // namespace
}  // namespace weir::burst
