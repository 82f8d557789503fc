#include "trace/trace_file.hpp"

#include <fstream>
#include <numeric>

#include <gtest/gtest.h>

#include "base/checksum.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "trace/made_run_test.hpp"
#include "trace/own_sections_test.hpp"

namespace weir::trace {
namespace {

using made::Lane;

std::string merged_bytes(const std::filesystem::path& run) {
  const auto report = made::merge(run);
  EXPECT_TRUE(report.has_value()) << report.error().text();
  return *read_text(report->file);
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::remove(path);  // a file that is cut and written again may be flushed to the disk each time
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// A trace of a few kilobytes with every kind of table and three blocks: three lanes.
std::string small_trace() {
  const ScratchDir run;
  for (const std::uint64_t number : {0U, 1U, 2U}) {
    Lane lane(run.path(), {.process = 100, .number = number});
    lane.program("/bin/app", "/scratch", "app");
    lane.thread(100 + number);
    lane.call("fopen", 0, {made::path("/data/\2.log"), made::text("w")}, made::opened(1, 5), 0, 3);
    for (std::uint64_t i = 0; i < 100; ++i)
      lane.call("pwrite", 0,
                {made::handle(1), made::absent(), made::literal(8),
                 made::column(static_cast<std::int64_t>(i * i + number))},
                made::full(), 10 + i * 10, i % (7 + number));
    lane.call("close", 0, {made::handle(1)}, made::literal(0), 2000, 1);
  }
  return merged_bytes(run.path());
}

// All that can be read, damaged or not; the number of records.
std::uint64_t read_through(const TraceFile& trace) {
  std::uint64_t records = 0;
  for (std::size_t p = 0; p < trace.processes().size(); ++p)
    for (std::size_t s = 0; s < trace.processes()[p].streams.size(); ++s) {
      RecordReader reader(trace, p, s);
      Record record;
      for (;;) {
        while (reader.next(record)) ++records;
        if (!reader.error()) break;
        reader.skip_damage();
      }
    }
  return records;
}

class SmallTrace : public testing::Test {
 protected:
  std::filesystem::path file() const { return scratch_.path() / "some.weir"; }

  ScratchDir scratch_;
  const std::string whole_ = small_trace();
};

TEST_F(SmallTrace, IsReadWhole) {
  write(file(), whole_);
  const auto trace = TraceFile::open(file());
  ASSERT_TRUE(trace.has_value()) << trace.error().text();
  EXPECT_EQ(trace->records(), 306U);
  EXPECT_EQ(read_through(*trace), 306U);
  std::uint64_t sum = kFileHeaderBytes + kFooterBytes;
  for (const auto& [name, bytes] : trace->section_bytes()) sum += bytes;
  EXPECT_EQ(sum, whole_.size());
}

TEST_F(SmallTrace, CutShortItOpensOnlyToBeSalvagedAndGivesItsLeadingBlocks) {
  write(file(), whole_);
  const auto complete = TraceFile::open(file());
  ASSERT_TRUE(complete.has_value());
  std::uint64_t blocks_at = whole_.size() - kFooterBytes;
  for (const char* const pieces : {"BLOK", "TIME"}) blocks_at -= complete->section_bytes().at(pieces);
  std::uint64_t most = 0;
  for (std::size_t length = 0; length < whole_.size(); length += 7) {
    write(file(), std::string_view(whole_).substr(0, length));
    EXPECT_FALSE(TraceFile::open(file()).has_value()) << length;
    const auto salvaged = TraceFile::open(file(), {.salvage = true});
    if (length >= blocks_at) {
      ASSERT_TRUE(salvaged.has_value()) << length << ": " << salvaged.error().text();
    }
    if (!salvaged) continue;
    EXPECT_FALSE(salvaged->damage().empty());
    std::uint64_t expected = 0;
    const auto is_there = [&](std::uint32_t piece) {
      const Piece& one = salvaged->pieces()[piece];
      return blocks_at + one.offset + kSectionHeaderBytes + one.bytes <= length;
    };
    for (const ProcessInfo& process : salvaged->processes())
      for (const StreamInfo& stream : process.streams)
        for (const BlockInfo& block : stream.blocks)
          if (is_there(block.block) && is_there(block.timing)) expected += block.records;
    EXPECT_EQ(read_through(*salvaged), expected) << length;
    most = std::max(most, expected);
  }
  EXPECT_GE(most, 204U);
}

TEST_F(SmallTrace, FlippedBitsAreNoticedAndNeverCrash) {
  constexpr std::uint64_t seed = 20240612;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = whole_;
    const std::size_t at = random.below(damaged.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    write(file(), damaged);
    for (const bool salvage : {false, true})
      if (const auto trace = TraceFile::open(file(), {.salvage = salvage}); trace) {
        EXPECT_LE(read_through(*trace), 306U) << "byte " << at;
      }
  }
}

// With checksums that fit, as a hostile hand would leave it.
TEST_F(SmallTrace, FlippedBitsUnderGoodChecksumsNeverCrash) {
  constexpr std::uint64_t seed = 20240613;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  const std::string whole = made::with_own_sections(whole_);
  struct Place {
    std::size_t at;
    std::size_t length;
  };
  std::vector<Place> sections;
  for (std::size_t at = kFileHeaderBytes; at + kFooterBytes < whole.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, whole.data() + at + 8, sizeof length);
    sections.push_back({at, length});
    at += kSectionHeaderBytes + length;
  }
  ASSERT_EQ(sections.size(), 15U) << "nine tables, blocks and times of three streams";
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = whole;
    const Place& section = sections[random.below(sections.size())];
    const std::size_t payload = section.at + kSectionHeaderBytes;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
      char& byte = damaged[payload + random.below(section.length)];
      byte = static_cast<char>(byte ^ (1 << random.below(8)));
    }
    const std::uint64_t sum = checksum(as_bytes(std::string_view(damaged).substr(payload, section.length)));
    std::memcpy(damaged.data() + section.at + 16, &sum, sizeof sum);
    write(file(), damaged);
    if (const auto trace = TraceFile::open(file(), {.salvage = true}); trace) read_through(*trace);
  }
}

