#include "semantics/conflicts.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::semantics {
namespace {

using consistency::Operation;
using consistency::Operations;

// A file made call by call, each at the next moment. Every call is before all later ones of other processes,
// but for those of threads that nobody hears of.
class Made : public Precedence {
 public:
  explicit Made(std::uint32_t members) {
    for (std::uint32_t i = 0; i < members; ++i) file_.members.push_back({i, {}});
  }

  void write(std::uint32_t member, std::uint8_t flags = 0) { access(member, Access::kWrite | flags); }
  void read(std::uint32_t member, std::uint8_t flags = 0) { access(member, flags); }
  void sync(std::uint32_t member, std::uint32_t operations, std::uint16_t buffer = 0) {
    const std::int64_t start = next_start();
    file_.members[member].syncs.push_back({records_++, start, now_, thread_, operations, buffer});
  }
  void sync(std::uint32_t member, Operation operation, std::uint32_t more = 0, std::uint16_t buffer = 0) {
    sync(member, Operations{operation}.bits() | more, buffer);
  }
  void on_thread(std::uint32_t thread) { thread_ = thread; }
  // The next call begins before the last so many did.
  void began_before(std::int64_t calls) { began_ = calls; }
  void nobody_hears_of(std::uint32_t member, std::uint32_t thread) { unheard_.insert({member, thread}); }

  bool before(const Moment& first, const Moment& second) const override {
    return !unheard_.contains({first.event.process, first.event.thread}) && first.end_ns < second.start_ns;
  }

  // The weakest model that suffices; both ways of looking must agree.
  std::string weakest() const {
    const std::string swept = weakest(false);
    const std::string paired = weakest(true);
    return swept == paired ? swept : "sweep: " + swept + ", all pairs: " + paired;
  }

 private:
  std::int64_t next_start() {
    ++now_;
    const std::int64_t start = began_ == 0 ? now_ : now_ - 1 - began_;
    began_ = 0;
    return start;
  }

  void access(std::uint32_t member, int flags) {
    Access made;
    made.end = 10;
    made.start_ns = next_start();
    made.end_ns = now_;
    made.record = records_++;
    made.thread = thread_;
    made.member = member;
    made.syncs = static_cast<std::uint32_t>(file_.members[member].syncs.size());
    made.flags = static_cast<std::uint8_t>(flags);
    file_.writers += made.writes() ? 1 : 0;
    file_.accesses.push_back(made);
  }

  std::string weakest(bool all_pairs) const {
    const auto models = consistency::built_in_models();
    const FileFindings found = find_conflicts(file_, models, *this, {.all_pairs = all_pairs});
    if (found.races > 0) return "race";
    for (std::size_t m = models.size(); m-- > 0;)
      if (found.sufficient(m, models[m])) return models[m].name;
    return "none";
  }

  File file_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> unheard_;
  std::int64_t now_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t thread_ = 0;
  std::int64_t began_ = 0;
};

TEST(Conflicts, AWriteThatIsStillBufferedOutlastsAnotherOfItsProcess) {
  Made made(2);
  made.write(0, Access::kDelayed);
  made.write(0);
  made.sync(0, Operation::fsync);
  made.sync(0, Operation::close);
  made.sync(1, Operation::open);
  made.read(1);
  made.sync(0, Operation::fclose, SyncPoint::kFlushes);
  EXPECT_EQ(made.weakest(), "race");
}

TEST(Conflicts, AWriteThatWasFlushedDoesNot) {
  Made made(2);
  made.write(0, Access::kDelayed);
  made.sync(0, Operation::fclose, SyncPoint::kFlushes);
  made.write(0);
  made.sync(0, Operation::close);
  made.sync(1, Operation::open);
  made.read(1);
  EXPECT_EQ(made.weakest(), "session");
}

TEST(Conflicts, AWriteOfAThreadThatNobodyHearsOfOutlastsThoseOfOthers) {
  Made made(2);
  made.nobody_hears_of(0, 1);
  made.on_thread(1);
  made.write(0);
  made.on_thread(0);
  made.write(0);
  made.read(1);
  EXPECT_EQ(made.weakest(), "race");
}

TEST(Conflicts, AnotherStreamFlushesNothingOfThisOne) {
  Made made(2);
  made.write(0, Access::kDelayed);
  made.sync(0, Operation::fclose, SyncPoint::kFlushes, 1);
  made.read(1);
  made.sync(0, Operation::fclose, SyncPoint::kFlushes);
  EXPECT_EQ(made.weakest(), "race");
}

// The first close behind the write is of a thread that the reader did not hear of; the fsync is not.
TEST(Conflicts, AnyThreadMayPublishWhatItsProcessWrote) {
  Made made(2);
  made.nobody_hears_of(0, 1);
  made.write(0);
  made.on_thread(1);
  made.sync(0, Operation::open);
  made.sync(0, Operation::close);
  made.on_thread(0);
  made.sync(0, Operation::fsync);
  made.read(1);
  EXPECT_EQ(made.weakest(), "commit");
}

TEST(Conflicts, AnotherThreadPublishesOnlyWhatWasWrittenWhenItBegan) {
  for (const bool again : {false, true}) {
    Made made(2);
    made.write(0);
    made.on_thread(1);
    made.began_before(1);
    made.sync(0, Operation::fsync);
    if (again) made.sync(0, Operation::fsync);
    made.on_thread(0);
    made.read(1);
    EXPECT_EQ(made.weakest(), again ? "commit" : "posix");
  }
}

// The fsync began between two writes, and speaks for the first only.
TEST(Conflicts, WhatHoldsForAWriteNeedNotHoldForOneBesideASync) {
  Made made(2);
  made.write(0);
  made.write(0);
  made.on_thread(1);
  made.began_before(1);
  made.sync(0, Operation::fsync);
  made.on_thread(0);
  made.read(1);
  EXPECT_EQ(made.weakest(), "posix");
}

TEST(Conflicts, AnotherThreadFlushesOnlyWhatWasWrittenWhenItBegan) {
  Made made(2);
  made.write(0, Access::kDelayed);
  made.on_thread(1);
  made.began_before(1);
  made.sync(0, Operation::fflush, SyncPoint::kFlushes);
  made.on_thread(0);
  made.read(1);
  EXPECT_EQ(made.weakest(), "race");
}

TEST(Conflicts, AThreadSeesWhatAnotherOpenedOnlyIfThatWasDoneWhenItBegan) {
  for (const bool beside : {false, true}) {
    Made made(2);
    made.write(0);
    made.sync(0, Operation::close);
    made.sync(0, Operation::open);
    made.on_thread(1);
    made.sync(1, Operation::open);
    made.on_thread(0);
    if (beside) made.began_before(1);
    made.read(1);
    EXPECT_EQ(made.weakest(), beside ? "commit" : "session");
  }
}

TEST(Conflicts, AMappedReadOutlastsAWriteOfItsProcess) {
  Made made(2);
  made.read(0, Access::kDelayed | Access::kMapped);
  made.write(0);
  made.sync(0, Operation::close);
  made.sync(1, Operation::open);
  made.write(1);
  made.sync(0, SyncPoint::kFlushes);
  EXPECT_EQ(made.weakest(), "race");
}

}  // namespace
}  // namespace weir::semantics
