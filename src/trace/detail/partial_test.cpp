#include "trace/detail/partial.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "trace/detail/finish.hpp"
#include "trace/detail/piece_store.hpp"
#include "trace/detail/process_merger.hpp"
#include "trace/made_run_test.hpp"

namespace weir::trace::detail {
namespace {

using namespace made;

// Ranks of two programs, whose texts, names, grammars and communicators overlap.
void make(const std::filesystem::path& run, std::int32_t ranks) {
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const auto process = static_cast<std::uint64_t>(100 + (rank * 5) % ranks);
    Lane lane(run, {.process = process, .start = process});
    lane.rank(rank, ranks, rank);
    lane.thread(process);
    lane.communicator(1, static_cast<std::uint32_t>(rank), {{0, 1, ranks}});
    lane.communicator(2, static_cast<std::uint32_t>(rank / 3), {{rank % 3, 3, (ranks - rank % 3 + 2) / 3}});
    if (rank % 2 == 0) lane.call("fopen", 0, {path("even"), text("w")}, opened(0, 3 + rank), 0, 1);
    for (int i = 0; i < 5 + rank % 2; ++i)
      lane.call("lseek", 0, {literal(rank), literal(rank * rank), literal(0)}, literal(7), 10, 1);
    lane.call("unlink", 0, {path(rank % 3 == 0 ? "a\x01\x30" : "b\x01\x30", {rank})}, literal(0), 20, 1);
    if (rank % 4 == 0) lane.call("fopen", 0, {path("even"), text("r")}, failed(2), 30, 1);
  }
}

std::string bytes_of(Partial all) {
  auto done = finish(std::move(all));
  EXPECT_TRUE(done) << done.error().text();
  ByteWriter out;
  put_functions(out, done->tables.functions);
  put_strings(out, done->tables.texts);
  put_strings(out, done->tables.templates);
  put_signatures(out, done->tables.signatures);
  put_classes(out, done->classes);
  put_communicators(out, done->communicators);
  done->grammars.serialize(out);
  put_processes(out, {{}, done->processes});
  return std::string(as_text(out.view()));
}

TEST(Partial, JoiningInAnyOrderAndInAnyPairsGivesTheSame) {
  constexpr std::uint64_t seed = 31;
  constexpr std::int32_t kRanks = 13;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const ScratchDir run;
  make(run.path(), kRanks);
  const auto store = PieceStore::create(run.path());
  ASSERT_TRUE(store);
  MergeSettings settings;
  settings.add_piece = [&](Section type, ByteSpan payload) { return (*store)->add(type, payload); };
  std::vector<Partial> parts;
  for (const auto& entry : std::filesystem::directory_iterator(run.path() / live::kFolder)) {
    auto lane = LaneFile::open(entry.path());
    ASSERT_TRUE(lane) << lane.error().text();
    ProcessMerger merger(settings, lane->header(live::HeaderWord::start_tick), *lane);
    ASSERT_TRUE(merger.add(*lane, "lane"));
    parts.push_back(merger.finish());
  }
  ASSERT_EQ(parts.size(), static_cast<std::size_t>(kRanks));

  Random random(seed);
  std::string first;
  for (int round = 0; round < 30; ++round) {
    std::vector<Partial> left = parts;
    while (left.size() > 1) {
      std::swap(left[random.below(left.size())], left.back());
      Partial last = std::move(left.back());
      left.pop_back();
      Partial& other = left[random.below(left.size())];
      other = random.below(2) == 0 ? join(std::move(other), std::move(last))
                                   : join(std::move(last), std::move(other));
    }
    const std::string made = bytes_of(std::move(left.front()));
    if (first.empty()) first = made;
    ASSERT_EQ(made, first) << round;
  }
  PairwiseJoin pairs;
  for (const Partial& one : parts) pairs.add(one);
  EXPECT_EQ(bytes_of(pairs.finish()), first);
}

TEST(Partial, NothingJoinedIsNothing) {
  const auto done = finish(join({}, {}));
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->processes.empty());
  EXPECT_EQ(done->grammars.size(), 0U);
}

TEST(PieceStore, TheSameBytesAreKeptOnceIfTheyMeanTheSame) {
  const ScratchDir folder;
  const auto store = PieceStore::create(folder.path());
  ASSERT_TRUE(store);
  const auto add = [&](Section type, std::string_view text) { return *(*store)->add(type, as_bytes(text)); };
  EXPECT_EQ(add(Section::block, "abc"), 0U);
  EXPECT_EQ(add(Section::timing, "abc"), 1U);
  EXPECT_EQ(add(Section::block, "abd"), 2U);
  EXPECT_EQ(add(Section::block, "abc"), 0U);
  EXPECT_EQ((*store)->piece(1).type, Section::timing);
  EXPECT_EQ((*store)->piece(2).bytes, 3U);
}

}  // namespace
}  // namespace weir::trace::detail