TEST_F(SmallTrace, ATableThatComesAgainOrTooLateIsRefused) {
  const std::string whole = made::with_own_sections(whole_);
  std::vector<std::string> sections;
  for (std::size_t at = kFileHeaderBytes; at + kFooterBytes < whole.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, whole.data() + at + 8, sizeof length);
    sections.push_back(whole.substr(at, kSectionHeaderBytes + length));
    at += kSectionHeaderBytes + length;
  }
  const auto rebuilt = [&](const std::vector<std::size_t>& order) {
    std::string bytes = whole_.substr(0, kFileHeaderBytes);
    for (const std::size_t one : order) bytes += sections[one];
    const std::uint64_t length = bytes.size();
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += whole_.substr(whole_.size() - 8);
    write(file(), bytes);
    return TraceFile::open(file());
  };
  enum Table { facts, functions, texts, names, signatures, classes, grammars, communicators, processes };
  std::vector<std::size_t> in_order(sections.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  ASSERT_TRUE(rebuilt(in_order).has_value());
  const auto with = [&](std::size_t table, std::size_t behind) {
    std::vector<std::size_t> order = in_order;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(behind) + 1, table);
    return order;
  };
  EXPECT_FALSE(rebuilt(with(texts, signatures)).has_value()) << "texts twice";
  EXPECT_FALSE(rebuilt(with(functions, functions)).has_value()) << "functions twice";
  for (const auto& [table, behind] : {std::pair(functions, signatures), std::pair(names, signatures),
                                      std::pair(signatures, classes), std::pair(classes, processes)}) {
    std::vector<std::size_t> order = with(table, behind);
    order.erase(std::find(order.begin(), order.end(), table));
    EXPECT_FALSE(rebuilt(order).has_value()) << "table " << table << " too late";
  }
  for (std::size_t table = facts; table <= processes; ++table) {
    std::vector<std::size_t> order = in_order;
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(table));
    EXPECT_FALSE(rebuilt(order).has_value()) << "without table " << table;
  }
}

TEST_F(SmallTrace, ASectionThatIsNotKnownIsPassedOver) {
  const std::string payload = "from a later day";
  ByteWriter section;
  section.u32(section_name("NEWS"));
  section.u32(0);
  section.u64(payload.size());
  section.u64(checksum(as_bytes(payload)));
  section.bytes(as_bytes(payload));
  std::string bytes = whole_;
  bytes.insert(kFileHeaderBytes, as_text(section.view()));
  const std::uint64_t length = bytes.size() - kFooterBytes;
  std::memcpy(bytes.data() + length, &length, sizeof length);
  write(file(), bytes);
  const auto trace = TraceFile::open(file());
  ASSERT_TRUE(trace.has_value()) << trace.error().text();
  EXPECT_EQ(read_through(*trace), 306U);
}

