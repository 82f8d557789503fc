#include "trace/lane_file.hpp"

#include <gtest/gtest.h>

#include "base/checksum.hpp"
#include "base/scratch_dir.hpp"
#include "trace/raw_lane_test.hpp"
#include "trace/word_pack.hpp"

namespace weir::trace {
namespace {

using made::RawLane;
using Words = std::vector<std::uint32_t>;

struct Read {
  std::vector<Words> batches;
  std::vector<std::string> errors;
};

Read read_all(const std::filesystem::path& path) {
  Read read;
  auto file = LaneFile::open(path);
  EXPECT_TRUE(file.has_value()) << file.error().text();
  if (!file) return read;
  for (int tries = 0; tries < 100; ++tries) {
    const auto words = file->next();
    if (!words)
      read.errors.push_back(words.error().text());
    else if (words->empty())
      return read;
    else
      read.batches.push_back(*words);
  }
  ADD_FAILURE() << "it does not end";
  return read;
}

// Three frames and a tail; what is in them is the test's own business.
RawLane three_frames(std::vector<Words>& batches) {
  RawLane lane;
  for (std::uint32_t batch = 0; batch < 3; ++batch) {
    for (std::uint32_t i = 0; i < 1000; ++i) lane.record(batch, i, 2 * i);
    batches.push_back(lane.tail);
    lane.seal();
  }
  lane.record(7, 8, 9);
  batches.push_back(lane.tail);
  return lane;
}

TEST(LaneFile, FramesComeInOrderAndTheTailLast) {
  const ScratchDir run;
  std::vector<Words> batches;
  const Read read = read_all(three_frames(batches).write(run.path()));
  EXPECT_EQ(read.batches, batches);
  EXPECT_TRUE(read.errors.empty());
}

TEST(LaneFile, AFrameThatWouldNotCompressIsStoredPlain) {
  const ScratchDir run;
  RawLane lane;
  lane.tail = {0xdeadbeef, 0x12345678};
  lane.seal();
  const Read read = read_all(lane.write(run.path()));
  EXPECT_EQ(read.batches, (std::vector<Words>{{0xdeadbeef, 0x12345678}}));
}

TEST(LaneFile, AFrameWithAWrongChecksumIsNamedAndPassedOver) {
  const ScratchDir run;
  std::vector<Words> batches;
  RawLane lane = three_frames(batches);
  lane.frames[sizeof(live::FrameHeader) + 3] ^= 1;
  const Read read = read_all(lane.write(run.path()));
  batches.erase(batches.begin());
  EXPECT_EQ(read.batches, batches);
  ASSERT_EQ(read.errors.size(), 1U);
  EXPECT_NE(read.errors[0].find("frame 0 is damaged"), std::string::npos) << read.errors[0];
}

TEST(LaneFile, ATornLastFrameIsReadFromTheTail) {
  const ScratchDir run;
  std::vector<Words> batches;
  RawLane lane = three_frames(batches);
  const std::string sealed = lane.frames;
  lane.append_frame();  // and then only a part of it reaches the file
  const std::string whole = lane.frames;
  for (std::size_t length = sealed.size(); length < whole.size(); ++length) {
    lane.frames = whole.substr(0, length);
    const Read read = read_all(lane.write(run.path()));
    ASSERT_EQ(read.batches, batches) << length;
    ASSERT_TRUE(read.errors.empty()) << read.errors[0];
  }
  lane.frames = whole;
  lane.frames.back() ^= 1;  // the blocks of a file need not arrive in order
  const Read read = read_all(lane.write(run.path()));
  EXPECT_EQ(read.batches, batches);
  EXPECT_TRUE(read.errors.empty());
}

TEST(LaneFile, ASealedFrameWhoseTailIsStillThereComesOnce) {
  const ScratchDir run;
  std::vector<Words> batches;
  RawLane lane = three_frames(batches);
  lane.append_frame();  // the process ends before it says so in the header
  const Read read = read_all(lane.write(run.path()));
  EXPECT_EQ(read.batches, batches);
  EXPECT_TRUE(read.errors.empty());
}

TEST(LaneFile, ADamagedLastFrameIsNotHiddenByANewerTail) {
  const ScratchDir run;
  std::vector<Words> batches;
  RawLane lane = three_frames(batches);
  lane.frames.back() ^= 1;  // of frame 2; the tail holds batch 3
  const Read read = read_all(lane.write(run.path()));
  EXPECT_EQ(read.batches, (std::vector<Words>{batches[0], batches[1], batches[3]}));
  ASSERT_EQ(read.errors.size(), 1U);
  EXPECT_NE(read.errors[0].find("frame 2 is damaged"), std::string::npos) << read.errors[0];
}

TEST(LaneFile, MissingFramesAreAnError) {
  const ScratchDir run;
  std::vector<Words> batches;
  RawLane lane = three_frames(batches);
  lane.frames.resize(lane.frames.size() - 10);
  const Read read = read_all(lane.write(run.path()));
  EXPECT_EQ(read.batches, (std::vector<Words>{batches[0], batches[1]}));
  ASSERT_EQ(read.errors.size(), 1U);
  EXPECT_NE(read.errors[0].find("frame 2 is missing"), std::string::npos) << read.errors[0];
}

TEST(LaneFile, WhatIsNoLaneIsRefused) {
  const ScratchDir run;
  RawLane lane;
  lane.record(0, 1, 2);
  lane.set(live::HeaderWord::magic, 0);
  EXPECT_FALSE(LaneFile::open(lane.write(run.path())).has_value());
  lane.set(live::HeaderWord::magic, live::kMagic);
  lane.set(live::HeaderWord::version, live::kVersion + 1);
  const auto newer = LaneFile::open(lane.write(run.path()));
  ASSERT_FALSE(newer.has_value());
  EXPECT_EQ(newer.error().code(), Errc::unsupported);
  lane.set(live::HeaderWord::version, live::kVersion | live::kTimed);
  const auto path = lane.write(run.path());
  std::filesystem::resize_file(path, live::kHeaderBytes - 1);
  EXPECT_FALSE(LaneFile::open(path).has_value());
  EXPECT_FALSE(LaneFile::open(run.path() / "nothing").has_value());
}

TEST(LaneFile, ATailThatCannotBeIsAnError) {
  const ScratchDir run;
  RawLane lane;
  lane.record(0, 1, 2);
  const auto path = lane.write(run.path());
  std::filesystem::resize_file(path, live::kHeaderBytes + 4);
  EXPECT_EQ(read_all(path).errors.size(), 1U);
  lane.tail.assign(live::kTailWords + 1, 0);
  EXPECT_EQ(read_all(lane.write(run.path())).errors.size(), 1U);
}

TEST(LaneFile, AFrameOfPackedWordsIsRead) {
  const ScratchDir run;
  RawLane lane;
  for (std::uint32_t i = 0; i < 1000; ++i) lane.record(i % 3, 60 + i % 7, 200 * (i % 50));
  const Words words(lane.tail.begin(), lane.tail.end());
  std::vector<std::byte> packed(most_packed_bytes(words.size()));
  packed.resize(pack_words(words, packed.data()));
  EXPECT_LT(packed.size(), 2 * words.size());
  for (const bool whole : {true, false}) {
    const live::FrameHeader frame{live::kFrameMagic,
                                  0,
                                  static_cast<std::uint32_t>(4 * words.size() + (whole ? 0 : 4)),
                                  static_cast<std::uint32_t>(packed.size()),
                                  checksum(packed),
                                  static_cast<std::uint64_t>(FramePacking::words)};
    lane.frames.assign(reinterpret_cast<const char*>(&frame), sizeof frame);
    lane.frames += as_text(packed);
    lane.tail.clear();
    lane.batch = 1;
    const Read read = read_all(lane.write(run.path()));
    EXPECT_EQ(read.errors.size(), whole ? 0U : 1U);
    if (whole) {
      ASSERT_EQ(read.batches.size(), 1U);
      EXPECT_EQ(read.batches[0], words);
    }
  }
}

TEST(LaneFile, AFrameThatUnpacksToSomethingElseIsAnError) {
  const ScratchDir run;
  std::vector<Words> batches;
  RawLane lane = three_frames(batches);
  live::FrameHeader frame{};
  std::memcpy(&frame, lane.frames.data(), sizeof frame);
  frame.raw_bytes -= 4;
  std::memcpy(lane.frames.data(), &frame, sizeof frame);
  const Read read = read_all(lane.write(run.path()));
  EXPECT_EQ(read.errors.size(), 1U);
  EXPECT_EQ(read.batches.size(), 3U);
}

}  // namespace
}  // namespace weir::trace
