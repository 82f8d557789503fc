#include "workload/job.hpp"

#include <array>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace weir::workload {
namespace {

using testing::HasSubstr;

TEST(Job, FieldsAreSetByNameAndText) {
  Job job;
  for (const auto& [field, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"mode", "stride_read"},
                                                                  {"engine", "uring"},
                                                                  {"workers", "processes"},
                                                                  {"count", "8"},
                                                                  {"file_size", "64M"},
                                                                  {"record_size", "64k"},
                                                                  {"layout", "shared"},
                                                                  {"sync", "direct"},
                                                                  {"cache", "cold"},
                                                                  {"stride", "5"},
                                                                  {"depth", "16"},
                                                                  {"read_share", "0.25"},
                                                                  {"sync_at_end", "false"},
                                                                  {"verify", "true"},
                                                                  {"seed", "18446744073709551615"},
                                                                  {"directory", "/scratch"}})
    ASSERT_TRUE(set_field(job, field, value)) << field;
  EXPECT_EQ(job.mode, Mode::stride_read);
  EXPECT_EQ(job.engine, Engine::uring);
  EXPECT_EQ(job.workers, Workers::processes);
  EXPECT_EQ(job.count, 8U);
  EXPECT_EQ(job.file_size, Bytes(64U << 20U));
  EXPECT_EQ(job.record_size, Bytes(65536));
  EXPECT_EQ(job.layout, Layout::shared);
  EXPECT_EQ(job.sync, Sync::direct);
  EXPECT_EQ(job.cache, Cache::cold);
  EXPECT_EQ(job.depth, 16U);
  EXPECT_EQ(job.read_share, 0.25);
  EXPECT_FALSE(job.sync_at_end);
  EXPECT_TRUE(job.verify);
  EXPECT_EQ(job.seed, ~std::uint64_t{0});
  EXPECT_EQ(job.directory, "/scratch");
  ASSERT_TRUE(set_field(job, "engine", "default"));
  EXPECT_EQ(job.engine, std::nullopt);
}

TEST(Job, WrongFieldsAndValuesSayWhatWouldDo) {
  Job job;
  const auto refused = [&](const char* field, const char* value) {
    const auto done = set_field(job, field, value);
    return done ? std::string("accepted") : done.error().text();
  };
  EXPECT_THAT(refused("recordsize", "4k"), HasSubstr("did you mean record_size?"));
  EXPECT_THAT(refused("zzz", "4k"), HasSubstr("there are: mode, engine"));
  EXPECT_THAT(refused("mode", "scribble"), HasSubstr("initial_write, rewrite"));
  EXPECT_THAT(refused("record_size", "many"), HasSubstr("is not a size"));
  EXPECT_THAT(refused("count", "-1"), HasSubstr("whole number"));
  EXPECT_THAT(refused("count", "4294967296"), HasSubstr("4294967295"));
  EXPECT_THAT(refused("count", ""), HasSubstr("whole number"));
  EXPECT_THAT(refused("read_share", "nan"), HasSubstr("0.5"));
  EXPECT_THAT(refused("keep", "yes"), HasSubstr("true, false"));
}

TEST(Job, ComesBackFromJson) {
  Job job;
  job.mode = Mode::aggregate_write;
  job.engine = Engine::stdio;
  job.flush = Flush::reopen;
  job.flush_every = Bytes(8192);
  job.read_share = 0.1;
  job.seed = ~std::uint64_t{0};
  job.directory = "/a b/ü";
  const Json json = to_json(job);
  const auto back = job_from_json(json);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), json);
  EXPECT_EQ(back->seed, job.seed);
  EXPECT_FALSE(job_from_json(Json::array()));
  EXPECT_FALSE(job_from_json(Json{{"mode", nullptr}}));
  EXPECT_FALSE(job_from_json(Json{{"unknown", 1}}));
}

TEST(Job, SenselessJobsAreRefusedWithARemedy) {
  const auto refusal = [](auto change) {
    Job job;
    change(job);
    const auto fine = check(job);
    return fine ? std::string("accepted") : fine.error().text();
  };
  EXPECT_EQ(refusal([](Job&) {}), "accepted");
  EXPECT_THAT(refusal([](Job& job) { job.count = 0; }), HasSubstr("at least one worker"));
  EXPECT_THAT(refusal([](Job& job) { job.record_size = Bytes(0); }), HasSubstr("record_size is 0"));
  EXPECT_THAT(refusal([](Job& job) { job.record_size = Bytes(2U << 20U); }),
              HasSubstr("larger than the file"));
  EXPECT_THAT(refusal([](Job& job) { job.record_size = Bytes(3000); }), HasSubstr("no multiple"));
  EXPECT_THAT(refusal([](Job& job) {
                job.file_size = Bytes(std::uint64_t{1} << 60U);
                job.count = 2;
              }),
              HasSubstr("1 EiB"));
  EXPECT_THAT(refusal([](Job& job) {
                job.engine = Engine::stdio;
                job.sync = Sync::direct;
              }),
              HasSubstr("O_DIRECT"));
  EXPECT_THAT(refusal([](Job& job) {
                job.sync = Sync::direct;
                job.record_size = Bytes(256);
              }),
              HasSubstr("multiple of 512"));
  EXPECT_THAT(refusal([](Job& job) {
                job.mode = Mode::fread;
                job.engine = Engine::posix;
              }),
              HasSubstr("stdio"));
  EXPECT_THAT(refusal([](Job& job) {
                job.mode = Mode::pread;
                job.engine = Engine::mmap;
              }),
              HasSubstr("has no pread"));
  EXPECT_THAT(refusal([](Job& job) { job.engine = Engine::mpiio; }), HasSubstr("workers to mpi"));
  EXPECT_THAT(refusal([](Job& job) { job.depth = 4; }), HasSubstr("uring"));
  EXPECT_THAT(refusal([](Job& job) { job.flush = Flush::fsync; }), HasSubstr("aggregate_write"));
  EXPECT_THAT(refusal([](Job& job) { job.read_share = 1.5; }), HasSubstr("from 0 to 1"));
  EXPECT_THAT(refusal([](Job& job) {
                job.mode = Mode::open_write_close;
                job.engine = Engine::stdio;
                job.layout = Layout::shared;
              }),
              HasSubstr("per_worker"));
  EXPECT_THAT(refusal([](Job& job) { job.duty = 0.5; }), HasSubstr("without a period"));
  EXPECT_THAT(refusal([](Job& job) { job.duty = 0; }), HasSubstr("above 0"));
  EXPECT_THAT(refusal([](Job& job) { job.period = Nanoseconds(10); }), HasSubstr("1 ms"));
  EXPECT_THAT(refusal([](Job& job) {
                job.mode = Mode::metadata;
                job.sync = Sync::fsync;
              }),
              HasSubstr("moves no bytes"));
  EXPECT_THAT(refusal([](Job& job) {
                job.mode = Mode::read;
                job.sync = Sync::fsync;
              }),
              HasSubstr("writes nothing"));
}

TEST(Job, StdioIsTheEngineOfItsModes) {
  Job job;
  EXPECT_EQ(engine_of(job), Engine::posix);
  job.mode = Mode::fread;
  EXPECT_EQ(engine_of(job), Engine::stdio);
}

}  // namespace
}  // namespace weir::workload
