// Asynchronous requests, rings, and metadata operations by who made them.
#include <string>

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
Part request(std::int64_t offset, std::int64_t bytes, std::int64_t address) {
  const std::int64_t asked[] = {3, 0, offset, bytes, address};
  return text(std::string(reinterpret_cast<const char*>(asked), sizeof asked));
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

TEST_F(Requests, OfListsAreCountedAsNotFollowed) {
  call("aio_return", {request(0, 512, 7)}, literal(512));
  EXPECT_EQ(rebuilt().unfollowed, 1U);
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
