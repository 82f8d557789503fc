// Asynchronous requests, rings, and metadata operations by who made them.
#include <array>
#include <cerrno>
#include <string>

#include <aio.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "semantics/accesses.hpp"
#include "trace/made_run_test.hpp"

namespace weir::semantics {
namespace {

using namespace trace::made;  // NOLINT(google-build-using-namespace): parts of calls

// As the recorder keeps an aiocb: descriptor, operation, offset, bytes, address.
Part request(std::int64_t offset, std::int64_t bytes, std::int64_t address, int descriptor = 3) {
  const std::int64_t asked[] = {descriptor, 0, offset, bytes, address};
  return text(std::string(reinterpret_cast<const char*>(asked), sizeof asked));
}

// As it keeps a list of them.
Part requests(const std::vector<std::array<std::int64_t, 5>>& list) {
  return text(std::string(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list[0]));
}

class Requests : public testing::Test {
 protected:
  Requests() : lane_(std::make_unique<Lane>(run_.path(), Lane::About{})) {
    lane_->program("/bin/app", "/data", std::string("app\0", 4));
    lane_->thread(100);
    lane_->call("open", 0, {path("a"), literal(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 100, 10);
  }
  void call(std::string_view name, const std::vector<Part>& arguments, const Part& result,
            std::uint32_t depth = 0) {
    lane_->call(name, depth, arguments, result, now_ += 100, 10);
  }
  // MPI opens a file, and writes to it by a request of the C library that nobody sees complete.
  void write_by_mpi() {
    call("open", {path("m"), literal(O_RDWR | O_CREAT), literal(0644)}, opened(1, 4), 1);
    call("MPI_File_open", {text("MPI_COMM_WORLD"), path("m"), literal(9), null(), opened(2, -1)}, literal(0));
    call("aio_write", {request(0, 512, 1, 4)}, literal(0), 1);
    call("MPI_File_iwrite_at",
         {handle(2), literal(0), absent(), literal(512), text("MPI_BYTE"), literal(kRequest)}, literal(0));
  }
  // The records at which what was written is complete.
  std::vector<std::uint64_t> completions() {
    const Accesses& accesses = rebuilt();
    EXPECT_EQ(accesses.files.size(), 1U);
    const File& file = accesses.files.front();
    EXPECT_EQ(file.accesses.size(), 1U);
    std::vector<std::uint64_t> found;
    for (const SyncPoint& sync : file.members.front().syncs)
      if ((sync.operations & SyncPoint::kFlushes) != 0 && sync.buffer == file.accesses.front().buffer)
        found.push_back(sync.record);
    return found;
  }
  static constexpr std::int64_t kRequest = 4096;

  const Accesses& rebuilt() {
    lane_.reset();
    EXPECT_TRUE(merge(run_.path()));
    auto opened = trace::TraceFile::open(run_.path());
    EXPECT_TRUE(opened);
    trace_ = std::make_unique<trace::TraceFile>(*std::move(opened));
    auto made = rebuild({trace_.get()});
    EXPECT_TRUE(made);
    accesses_ = *std::move(made);
    return accesses_;
  }

 private:
  ScratchDir run_;
  std::unique_ptr<Lane> lane_;
  std::uint64_t now_ = 200;
  std::unique_ptr<trace::TraceFile> trace_;
  Accesses accesses_;
};

TEST_F(Requests, LastUntilSomebodyLearnsThatTheyAreDone) {
  call("aio_write", {request(4096, 512, 1)}, literal(0));
  call("aio_read", {request(0, 100, 2)}, literal(0));
  call("aio_error", {request(4096, 512, 1)}, literal(115));  // EINPROGRESS
  call("aio_error", {request(4096, 512, 1)}, literal(0));
  call("aio_return", {request(4096, 512, 1)}, literal(512));
  call("aio_return", {request(0, 100, 2)}, literal(60));  // short
  const Accesses& accesses = rebuilt();
  ASSERT_EQ(accesses.files.size(), 1U);
  const File& file = accesses.files.front();
  ASSERT_EQ(file.accesses.size(), 2U);
  const Access& write = file.accesses[0];
  EXPECT_TRUE(write.writes() && write.delayed());
  EXPECT_EQ(write.begin, 4096);
  EXPECT_EQ(write.end, 4608);
  const Access& read = file.accesses[1];
  EXPECT_TRUE(!read.writes() && read.delayed());
  EXPECT_EQ(read.end, 60);
  std::vector<std::uint64_t> flushes;  // of the write, then of the read
  for (const SyncPoint& sync : file.members.front().syncs)
    if ((sync.operations & SyncPoint::kFlushes) != 0 &&
        (sync.buffer == write.buffer || sync.buffer == read.buffer))
      flushes.push_back(sync.record);
  ASSERT_GE(flushes.size(), 2U);
  EXPECT_EQ(flushes[0], 4U);
  EXPECT_EQ(flushes[1], 6U);
  EXPECT_EQ(accesses.unfollowed, 0U);
}

TEST_F(Requests, ThatFailedTouchNothing) {
  call("aio_write", {request(0, 512, 1)}, literal(0));
  call("aio_return", {request(0, 512, 1)}, failed(28));
  EXPECT_TRUE(rebuilt().files.empty());
}

TEST_F(Requests, BehindTheRecordedPartOfAListAreCountedAsNotFollowed) {
  call("aio_return", {request(0, 512, 7)}, literal(512));
  EXPECT_EQ(rebuilt().unfollowed, 1U);
}

TEST_F(Requests, OfAListThatIsWaitedForAreDoneWhenTheCallReturns) {
  call("lio_listio",
       {literal(LIO_WAIT),
        requests({{3, LIO_WRITE, 0, 512, 1}, {-1, LIO_NOP, 0, 0, 0}, {3, LIO_READ, 1024, 100, 2}}),
        literal(3), absent()},
       literal(0));
  call("aio_return", {request(0, 512, 1)}, literal(512));
  call("aio_return", {request(1024, 100, 2)}, literal(60));
  const Accesses& accesses = rebuilt();
  EXPECT_EQ(accesses.unfollowed, 0U);
  ASSERT_EQ(accesses.files.size(), 1U);
  const File& file = accesses.files.front();
  ASSERT_EQ(file.accesses.size(), 2U);
  EXPECT_TRUE(file.accesses[0].writes());
  EXPECT_EQ(file.accesses[0].end, 512);
  EXPECT_FALSE(file.accesses[1].writes());
  EXPECT_EQ(file.accesses[1].begin, 1024);
  EXPECT_EQ(file.accesses[1].end, 1084);
  for (const Access& access : file.accesses) EXPECT_FALSE(access.delayed());
}

TEST_F(Requests, OfAListThatNobodyWaitsForLastLikeSingleOnes) {
  call("lio_listio",
       {literal(LIO_NOWAIT), requests({{3, LIO_WRITE, 0, 512, 1}, {3, LIO_WRITE, 512, 512, 2}}), literal(4),
        absent()},
       literal(0));
  call("aio_return", {request(0, 512, 1)}, literal(512));
  const Accesses& accesses = rebuilt();
  EXPECT_EQ(accesses.unfollowed, 2U);  // the list had four, two are in the trace
  ASSERT_EQ(accesses.files.size(), 1U);
  ASSERT_EQ(accesses.files.front().accesses.size(), 2U);
  for (const Access& access : accesses.files.front().accesses)
    EXPECT_TRUE(access.writes() && access.delayed());
}

TEST_F(Requests, OfAListThatFailedMayBeUnderWay) {
  call("lio_listio", {literal(LIO_WAIT), requests({{3, LIO_WRITE, 0, 512, 1}}), literal(1), absent()},
       failed(EIO));
  call("lio_listio", {literal(7), requests({{3, LIO_WRITE, 9000, 512, 2}}), literal(1), absent()},
       failed(EINVAL));
  const Accesses& accesses = rebuilt();
  ASSERT_EQ(accesses.files.size(), 1U);
  ASSERT_EQ(accesses.files.front().accesses.size(), 1U);
  EXPECT_TRUE(accesses.files.front().accesses.front().delayed());
  EXPECT_EQ(accesses.files.front().accesses.front().end, 512);
}

TEST_F(Requests, OfMpiAreCompleteWhenItSaysSo) {
  write_by_mpi();
  call("MPI_Test", {literal(kRequest), literal(0), absent()}, literal(0));
  call("MPI_Test", {literal(kRequest), literal(1), absent()}, literal(0));
  EXPECT_THAT(completions(), testing::ElementsAre(6U));
}

TEST_F(Requests, OfMpiAreCompleteAmongOthers) {
  write_by_mpi();
  const Part both = list(item(7) + item(kRequest));
  call("MPI_Testany", {literal(2), both, literal(0), literal(1), absent()}, literal(0));
  call("MPI_Testsome", {literal(2), both, literal(1), list(item(1)), list("")}, literal(0));
  EXPECT_THAT(completions(), testing::ElementsAre(6U));
}

TEST_F(Requests, OfMpiAreCompleteWithAllOthers) {
  write_by_mpi();
  const Part both = list(item(7) + item(kRequest));
  call("MPI_Testall", {literal(2), both, literal(0), list("")}, literal(0));
  call("MPI_Testall", {literal(2), both, literal(1), list("")}, literal(0));
  EXPECT_THAT(completions(), testing::ElementsAre(6U));
}

TEST_F(Requests, OfMpiThatWereSeenToBeCompleteAreNoMore) {
  write_by_mpi();
  call("aio_error", {request(0, 512, 1, 4)}, literal(0), 1);
  call("aio_return", {request(0, 512, 1, 4)}, literal(512), 1);
  call("MPI_Wait", {literal(kRequest), absent()}, literal(0));
  EXPECT_THAT(completions(), testing::ElementsAre(5U));
}

TEST_F(Requests, OfMpiAreKnownToBeCompleteByLooking) {
  write_by_mpi();
  call("MPI_Request_get_status", {literal(kRequest), literal(0), absent()}, literal(0));
  call("MPI_Request_get_status", {literal(kRequest), literal(1), absent()}, literal(0));
  EXPECT_THAT(completions(), testing::ElementsAre(6U));
}

TEST_F(Requests, OfMpiThatNobodyCompletedLast) {
  write_by_mpi();
  call("MPI_Wait", {literal(kRequest + 1), absent()}, literal(0));
  EXPECT_THAT(completions(), testing::IsEmpty());
}

TEST_F(Requests, MetadataIsCountedByLayerAndMaker) {
  call("stat", {path("a"), absent()}, literal(0));
  call("stat", {path("a"), absent()}, literal(0), 2);
  call("MPI_File_get_size", {handle(5), absent()}, literal(0), 1);
  call("H5Lexists", {literal(1), text("x"), literal(0)}, literal(1));
  std::vector<std::string> found;
  for (const MetadataCount& one : rebuilt().metadata)
    found.push_back(one.layer + " " + one.function + " " + std::to_string(static_cast<int>(one.made_by)) +
                    " x" + std::to_string(one.calls));
  EXPECT_THAT(found, testing::UnorderedElementsAre("hdf5 H5Lexists 0 x1", "mpiio MPI_File_get_size 2 x1",
                                                   "posix stat 0 x1", "posix stat 1 x1"));
}

}  // namespace
}  // namespace weir::semantics
