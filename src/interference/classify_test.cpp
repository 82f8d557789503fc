#include "interference/classify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "consistency/operation.hpp"

namespace weir::interference {
namespace {

using consistency::Operation;
using consistency::Operations;
using semantics::Access;

// What a program did, call by call, as semantics rebuilds it; every call takes a millisecond.
class Made {
 public:
  explicit Made(std::uint32_t processes) : processes_(processes) {}

  semantics::File& file(const std::string& name) {
    semantics::File& made = accesses.files.emplace_back();
    made.name = name;
    for (std::uint32_t i = 0; i < processes_; ++i) made.members.emplace_back().process = i;
    return made;
  }
  void sync(semantics::File& file, std::uint32_t member, Operation operation) {
    semantics::SyncPoint point;
    point.start_ns = now_;
    point.end_ns = now_ += 1'000'000;
    point.operations = Operations({operation}).bits();
    file.members[member].syncs.push_back(point);
  }
  void write(semantics::File& file, std::uint32_t member, std::int64_t at, std::int64_t size) {
    Access access;
    access.begin = at;
    access.end = at + size;
    access.start_ns = now_;
    access.end_ns = now_ += 1'000'000;
    access.member = member;
    access.syncs = static_cast<std::uint32_t>(file.members[member].syncs.size());
    access.flags = Access::kWrite;
    file.accesses.push_back(access);
    file.written_bytes += static_cast<std::uint64_t>(size);
    file.writers = 1;
  }
  void pause(double seconds) { now_ += static_cast<std::int64_t>(seconds * 1e9); }

  semantics::Accesses accesses;

 private:
  std::uint32_t processes_;
  std::int64_t now_ = 1'000'000'000;
};

void checkpoint(Made& made, int number, std::int64_t chunk, std::int64_t writes_of) {
  semantics::File& file = made.file("/scratch/check." + std::to_string(number));
  made.sync(file, 0, Operation::open);
  for (std::int64_t at = 0; at < chunk; at += writes_of)
    made.write(file, 0, at, std::min(writes_of, chunk - at));
  made.sync(file, 0, Operation::fsync);
  made.sync(file, 0, Operation::close);
}

TEST(Classify, ManyFilesWrittenInOneGoAreOpenWriteClose) {
  Made made(1);
  for (int i = 0; i < 20; ++i) checkpoint(made, i, 100'000, 8192);
  const Class found = classify(made.accesses);
  EXPECT_EQ(found.pattern, WritePattern::open_write_close);
  EXPECT_EQ(found.chunk, Bytes(100'000)) << "the file, not the library's buffer";
  EXPECT_EQ(found.files, 20U);
  EXPECT_NEAR(found.flushed_share, 20 * (100'000 % 8192) / 2e6, 1e-3);
  EXPECT_GT(found.metadata_per_s, 0);
  EXPECT_THAT(found.evidence,
              testing::Contains(testing::HasSubstr("open_write_close: 20 opened files with 100 %")));
}

TEST(Classify, SeeksBetweenWritesAreWriteSeek) {
  for (const std::int64_t stride : {0, 1'000'000}) {  // back to the beginning, and on to elsewhere
    Made made(2);
    for (std::uint32_t process = 0; process < 2; ++process) {
      semantics::File& file = made.file("/scratch/core." + std::to_string(process));
      made.sync(file, process, Operation::open);
      for (int i = 0; i < 10; ++i) made.write(file, process, i * stride, 74'000);
      made.sync(file, process, Operation::close);
    }
    const Class found = classify(made.accesses);
    EXPECT_EQ(found.pattern, WritePattern::write_seek);
    EXPECT_EQ(found.chunk, Bytes(74'000));
    EXPECT_EQ(found.processes, 2U);
    EXPECT_EQ(found.shared_share, 0);
  }
}

TEST(Classify, AFileThatGrowsIsAggregateWrite) {
  Made made(1);
  semantics::File& file = made.file("/scratch/out");
  made.sync(file, 0, Operation::open);
  made.write(file, 0, 0, 64);  // a header does not change the chunk
  for (int i = 0; i < 50; ++i) made.write(file, 0, 64 + i * 1'048'576, 1'048'576);
  const Class found = classify(made.accesses);
  EXPECT_EQ(found.pattern, WritePattern::aggregate_write);
  EXPECT_EQ(found.chunk, Bytes(1'048'576));
  EXPECT_EQ(found.flushed_share, 0);
}

TEST(Classify, NeitherIsMixed) {
  Made made(1);
  semantics::File& file = made.file("/scratch/out");
  made.sync(file, 0, Operation::open);
  for (int i = 0; i < 10; ++i) made.write(file, 0, i * 100'000, 100'000);
  made.sync(file, 0, Operation::close);
  for (int i = 0; i < 10; ++i) checkpoint(made, i, 100'000, 100'000);
  semantics::File& core = made.file("/scratch/core");
  made.sync(core, 0, Operation::open);
  for (int i = 0; i < 10; ++i) made.write(core, 0, 0, 100'000);
  made.sync(core, 0, Operation::close);
  const Class found = classify(made.accesses);
  EXPECT_EQ(found.pattern, WritePattern::mixed);
  EXPECT_NEAR(found.shares[0] + found.shares[1] + found.shares[2], 1, 1e-12);
  EXPECT_NEAR(found.shares[1], 1.0 / 3, 1e-9);
  EXPECT_EQ(classify(made.accesses, {.under = "/scratch/core", .clear = 0.7}).pattern,
            WritePattern::write_seek);
  EXPECT_EQ(classify(made.accesses, {.under = "/home", .clear = 0.7}).pattern, WritePattern::none);
}

TEST(Classify, BurstsGivePeriodAndDuty) {
  Made made(1);
  for (int burst = 0; burst < 5; ++burst) {
    for (int i = 0; i < 25; ++i) checkpoint(made, burst * 25 + i, 4096, 4096);  // 25 x 4 ms
    made.pause(0.3);
  }
  const Class found = classify(made.accesses);
  EXPECT_EQ(found.bursts, 5U);
  ASSERT_TRUE(found.period_s);
  EXPECT_NEAR(*found.period_s, 0.4, 0.01);
  EXPECT_NEAR(found.duty, 0.25, 0.02);
}

TEST(Classify, ComesBackFromJson) {
  Made made(1);
  for (int i = 0; i < 5; ++i) checkpoint(made, i, 4096, 4096);
  const Json json = to_json(classify(made.accesses));
  const auto back = class_from_json(json);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), json);
  for (const auto& [key, value] : json.items()) {
    Json damaged = json;
    damaged.erase(key);
    EXPECT_FALSE(class_from_json(damaged)) << key;
  }
}

}  // namespace
}  // namespace weir::interference
