// Many ranks in one trace: what they have in common costs once, and each comes back as it was.
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "trace/detail/table_group.hpp"
#include "trace/made_run_test.hpp"
#include "trace/record_text.hpp"
#include "trace/records.hpp"
#include "trace/summary.hpp"

namespace weir::trace {
namespace {

using namespace made;
using testing::ElementsAre;
using testing::HasSubstr;

using Program = std::function<void(Lane&, std::int64_t rank, std::int64_t size)>;

constexpr std::uint64_t kFirstProcess = 5000;

// Clocks of two hosts, read with an error of some microseconds.
std::int64_t clock_at_init(std::int64_t rank) {
  return static_cast<std::int64_t>(Random(static_cast<std::uint64_t>(rank)).below(5000)) +
         (rank % 2) * 1'000'000;
}
std::int64_t clock_at_finalize(std::int64_t rank) {
  return clock_at_init(rank) + 777 - clock_at_init(rank + 9) % 999;
}

// Ranks with process numbers, descriptors and clocks of their own; they begin in another order than their
// ranks, within a few milliseconds.
void make_ranks(const std::filesystem::path& run, std::int64_t size, const Program& program,
                bool timed = false) {
  std::vector<std::uint64_t> processes(static_cast<std::size_t>(size));
  std::iota(processes.begin(), processes.end(), kFirstProcess);
  Random random(11);
  for (std::size_t i = processes.size(); i > 4; --i)  // numbers come about in the order of the ranks
    std::swap(processes[i - 1], processes[i - 1 - random.below(4)]);
  for (std::int64_t rank = 0; rank < size; ++rank) {
    const std::uint64_t process = processes[static_cast<std::size_t>(rank)];
    Lane lane(run, {.process = process,
                    .parent = 4000,
                    .number = 0,
                    .start = 1'000'000 + random.below(5'000'000),
                    .timed = timed,
                    .lost = 0});
    lane.program("/bin/solver", "/scratch", std::string("solver\0-n\0", 10));
    lane.thread(process);
    lane.rank(static_cast<std::int32_t>(rank), static_cast<std::int32_t>(size), clock_at_init(rank));
    program(lane, rank, size);
    lane.rank(static_cast<std::int32_t>(rank), static_cast<std::int32_t>(size), clock_at_init(rank),
              clock_at_finalize(rank));
  }
}

TraceFile open_trace(const std::filesystem::path& run) {
  auto trace = TraceFile::open(run);
  EXPECT_TRUE(trace.has_value()) << trace.error().text();
  return std::move(*trace);
}

TraceFile merged(const std::filesystem::path& run) {
  const auto report = merge(run);
  EXPECT_TRUE(report.has_value()) << report.error().text();
  return open_trace(run);
}

std::string text_of(const Record& record) {
  fmt::memory_buffer text;
  append_call(text, record);
  fmt::format_to(fmt::appender(text), " = ");
  append_result(text, record);
  return to_string(text);
}

std::vector<std::string> texts(const TraceFile& trace, std::size_t process) {
  std::vector<std::string> lines;
  RecordReader reader(trace, process, 0);
  Record record;
  while (reader.next(record)) lines.push_back(text_of(record));
  EXPECT_FALSE(reader.error()) << reader.error()->text();
  return lines;
}

// All but what goes with the number of processes.
std::uint64_t common_bytes(const TraceFile& trace) {
  std::uint64_t sum = 0;
  for (const auto& [name, bytes] : trace.section_bytes())
    if (name != "PROC" && name != "COMM" && name != "FACT") sum += bytes;
  return sum;
}

// How long the tables of what was called are before they are packed.
std::map<Section, std::size_t> plain_tables(const std::filesystem::path& run) {
  std::map<Section, std::size_t> sizes;
  const std::string whole = *read_text(run / kFileName);
  const ByteSpan bytes = as_bytes(whole);
  ByteReader in(bytes.subspan(kFileHeaderBytes));
  EXPECT_EQ(static_cast<Section>(*in.u32()), detail::kCallTables);
  static_cast<void>(in.u32());
  const std::uint64_t length = *in.u64();
  const auto group = detail::take_group(bytes.subspan(kFileHeaderBytes + kSectionHeaderBytes, length));
  const auto tables = detail::tables_of_group(group.value());
  for (const detail::GroupedTable& table : tables.value()) sizes[table.type] = table.payload.size();
  return sizes;
}

// A file of its own by its rank, blocks of a shared file by the rank, a partner beside it.
void regular(Lane& lane, std::int64_t rank, std::int64_t size) {
  const int descriptor = 3 + static_cast<int>(rank % 5);
  lane.inherited(7, descriptor + 20, "pipe:[0]");
  lane.call("open", 0, {path("ckpt_\x01\x34.dat", {rank}), literal(0102), literal(0644)},
            opened(0, descriptor), 10, 5);
  for (int step = 0; step < 50; ++step) {
    lane.call("pwrite", 0,
              {handle(0), absent(), literal(4096), distance(step == 0 ? rank * 4096 : (size - 1) * 4096)},
              full(), 100 + 10 * static_cast<std::uint64_t>(step), 3);
    lane.call("lseek", 0, {literal(5), relative(1), literal(1)}, literal(0), 0, 0);
  }
  lane.call("close", 0, {handle(0)}, literal(0), 1000, 1);
}

TEST(Ranks, WhatARegularProgramCostsDoesNotGrowWithThem) {
  std::vector<std::uint64_t> sizes;
  std::vector<std::map<Section, std::size_t>> plain;
  for (const std::int64_t size : {4, 16, 64}) {
    const ScratchDir run;
    // A distance of the shared file goes with the size of the world: the same program for all.
    make_ranks(run.path(), size,
               [](Lane& lane, std::int64_t rank, std::int64_t) { regular(lane, rank, 100); });
    const TraceFile trace = merged(run.path());
    EXPECT_EQ(trace.classes().size(), 1U);
    EXPECT_EQ(trace.grammars().distinct_count(), 1U);
    EXPECT_EQ(trace.pieces().size(), 1U);
    sizes.push_back(common_bytes(trace));
    plain.push_back(plain_tables(run.path()));
    ASSERT_EQ(trace.processes().size(), static_cast<std::size_t>(size));
    for (std::int64_t rank = 0; rank < size; ++rank) {
      const auto& process = trace.processes()[static_cast<std::size_t>(rank)];
      EXPECT_EQ(process.rank, rank) << "ranks stand in their order";
      EXPECT_EQ(process.world_size, size);
      EXPECT_EQ(process.clock_at_init, clock_at_init(rank));
      EXPECT_EQ(process.clock_at_finalize, clock_at_finalize(rank));
      EXPECT_TRUE(process.own_words.empty());
      const auto lines = texts(trace, static_cast<std::size_t>(rank));
      ASSERT_EQ(lines.size(), 102U);
      const std::string file = fmt::format("{}</scratch/ckpt_{:04}.dat>", 3 + rank % 5, rank);
      EXPECT_EQ(lines[0], fmt::format("open(\"ckpt_{:04}.dat\", O_RDWR|O_CREAT, 0644) = {}", rank, file));
      EXPECT_EQ(lines[1], fmt::format("pwrite({}, …, 4096, {}) = 4096", file, rank * 4096));
      EXPECT_EQ(lines[2], fmt::format("lseek(5, {}, SEEK_CUR) = 0", rank + 1));
      EXPECT_EQ(lines[3], fmt::format("pwrite({}, …, 4096, {}) = 4096", file, (rank + 100) * 4096));
    }
  }
  // One byte differs, how often the grammar is repeated. zstd may find it elsewhere or not.
  EXPECT_THAT(plain, testing::Each(plain[0]));
  for (const std::uint64_t size : sizes)
    EXPECT_NEAR(static_cast<double>(size), static_cast<double>(sizes[0]), 4);
}

TEST(Ranks, AThousandCostFewBytesEach) {
  const ScratchDir run;
  make_ranks(run.path(), 1000,
             [](Lane& lane, std::int64_t rank, std::int64_t) { regular(lane, rank, 2000); });
  const TraceFile trace = merged(run.path());
  EXPECT_EQ(trace.classes().size(), 1U);
  const double each =
      static_cast<double>(trace.section_bytes().at("PROC") + trace.section_bytes().at("COMM")) / 1000;
  RecordProperty("bytes_per_rank", fmt::format("{:.2f}", each));
  EXPECT_LT(each, 16);
}

// Neighbours in a grid: those beyond the edge are none.
TEST(Ranks, AStencilHasAsManyClassesAsPatterns) {
  for (const std::int64_t width : {3, 8}) {
    const ScratchDir run;
    make_ranks(run.path(), width * width, [&](Lane& lane, std::int64_t rank, std::int64_t) {
      const std::int64_t row = rank / width;
      const std::int64_t column = rank % width;
      const auto partner = [&](std::int64_t tag, bool there, std::int64_t distance) {
        lane.call("lseek", 0, {literal(tag), there ? relative(distance) : literal(-2), literal(1)},
                  literal(0), 0, 0);
      };
      partner(1, row > 0, -width);
      partner(2, row < width - 1, width);
      partner(3, column > 0, -1);
      partner(4, column < width - 1, 1);
    });
    const TraceFile trace = merged(run.path());
    EXPECT_EQ(trace.classes().size(), 9U);
    EXPECT_EQ(trace.grammars().distinct_count(), 1U) << "the same calls one after the other";
    for (const ProcessInfo& process : trace.processes()) {
      const std::int64_t row = process.rank / width;
      const std::int64_t column = process.rank % width;
      const auto line = [&](int tag, bool there, std::int64_t distance) {
        return fmt::format("lseek({}, {}, SEEK_CUR) = 0", tag, there ? process.rank + distance : -2);
      };
      EXPECT_THAT(texts(trace, static_cast<std::size_t>(process.rank)),
                  ElementsAre(line(1, row > 0, -width), line(2, row < width - 1, width),
                              line(3, column > 0, -1), line(4, column < width - 1, 1)));
    }
  }
}

TEST(Ranks, WordsThatFollowNoLineAreTheirOwn) {
  const ScratchDir run;
  const auto odd = [](std::int64_t rank) { return rank * rank - 7 * (rank % 3); };
  make_ranks(run.path(), 20, [&](Lane& lane, std::int64_t rank, std::int64_t) {
    lane.call("lseek", 0, {literal(5), literal(odd(rank)), literal(0)}, literal(odd(rank) + rank), 0, 0);
    lane.call("lseek", 0, {literal(5), literal(-3 * rank + 8), literal(0)}, literal(1), 0, 0);
  });
  const TraceFile trace = merged(run.path());
  EXPECT_EQ(trace.classes().size(), 1U);
  ASSERT_EQ(trace.tables().signatures.size(), 2U);
  EXPECT_THAT(trace.tables().signatures[0].varying,
              ElementsAre(Signature::Varying{2, true, 0}, Signature::Varying{4, true, 0}));
  EXPECT_THAT(trace.tables().signatures[1].varying, ElementsAre(Signature::Varying{2, false, -3}));
  for (std::int64_t rank = 0; rank < 20; ++rank)
    EXPECT_THAT(texts(trace, static_cast<std::size_t>(rank)),
                ElementsAre(fmt::format("lseek(5, {}, SEEK_SET) = {}", odd(rank), odd(rank) + rank),
                            fmt::format("lseek(5, {}, SEEK_SET) = 1", 8 - 3 * rank)));
}

TEST(Ranks, HandlesTextsNamesAndErrorsMakeTheClass) {
  const ScratchDir run;
  make_ranks(run.path(), 10, [&](Lane& lane, std::int64_t rank, std::int64_t) {
    const std::int64_t kind = rank % 5;
    lane.call("fopen", 0, {path(kind == 1 ? "other" : "file"), text(kind == 2 ? "r" : "w")},
              kind == 3 ? failed(13) : opened(kind == 4 ? 1 : 0, 3), 0, 0);
  });
  EXPECT_EQ(merged(run.path()).classes().size(), 5U);
}

TEST(Ranks, WithoutThemOnlyWhatIsTheSameIsAClass) {
  const ScratchDir run;
  for (const std::uint64_t process : {100U, 101U, 102U, 103U}) {
    Lane lane(run.path(), {.process = process, .start = process});
    lane.call("lseek", 0, {literal(5), literal(static_cast<std::int64_t>(process / 2)), literal(0)},
              literal(0), 0, 0);
  }
  const TraceFile trace = merged(run.path());
  EXPECT_EQ(trace.classes().size(), 2U);
  EXPECT_EQ(trace.processes()[0].class_number, trace.processes()[1].class_number);
  EXPECT_EQ(trace.processes()[0].rank, -1);
  EXPECT_FALSE(trace.processes()[0].clock_at_init);
}

TEST(Ranks, BytesDoNotDependOnThreadsNorOnTheOrderOfFiles) {
  std::vector<std::string> bytes;
  for (const unsigned threads : {1U, 2U, 5U}) {
    const ScratchDir run;
    make_ranks(
        run.path(), 12,
        [](Lane& lane, std::int64_t rank, std::int64_t size) {
          regular(lane, rank, size);
          lane.call("lseek", 0, {literal(5), literal(rank * rank), literal(0)}, literal(0), 0, 0);
          lane.communicator(1 + static_cast<std::uint32_t>(rank % 2), static_cast<std::uint32_t>(rank / 2),
                            {{static_cast<std::int32_t>(rank % 2), 2, static_cast<std::int32_t>(size / 2)}});
          if (rank % 4 == 1) lane.call("unlink", 0, {path("odd one")}, failed(2), 0, 0);
        },
        true);
    // A launcher, and what a rank started.
    { Lane(run.path(), {.process = 4000, .start = 10}).call("unlink", 0, {path("x")}, literal(0), 1, 1); }
    {
      Lane(run.path(), {.process = 9999, .parent = kFirstProcess, .start = 99'000'000})
          .call("unlink", 0, {path("y")}, literal(0), 1, 1);
    }
    if (threads == 5) {
      // Other names: found in another order.
      std::vector<std::filesystem::path> lanes;
      for (const auto& entry : std::filesystem::directory_iterator(run.path() / live::kFolder))
        lanes.push_back(entry.path());
      for (const auto& lane : lanes) {
        std::string name = lane.filename().string();
        std::reverse(name.begin(), name.end() - static_cast<std::ptrdiff_t>(live::kSuffix.size()));
        std::filesystem::rename(lane, lane.parent_path() / name);
      }
    }
    const auto report = merge(run.path(), TimingMode::lossless, threads);
    ASSERT_TRUE(report) << report.error().text();
    bytes.push_back(*read_text(report->file));
    const TraceFile trace = open_trace(run.path());
    EXPECT_EQ(trace.processes().front().number, 4000) << "what ranks come from is before them";
    EXPECT_EQ(trace.processes()[1].rank, 0);
    EXPECT_EQ(trace.processes()[1].parent, 0);
    EXPECT_EQ(trace.processes().back().number, 9999) << "and what came from them behind";
    EXPECT_EQ(trace.processes().back().parent, 1);
    EXPECT_EQ(trace.communicators().size(), 2U);
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[0], bytes[2]);
}

// Several blocks, and in each what the state must bring: names with numbers, descriptors, ends of accesses,
// threads, directories.
TEST(Ranks, EachIsReadFromTheMiddleAsFromTheBeginning) {
  constexpr std::uint64_t kSteps = 90'000;
  constexpr std::int64_t kRanks = 3;
  const ScratchDir run;
  make_ranks(run.path(), kRanks, [](Lane& lane, std::int64_t rank, std::int64_t) {
    lane.inherited(9, 60 + static_cast<int>(rank), "pipe:[0]");
    for (std::uint64_t i = 0; i < kSteps; ++i) {
      if (i == 70'000) lane.thread(77);
      if (i % 30'000 == 29'999) lane.directory(fmt::format("/elsewhere/{}", i / 30'000));
      if (i % 20'000 == 10'000) lane.inherited(9, 60 + static_cast<int>(i % 7), "a file");
      lane.call("open", 0,
                {path("r\x01\x30/s\x01\x34", {i == 0 ? rank + 1 : 0, static_cast<std::int64_t>(i % 2)}),
                 literal(0), literal(0)},
                opened(0, 3 + static_cast<int>((i + static_cast<std::uint64_t>(rank)) % 4)), 0, 0);
      lane.call("pread", 0, {handle(0), absent(), column(static_cast<std::int64_t>(i % 100)), distance(rank)},
                full(), 0, 0);
      lane.call("read", 0, {handle(9), absent(), literal(8 + rank)}, full(), 0, 0);
    }
  });
  const TraceFile trace = merged(run.path());
  EXPECT_EQ(trace.classes().size(), 1U);
  std::size_t blocks = 0;
  for (const Piece& piece : trace.pieces()) blocks += piece.type == Section::block ? 1 : 0;
  EXPECT_EQ(blocks, 2U) << "the same for all ranks";
  for (std::size_t process = 0; process < static_cast<std::size_t>(kRanks); ++process) {
    const std::vector<std::string> all = texts(trace, process);
    ASSERT_EQ(all.size(), 3 * kSteps);
    EXPECT_EQ(all[0], fmt::format("open(\"r{}/s0000\", O_RDONLY) = {}</scratch/r{}/s0000>", process + 1,
                                  3 + process, process + 1));
    EXPECT_THAT(all.back(), HasSubstr(fmt::format(", {}) = ", 8 + process)));
    std::vector<std::uint64_t> threads;
    RecordReader forward(trace, process, 0);
    Record record;
    while (forward.next(record)) threads.push_back(record.thread);
    Random random(5 + process);
    RecordReader reader(trace, process, 0);
    for (const std::uint64_t place :
         {std::uint64_t{0}, std::uint64_t{kBlockRecords} - 1, std::uint64_t{kBlockRecords},
          std::uint64_t{kBlockRecords} + 1, 3 * kSteps - 2, random.below(3 * kSteps - 2),
          random.below(3 * kSteps - 2)}) {
      reader.seek_record(place);
      for (std::uint64_t i = place; i < place + 2; ++i) {
        ASSERT_TRUE(reader.next(record)) << i;
        EXPECT_EQ(text_of(record), all[i]) << i;
        EXPECT_EQ(record.thread, threads[i]) << i;
      }
    }
  }
  SummaryOptions options;
  options.threads = 4;
  const auto summary = summarize(trace, options);
  ASSERT_TRUE(summary) << summary.error().text();
  EXPECT_EQ(summary->total.calls, 9 * kSteps);
  EXPECT_EQ(summary->processes[0].threads, 2U);
}

TEST(Ranks, DescriptorsAndInodesDoNotMakeABlock) {
  const ScratchDir run;
  make_ranks(run.path(), 4, [](Lane& lane, std::int64_t rank, std::int64_t) {
    const live::HandleDefinition about{3, static_cast<std::int32_t>(rank + 4),         3, 1, 0,
                                       9, static_cast<std::uint64_t>(rank * 1000 + 77)};
    lane.inherited(about, fmt::format("pipe:[{}]", about.inode));
    lane.call("read", 0, {handle(3), absent(), literal(8)}, full(), 0, 0);
    lane.call("pipe", 0, {opened_pair(4, 5, static_cast<int>(rank + 10), static_cast<int>(rank + 20))},
              literal(0), 0, 0);
    lane.surprise(static_cast<int>(rank + 30));
    lane.call("fsync", 0, {handle(4)}, literal(0), 0, 0);
  });
  const TraceFile trace = merged(run.path());
  EXPECT_EQ(trace.pieces().size(), 1U);
  for (std::size_t rank = 0; rank < 4; ++rank)
    EXPECT_THAT(texts(trace, rank),
                ElementsAre(fmt::format("read({}<pipe:[{}]>, …, 8) = 8", rank + 4, rank * 1000 + 77),
                            fmt::format("pipe([{}, {}]) = 0", rank + 10, rank + 20),
                            fmt::format("fsync({}<pipe>) = 0", rank + 10)));
  EXPECT_EQ(trace.processes()[2].streams[0].changed, 1U);
}

TEST(Ranks, ADefinitionThatContradictsItselfEndsTheLane) {
  struct Case {
    const char* why;
    std::function<void(Lane&)> damage;
  };
  const Case cases[] = {
      {"rank 4 of 4", [](Lane& lane) { lane.rank(4, 4, 0); }},
      {"strange length", [](Lane& lane) { lane.raw(live::Definition::rank, "abc"); }},
      {"not its rank 2",
       [](Lane& lane) {
         lane.communicator(1, 2, {{0, 1, 4}});
       }},
      {"too short", [](Lane& lane) { lane.raw(live::Definition::communicator, "abc"); }},
      {"strange length", [](Lane& lane) { lane.raw(live::Definition::surprise, "abc"); }},
      {"thread is too short", [](Lane& lane) { lane.raw(live::Definition::thread, "abc"); }},
  };
  for (const Case& one : cases) {
    const ScratchDir run;
    {
      Lane lane(run.path(), {});
      lane.rank(1, 4, 0);
      lane.call("fsync", 0, {literal(1)}, literal(0), 1, 1);
      one.damage(lane);
      lane.call("fsync", 0, {literal(1)}, literal(0), 2, 1);
    }
    MergeOptions options;
    options.readings = {{Tick(0), Nanoseconds(0)}, {Tick(1'000'000'000), Nanoseconds(1'000'000'000)}};
    const auto report = merge_run(run.path(), options);
    ASSERT_TRUE(report) << report.error().text();
    ASSERT_EQ(report->warnings.size(), 1U) << one.why;
    EXPECT_THAT(report->warnings[0], HasSubstr(one.why));
    EXPECT_EQ(open_trace(run.path()).records(), 1U) << one.why;
  }
}

}  // namespace
}  // namespace weir::trace
