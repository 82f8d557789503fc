#include <cstdlib>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "burst/litmus_model_test.hpp"
#include "burst/test_cluster.hpp"
#include "burst/verify_protocol.hpp"

// Verify mode: a read is stale exactly where posix would have given other bytes.
namespace weir::burst {
namespace {

using consistency::Operation;

class Verify : public testing::Test {
 protected:
  Verify() : cluster_(2) {
    cluster_.job().verify = true;
    a_ = cluster_.client(0);
    b_ = cluster_.client(1);
  }

  Verdict verdict() {
    Verdict all;
    for (std::uint32_t server = 0; server < 2; ++server) {
      const auto one = a_->session().ask({server, 0}, AskVerdict{});
      EXPECT_EQ(one.error, 0);
      all.checked += one.body.checked;
      all.stale += one.body.stale;
      all.reads.insert(all.reads.end(), one.body.reads.begin(), one.body.reads.end());
    }
    return all;
  }

  TestCluster cluster_;
  std::unique_ptr<FileSystem> a_;
  std::unique_ptr<FileSystem> b_;
};

TEST_F(Verify, AReadBeforeTheWriterHasPublishedIsNamed) {
  const auto writer = open_with(*a_, "x", "session");
  const auto reader = open_with(*b_, "x", "session");
  ASSERT_EQ(write_text(*writer, "newer", 10), 0);
  EXPECT_EQ(read_text_at(*reader, 100, 0), "");
  const Verdict found = verdict();
  EXPECT_EQ(found.checked, 1u);
  EXPECT_EQ(found.stale, 1u);
  ASSERT_EQ(found.reads.size(), 1u);
  const StaleRead& read = found.reads[0];
  EXPECT_EQ(read.path, "x");
  EXPECT_EQ(read.bytes, (Span{10, 15}));
  EXPECT_EQ(read.missing, Missing::publish);
  EXPECT_EQ(read.reader.node, 1u);
  ASSERT_TRUE(read.writer);
  EXPECT_EQ(read.writer->node, 0u);
}

TEST_F(Verify, AReaderThatHasNotLookedSinceIsNamed) {
  const auto writer = open_with(*a_, "x", "session");
  const auto reader = open_with(*b_, "x", "session");
  ASSERT_EQ(write_text(*writer, "newer", 0), 0);
  ASSERT_EQ(writer->close(), 0);
  EXPECT_EQ(read_text_at(*reader, 5, 0), "");
  EXPECT_EQ(read_text_at(*reader, 5, 0), "");
  const Verdict found = verdict();
  EXPECT_EQ(found.stale, 2u);
  ASSERT_EQ(found.reads.size(), 1u);
  EXPECT_EQ(found.reads[0].missing, Missing::look);
  EXPECT_EQ(found.reads[0].times, 2u);
}

TEST_F(Verify, OpeningAfterTheCloseIsRight) {
  const auto writer = open_with(*a_, "x", "session");
  ASSERT_EQ(write_text(*writer, "newer", 0), 0);
  EXPECT_EQ(read_text_at(*writer, 5, 0), "newer");
  ASSERT_EQ(writer->close(), 0);
  const auto reader = open_with(*b_, "x", "session");
  EXPECT_EQ(read_text_at(*reader, 100, 0), "newer");
  EXPECT_EQ(verdict().checked, 2u);
  EXPECT_EQ(verdict().stale, 0u);
}

TEST_F(Verify, AnOlderWriteThatIsPublishedLaterIsNamed) {
  const auto first = open_with(*a_, "x", "session");
  const auto second = open_with(*b_, "x", "session");
  ASSERT_EQ(write_text(*first, "older", 0), 0);
  ASSERT_EQ(write_text(*second, "newer", 0), 0);
  ASSERT_EQ(second->close(), 0);
  ASSERT_EQ(first->close(), 0);
  EXPECT_EQ(read_text_at(*open_with(*b_, "x", "session"), 5, 0), "older");
  const Verdict found = verdict();
  ASSERT_EQ(found.reads.size(), 1u);
  EXPECT_EQ(found.reads[0].missing, Missing::order);
}

TEST_F(Verify, WhatTheBackingFileHasIsRight) {
  const auto writer = open_with(*a_, "x", "commit");
  ASSERT_EQ(write_text(*writer, "newer", 0), 0);
  ASSERT_EQ(writer->flush(), 0);
  for (std::uint32_t server = 0; server < 2; ++server)
    ASSERT_EQ(a_->session().ask({server, 0}, AskReclaim{Reclaim::flushed}).error, 0);
  const auto reader = open_with(*b_, "x", "commit");
  EXPECT_EQ(read_text_at(*reader, 5, 0), "newer");
  EXPECT_EQ(verdict().stale, 0u);
}

TEST_F(Verify, BytesThatWereCutOffAreStale) {
  const auto writer = open_with(*a_, "x", "session");
  ASSERT_EQ(write_text(*writer, "0123456789", 0), 0);
  ASSERT_EQ(writer->attach_all(), 0);
  const auto reader = open_with(*b_, "x", "session");
  EXPECT_EQ(read_text_at(*reader, 10, 0), "0123456789");
  EXPECT_EQ(verdict().stale, 0u);
  ASSERT_EQ(writer->truncate(4), 0);
  EXPECT_EQ(read_text_at(*reader, 4, 0), "0123");
  EXPECT_EQ(verdict().stale, 0u);
  EXPECT_EQ(read_text_at(*reader, 10, 0), "0123456789");
  EXPECT_EQ(verdict().stale, 1u);
}

TEST_F(Verify, NothingIsAskedUnderPosix) {
  for (const char* const model : {"posix", "posix-lock"}) {
    const auto writer = open_with(*a_, model, model);
    const auto reader = open_with(*b_, model, model);
    ASSERT_EQ(write_text(*writer, "newer", 0), 0);
    EXPECT_EQ(read_text_at(*reader, 5, 0), "newer");
  }
  EXPECT_EQ(verdict().checked, 0u);
}

// Random programs, against what the model shows and what posix would: no report is wrong, none is missing.
class VerifiedPrograms : public testing::TestWithParam<const char*> {};

TEST_P(VerifiedPrograms, ExactlyTheReadsThatDifferAreStale) {
  const std::string_view name = GetParam();
  const consistency::Model* const model = name == "none" ? nullptr : consistency::find_model(name);
  TestCluster cluster(2);
  cluster.job().verify = true;
  std::vector<std::unique_ptr<FileSystem>> systems;
  for (std::uint32_t i = 0; i < 3; ++i) systems.push_back(cluster.client(i % 2));
  std::uint64_t stale = 0;
  const std::uint64_t programs = std::getenv("WEIR_LONG_TESTS") != nullptr ? 2000 : 40;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    LitmusModel weak(model, systems.size());
    LitmusModel strong(consistency::find_model("posix"), systems.size());
    std::vector<std::shared_ptr<File>> files(systems.size());
    const std::string path = std::string(name) + std::to_string(seed);
    for (int step = 0; step < 40; ++step) {
      const std::size_t p = random.below(systems.size());
      if (!files[p]) {
        files[p] = open_with(*systems[p], path, name);
        weak.open(p);
        strong.open(p);
        continue;
      }
      const std::uint64_t choice = random.below(10);
      if (choice < 4) {
        const std::size_t begin = random.below(LitmusModel::kBytes);
        const std::size_t length = 1 + random.below(LitmusModel::kBytes - begin);
        const std::string text(length, static_cast<char>('0' + step));
        ASSERT_EQ(write_text(*files[p], text, begin), 0);
        weak.write(p, begin, text);
        strong.write(p, begin, text);
      } else if (choice < 8) {
        const std::string got = read_text_at(*files[p], LitmusModel::kBytes, 0);
        ASSERT_EQ(got, weak.read(p)) << "step " << step;
        if (got != strong.read(p)) ++stale;
      } else if (choice < 9) {
        ASSERT_EQ(files[p]->sync(Operation::fsync), 0);
        weak.sync(p);
      } else {
        ASSERT_EQ(files[p]->close(), 0);
        files[p].reset();
        weak.close(p);
        strong.close(p);
      }
    }
  }
  std::uint64_t found = 0;
  for (std::uint32_t server = 0; server < 2; ++server)
    found += systems[0]->session().ask({server, 0}, AskVerdict{}).body.stale;
  EXPECT_EQ(found, stale);
  EXPECT_GT(stale, 0u);
}

INSTANTIATE_TEST_SUITE_P(Models, VerifiedPrograms, testing::Values("commit", "session", "none"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace weir::burst