TEST_F(SmallTrace, WhatIsNoTraceSaysSo) {
  std::string other = whole_;
  other[0] = 'w';
  write(file(), other);
  const auto wrong = TraceFile::open(file(), {.salvage = true});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code(), Errc::bad_data);
  other = whole_;
  other[8] = static_cast<char>(detail::kGroupedVersion + 1);
  write(file(), other);
  const auto newer = TraceFile::open(file(), {.salvage = true});
  ASSERT_FALSE(newer.has_value());
  EXPECT_EQ(newer.error().code(), Errc::unsupported);
  EXPECT_FALSE(newer.error().remedy().empty());
  EXPECT_FALSE(TraceFile::open(scratch_.path() / "nothing").has_value());
  EXPECT_FALSE(TraceFile::open(scratch_.path()).has_value()) << "a directory without a trace";
}

// Of a record what a wrong state would change.
struct Seen {
  std::int64_t start;
  std::int64_t end;
  std::int64_t offset;
  std::uint64_t thread;
  std::uint32_t signature;
  bool operator==(const Seen&) const = default;
};

Seen seen(const Record& record) {
  return {record.start_ns, record.start_ns + static_cast<std::int64_t>(record.duration_ns),
          record.arguments.size() > 3 ? record.arguments[3].number : -1, record.thread, record.signature};
}

TEST(RecordReader, SeeksAgreeWithAFullScan) {
  constexpr std::uint64_t kRecords = 600'000;
  constexpr std::uint64_t seed = 5;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const ScratchDir run;
  {
    Lane lane(run.path(), {});
    lane.thread(1);
    const std::vector<made::Part> even = {made::handle(1), made::absent(), made::literal(8),
                                          made::distance(0)};
    for (std::uint64_t i = 0; i < kRecords; ++i) {
      if (i == 300'000) lane.thread(2);
      if (i % 1000 == 999)
        lane.call("fsync", 0, {made::handle(1)}, made::literal(0), i * 10, 9);
      else if (i % 1000 == 500)
        lane.call(
            "pwrite", 0,
            {made::handle(1), made::absent(), made::literal(8), made::column(static_cast<std::int64_t>(i))},
            made::full(), i * 10, 3);
      else
        lane.call("pwrite", 0, even, made::full(), i * 10, 5);
    }
  }
  ASSERT_TRUE(made::merge(run.path()).has_value());
  const auto trace = TraceFile::open(run.path());
  ASSERT_TRUE(trace.has_value()) << trace.error().text();
  ASSERT_EQ(trace->processes()[0].streams[0].blocks.size(), 3U);

  std::vector<Seen> all;
  RecordReader reader(*trace, 0, 0);
  Record record;
  while (reader.next(record)) {
    ASSERT_EQ(record.index, all.size());
    all.push_back(seen(record));
  }
  ASSERT_FALSE(reader.error()) << reader.error()->text();
  ASSERT_EQ(all.size(), kRecords);

  Random random(seed);
  std::vector<std::uint64_t> places = {
      0,       1,       kBlockRecords - 1, kBlockRecords, kBlockRecords + 1, 2 * kBlockRecords,
      299'999, 300'000, kRecords - 1,      kRecords,      kRecords + 1,      ~std::uint64_t{0}};
  for (int i = 0; i < 4; ++i) places.push_back(random.below(kRecords));
  for (const std::uint64_t place : places) {
    reader.seek_record(place);
    for (std::uint64_t i = place; i < place + 3; ++i) {
      ASSERT_EQ(reader.next(record), i < kRecords) << i;
      if (i >= kRecords) break;
      EXPECT_EQ(record.index, i);
      EXPECT_EQ(seen(record), all[i]) << i;
    }
    EXPECT_FALSE(reader.error());
  }

  for (const std::int64_t time :
       {-5L, 0L, 1'234'567L, 2'621'435L, 2'621'440L, 5'242'890L, 5'999'995L, 5'999'999L, 9'999'999L}) {
    const auto expected =
        std::find_if(all.begin(), all.end(), [&](const Seen& one) { return one.end >= time; });
    reader.seek_time(time);
    bool found = false;
    std::uint64_t passed = 0;
    while (!found && reader.next(record)) {
      found = seen(record).end >= time;
      if (!found) ++passed;
    }
    ASSERT_EQ(found, expected != all.end()) << time;
    EXPECT_LE(passed, kBlockRecords) << "earlier blocks are not read";
    if (found) {
      EXPECT_EQ(seen(record), *expected) << time;
    }
  }
}

}  // namespace
}  // namespace weir::trace
