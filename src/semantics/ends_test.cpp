// Who appends to a file or asks for its end relies on all who write it.
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "semantics/order/made_program_test.hpp"
#include "semantics/program_order.hpp"
#include "semantics/verdict.hpp"
#include "trace/made_run_test.hpp"

namespace weir::semantics {
namespace {

using namespace trace::made;  // NOLINT(google-build-using-namespace): parts of calls

// The weakest model that suffices; both ways of looking must agree.
std::string weakest_of(const trace::TraceFile& trace) {
  const auto accesses = rebuild({&trace});
  EXPECT_TRUE(accesses);
  const ProgramOrder order(*accesses);
  std::string found;
  for (const bool all_pairs : {false, true}) {
    VerdictOptions options;
    options.conflicts.all_pairs = all_pairs;
    const Verdict verdict = judge(*accesses, {}, order, options);
    std::string one = verdict.races > 0 ? "race" : "none";
    if (verdict.weakest) one = verdict.models[*verdict.weakest].name;
    if (!found.empty() && found != one) return "swept: " + found + ", all pairs: " + one;
    found = one;
  }
  return found;
}

// Two processes with one file, one call after the other. Their times are in the trace, or nothing tells their
// order.
class Ends : public testing::Test {
 protected:
  void call(std::size_t process, std::string_view name, const std::vector<Part>& arguments,
            const Part& result) {
    while (lanes_.size() <= process) {
      const std::uint64_t number = 100 + lanes_.size();
      lanes_.push_back(std::make_unique<Lane>(run_.path(), Lane::About{.process = number}));
      lanes_.back()->program("/bin/app", "/data", std::string("app\0", 4));
      lanes_.back()->thread(number);
    }
    lanes_[process]->call(name, 0, arguments, result, now_ += 100, 10);
  }
  void open(std::size_t process, int how) {
    call(process, "open", {path("log"), literal(how), literal(0644)}, opened(0, 3));
  }
  void write(std::size_t process) { call(process, "write", {handle(0), absent(), literal(10)}, literal(10)); }
  void write_at(std::size_t process, std::uint64_t offset) {
    call(process, "pwrite", {handle(0), absent(), literal(10), literal(static_cast<std::int64_t>(offset))},
         literal(10));
  }
  void seek_end(std::size_t process, std::uint64_t end) {
    call(process, "lseek", {handle(0), literal(0), literal(SEEK_END)},
         literal(static_cast<std::int64_t>(end)));
  }
  void truncate(std::size_t process, std::int64_t length) {
    call(process, "ftruncate", {handle(0), literal(length)}, literal(0));
  }
  void fsync(std::size_t process) { call(process, "fsync", {handle(0)}, literal(0)); }
  void close(std::size_t process) { call(process, "close", {handle(0)}, literal(0)); }

  std::string weakest(trace::TimingMode timing) {
    lanes_.clear();
    EXPECT_TRUE(merge(run_.path(), timing));
    const auto opened = trace::TraceFile::open(run_.path());
    EXPECT_TRUE(opened);
    return weakest_of(*opened);
  }
  std::string in_order() { return weakest(trace::TimingMode::lossless); }
  std::string in_any_order() { return weakest(trace::TimingMode::off); }

