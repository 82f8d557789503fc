#include "burst/journal.hpp"

#include <atomic>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "burst/journal_records.hpp"

namespace weir::burst {
namespace {

using Records = std::vector<std::pair<std::uint32_t, std::string>>;

struct Journals : testing::Test {
  ScratchDir folder;
  std::filesystem::path path = folder.path() / "journal";

  Result<Journal> open(Records& records) {
    records.clear();
    return Journal::open(path, [&](std::uint32_t type, ByteSpan body) {
      records.emplace_back(type, std::string(as_text(body)));
    });
  }
  Records reread() {
    Records records;
    const auto journal = open(records);
    EXPECT_TRUE(journal.has_value()) << journal.error().text();
    return records;
  }
  std::string bytes() { return *read_text(path); }
  void write(std::string_view text) { std::ofstream(path, std::ios::binary) << text; }
  // Three commits of 1, 2 and 3 records.
  void three_commits() {
    Records none;
    Journal journal = *open(none);
    std::uint32_t type = 0;
    for (int commit = 1; commit <= 3; ++commit) {
      for (int i = 0; i < commit; ++i) {
        ++type;
        journal.add(type, as_bytes(std::string(type * 3, 'a')));
      }
      ASSERT_TRUE(journal.commit());
    }
  }
};

TEST_F(Journals, WhatIsCommittedComesBackInOrder) {
  Records records;
  {
    Journal journal = *open(records);
    EXPECT_TRUE(records.empty());
    journal.add(7, as_bytes("one"));
    journal.add(8, {});
    ASSERT_TRUE(journal.commit());
    ASSERT_TRUE(journal.append(7, as_bytes("three")));
    journal.add(9, as_bytes("never committed"));
    ASSERT_TRUE(journal.sync());
    EXPECT_EQ(journal.records(), 4u);
  }
  const Records expected{{7, "one"}, {8, ""}, {7, "three"}};
  EXPECT_EQ(reread(), expected);
  Journal journal = *open(records);
  EXPECT_EQ(journal.cut_bytes(), 0u);
  ASSERT_TRUE(journal.append(1, as_bytes("four")));
  EXPECT_EQ(journal.size_bytes(), std::filesystem::file_size(path));
}

TEST_F(Journals, OneProcessAtATime) {
  Records records;
  const Journal journal = *open(records);
  const auto second = open(records);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text(), testing::HasSubstr("another process"));
}

TEST_F(Journals, ACommitThatWasCutOffIsRemovedWhole) {
  three_commits();
  const std::string whole = bytes();
  const Records all = reread();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    write(std::string_view(whole).substr(0, length));
    Records records;
    {
      auto journal = open(records);
      ASSERT_TRUE(journal) << journal.error().text();
      const bool between = length == 0 || journal->size_bytes() == length;
      EXPECT_EQ(journal->cut_bytes() == 0, between);
      EXPECT_TRUE(records.empty() || records.size() == 1 || records.size() == 3) << records.size();
      EXPECT_TRUE(std::equal(records.begin(), records.end(), all.begin()));
      ASSERT_TRUE(journal->append(99, as_bytes("on")));
    }
    const Records before = records;
    Records after = reread();
    ASSERT_EQ(after.size(), before.size() + 1);
    EXPECT_EQ(after.back(), (Records::value_type{99, "on"}));
  }
}

TEST_F(Journals, DamageInTheMiddleIsAnErrorThatSaysWhatIsWhole) {
  three_commits();
  const std::string whole = bytes();
  const Records all = reread();
  const std::size_t second = kJournalHeader + kRecordHeader + 8;  // where the second commit begins
  const std::size_t third = second + 2 * kRecordHeader + 8 + 16;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write(damaged);
    Records records;
    const auto journal = open(records);
    if (at >= third) {  // as if the last commit had been cut off; or padding, which says nothing
      ASSERT_TRUE(journal) << journal.error().text();
      EXPECT_THAT(records.size(), testing::AnyOf(3u, 6u));
      continue;
    }
    if (journal.has_value()) {
      EXPECT_EQ(records, all);  // padding
      continue;
    }
    EXPECT_TRUE(records.empty());
    EXPECT_EQ(bytes(), damaged);
    if (at < kJournalHeader) continue;
    EXPECT_THAT(journal.error().text(), testing::HasSubstr("damaged at byte"));
    Records saved;
    const auto salvage = salvage_journal(path, [&](std::uint32_t type, ByteSpan body) {
      saved.emplace_back(type, std::string(as_text(body)));
    });
    ASSERT_TRUE(salvage);
    EXPECT_EQ(salvage->records, saved.size());
    EXPECT_EQ(salvage->lost_records, all.size() - saved.size());
    EXPECT_EQ(saved.size(), at < second ? 5u : 4u);
    EXPECT_EQ(saved.back(), all.back());
  }
}

TEST_F(Journals, OtherFilesAreRefusedAndLeftAlone) {
  write("this is something else, longer than a header of 32 bytes");
  Records records;
  EXPECT_EQ(open(records).error().code(), Errc::bad_data);
  EXPECT_EQ(bytes().substr(0, 7), "this is");
  EXPECT_EQ(Journal::open(folder.path() / "no" / "journal", [](std::uint32_t, ByteSpan) {}).error().code(),
            Errc::not_found);
}