 private:
  ScratchDir run_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::uint64_t now_ = 0;
};

TEST_F(Ends, AppendsInAnyOrderNeedPosix) {
  for (const std::size_t process : {0U, 1U}) {
    open(process, O_WRONLY | O_CREAT | O_APPEND);
    write(process);
    write(process);
    close(process);
  }
  EXPECT_EQ(in_any_order(), "posix");
}

TEST_F(Ends, AnAppendMustSeeTheEndThatAnotherMade) {
  open(0, O_WRONLY | O_CREAT | O_APPEND);
  open(1, O_WRONLY | O_CREAT | O_APPEND);
  write(0);
  write(1);
  EXPECT_EQ(in_order(), "posix");
}

TEST_F(Ends, AnAppendBehindACommitSeesIt) {
  open(0, O_WRONLY | O_CREAT | O_APPEND);
  open(1, O_WRONLY | O_CREAT | O_APPEND);
  write(0);
  fsync(0);
  write(1);
  EXPECT_EQ(in_order(), "commit");
}

TEST_F(Ends, AnAppendOfOneWhoOpenedItAfterTheCloseSeesIt) {
  open(0, O_WRONLY | O_CREAT | O_APPEND);
  write(0);
  close(0);
  open(1, O_WRONLY | O_CREAT | O_APPEND);
  write(1);
  EXPECT_EQ(in_order(), "session");
}

TEST_F(Ends, AnAppendBesideAWriteBehindTheEndIsARace) {
  open(0, O_WRONLY | O_CREAT | O_APPEND);
  write(0);
  open(1, O_WRONLY | O_CREAT);
  write_at(1, 500);
  EXPECT_EQ(in_any_order(), "race");
}

// Rank 2 knows of the second append only: had that been the first one, the other would lie where it writes.
TEST(EndsOfRanks, AWriteOverOneOfTwoAppendsMustKnowOfBoth) {
  made::Program program(3);
  for (const int rank : {0, 1}) {
    program.call(rank, "open", {path("log"), literal(O_WRONLY | O_CREAT | O_APPEND), literal(0644)},
                 opened(0, 3));
    program.call(rank, "write", {handle(0), absent(), literal(10)}, literal(10));
  }
  program.send(1, 2);
  program.receive(2, 1);
  program.call(2, "open", {path("log"), literal(O_WRONLY | O_CREAT), literal(0644)}, opened(0, 3));
  program.call(2, "pwrite", {handle(0), absent(), literal(8), literal(12)}, literal(8));
  EXPECT_EQ(weakest_of(program.trace()), "race");
}

TEST_F(Ends, LookingForTheEndWhileAnotherMovesItIsARace) {
  for (const std::size_t process : {0U, 1U}) {
    open(process, O_WRONLY | O_CREAT);
    seek_end(process, 10 * process);
    write(process);
  }
  EXPECT_EQ(in_any_order(), "race") << "though they did not overlap this time";
}

TEST_F(Ends, LookingForAnEndThatWasCommittedNeedsCommit) {
  open(0, O_WRONLY | O_CREAT);
  open(1, O_WRONLY | O_CREAT);
  write(0);
  fsync(0);
  seek_end(1, 10);
  write(1);
  EXPECT_EQ(in_order(), "commit");
}

TEST_F(Ends, OfAFileThatOneWritesMatterToNobodyElse) {
  open(0, O_WRONLY | O_CREAT | O_APPEND);
  write(0);
  seek_end(0, 10);
  write(0);
  open(1, O_RDONLY | O_CREAT);
  EXPECT_EQ(in_any_order(), "eventual");
}

TEST_F(Ends, CuttingOffAnOldFileBesideAReadIsARace) {
  open(0, O_WRONLY | O_TRUNC);
  open(1, O_RDONLY);
  call(1, "read", {handle(0), absent(), literal(100)}, literal(0));
  EXPECT_EQ(in_any_order(), "race");
}

TEST_F(Ends, ReadingAStreamToItsEndWhileAnotherMovesItIsARace) {
  open(0, O_WRONLY);
  write_at(0, 10);
  call(1, "fopen", {path("log"), text("r")}, opened(0, 3));
  call(1, "fgets", {literal(10), literal(80), handle(0)}, absent());
  call(1, "fgets", {absent(), literal(80), handle(0)}, failed(0));
  EXPECT_EQ(in_any_order(), "race") << "though the write was not seen this time";
}

// Had the second been first, its bytes would be gone.
TEST_F(Ends, CuttingOffANewFileBesideAWriteIsARace) {
  open(0, O_WRONLY | O_CREAT | O_TRUNC);
  open(1, O_WRONLY | O_CREAT);
  write_at(1, 100);
  EXPECT_EQ(in_any_order(), "race");
}

TEST_F(Ends, CuttingOffBeforeOthersWriteIsNone) {
  open(0, O_WRONLY | O_CREAT | O_TRUNC);
  open(1, O_WRONLY | O_CREAT);
  write_at(0, 0);
  write_at(1, 100);
  EXPECT_EQ(in_order(), "eventual");
}

TEST_F(Ends, CuttingOffTwiceDoesTheSameInAnyOrder) {
  open(0, O_WRONLY | O_TRUNC);
  open(1, O_WRONLY | O_TRUNC);
  EXPECT_EQ(in_any_order(), "eventual");
}

TEST_F(Ends, WhoCutsOffDoesNotSpeakForWhatWasThere) {
  open(0, O_WRONLY | O_CREAT);
  write_at(0, 0);
  truncate(0, 0);
  open(1, O_WRONLY | O_CREAT);
  truncate(1, 0);
  EXPECT_EQ(in_any_order(), "race") << "of the write and the second one that cuts off";
}

// Nobody can have written it before.
TEST_F(Ends, AFileThatWasNotThereIsNotCutOff) {
  open(0, O_WRONLY | O_CREAT | O_EXCL | O_TRUNC);
  open(1, O_WRONLY);
  write_at(1, 100);
  EXPECT_EQ(in_any_order(), "eventual");
}

}  // namespace
}  // namespace weir::semantics