TEST_F(Journals, ReplacingKeepsTheStateInFewerRecords) {
  Records records;
  {
    Journal journal = *open(records);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(journal.append(1, as_bytes("change")));
    const std::uint64_t before = journal.size_bytes();
    ASSERT_TRUE(journal.replace([](const Journal::Add& add) {
      for (int i = 0; i < 3; ++i) add(2, as_bytes("state"));
    }));
    EXPECT_LT(journal.size_bytes(), before / 10);
    EXPECT_EQ(journal.size_bytes(), std::filesystem::file_size(path));
    ASSERT_TRUE(journal.append(1, as_bytes("more")));
    EXPECT_EQ(open(records).error().code(), Errc::usage);  // still alone
  }
  EXPECT_EQ(reread(), (Records{{2, "state"}, {2, "state"}, {2, "state"}, {1, "more"}}));
}

TEST_F(Journals, ALargeStateIsOneCommit) {
  Records records;
  const std::string body(100'000, 'x');
  {
    Journal journal = *open(records);
    ASSERT_TRUE(journal.replace([&](const Journal::Add& add) {
      for (int i = 0; i < 50; ++i) add(2, as_bytes(body));
    }));
    ASSERT_TRUE(journal.append(3, {}));
  }
  EXPECT_EQ(reread().size(), 51u);
}

TEST_F(Journals, AnEmptyStateIsAnEmptyJournal) {
  Records records;
  {
    Journal journal = *open(records);
    ASSERT_TRUE(journal.append(1, as_bytes("gone")));
    ASSERT_TRUE(journal.replace([](const Journal::Add&) {}));
    ASSERT_TRUE(journal.append(1, as_bytes("kept")));
  }
  EXPECT_EQ(reread(), (Records{{1, "kept"}}));
}

TEST_F(Journals, LeftOversOfAReplacementGo) {
  std::ofstream(folder.path() / "journal.4711.0.tmp") << "half";
  std::ofstream(folder.path() / "other.tmp") << "kept";
  Records records;
  const Journal journal = *open(records);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "journal.4711.0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "other.tmp"));
}

// A limit on the size of files stands for a full device: a write that does not fit comes back short, then
// fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(Journals, AFullDeviceLeavesTheJournalAsItWas) {
  Records records;
  {
    Journal journal = *open(records);
    ASSERT_TRUE(journal.append(1, as_bytes("kept")));
    const std::uint64_t size = journal.size_bytes();
    {
      const FileSizeLimit full(size + 100);
      EXPECT_FALSE(journal.append(2, as_bytes(std::string(1000, 'x'))));
      EXPECT_EQ(journal.size_bytes(), size);
      EXPECT_EQ(std::filesystem::file_size(path), size);
      EXPECT_FALSE(
          journal.replace([](const Journal::Add& add) { add(3, as_bytes(std::string(1000, 'y'))); }));
      EXPECT_EQ(std::filesystem::file_size(path), size);
    }
    ASSERT_TRUE(journal.append(4, as_bytes("goes on")));
  }
  EXPECT_EQ(reread(), (Records{{1, "kept"}, {4, "goes on"}}));
}

TEST_F(Journals, WhatWasCommittedSurvivesKill9) {
  auto* acknowledged = static_cast<std::atomic<std::uint64_t>*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  Random random(1);
  std::uint64_t before = 0;
  for (int round = 0; round < 10; ++round) {
    acknowledged->store(before);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto journal = Journal::open(path, [](std::uint32_t, ByteSpan) {});
      for (std::uint64_t i = before; journal; ++i) {
        if (i % 50 == 49)  // now and then all so far becomes one list
          static_cast<void>(journal->replace([&](const Journal::Add& add) {
            for (std::uint64_t j = 0; j < i; ++j) add(1, as_bytes(std::to_string(j)));
          }));
        if (!journal->append(1, as_bytes(std::to_string(i)))) ::_exit(1);
        acknowledged->store(i + 1);
      }
      ::_exit(1);
    }
    const std::uint64_t until = before + 1 + random.below(200);
    while (acknowledged->load() < until) std::this_thread::yield();
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const Records records = reread();
    ASSERT_GE(records.size(), acknowledged->load());
    ASSERT_LE(records.size(), acknowledged->load() + 1);  // written and not yet said
    for (std::size_t i = 0; i < records.size(); ++i) ASSERT_EQ(records[i].second, std::to_string(i));
    before = records.size();
  }
  ::munmap(acknowledged, 4096);
}

// The page docs/formats/burst-journal.md shows these bytes.
TEST_F(Journals, HasTheBytesOfItsFormatPage) {
  Records records;
  {
    Journal journal = *open(records);
    journal.add(5, as_bytes("hi"));
    ASSERT_TRUE(journal.commit());
  }
  std::string hex;
  for (const char c : bytes()) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  EXPECT_EQ(hex,
            "574549524a524e4c01000000000000000000000000000000"
            "2c044b9c068473e2"
            "574a524305000000010000000000000002000000"
            "03000000a8ea048184383ee06869000000000000");
}

}  // namespace
}  // namespace weir::burst
