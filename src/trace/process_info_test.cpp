#include "trace/process_info.hpp"

#include <gtest/gtest.h>

#include "base/compress.hpp"
#include "base/random.hpp"

namespace weir::trace {
namespace {

// Two classes of four processes, with and without ranks, of one to three streams.
ProcessTable some() {
  ProcessTable table;
  table.pieces = {{Section::block, 0, 100}, {Section::state, 124, 7}, {Section::timing, 155, 5000}};
  for (std::int64_t i = 0; i < 4; ++i) {
    ProcessInfo one;
    one.number = 4000 - i;
    one.parent_number = 3;
    one.parent = i - 1;
    one.program = i % 2 == 0 ? "/bin/a" : "/bin/b";
    one.directory = "/";
    one.host = "node1";
    one.arguments = {"a", std::to_string(i / 2), "a"};
    one.start_ns = -5 + i * 1000;
    one.rank = i - 1;
    one.world_size = i == 0 ? 0 : 3;
    if (i > 0) one.clock_at_init = INT64_MIN + i;
    if (i > 1) one.clock_at_finalize = INT64_MAX - i;
    one.class_number = i == 0 ? 0 : 1;
    if (i > 0) one.own_words = {static_cast<std::uint64_t>(i * i), ~std::uint64_t{0} - 5};
    for (std::uint32_t k = 0; k < i; ++k) one.communicators.push_back(k % 2);
    for (std::int64_t s = 0; s < i; ++s) {
      StreamInfo stream;
      stream.records = 30;
      stream.lost = 1;
      stream.unseen = 2;
      stream.changed = 3;
      stream.damaged = 4;
      stream.part_records = {10, 20};
      stream.threads = {{0, static_cast<std::uint64_t>(4000 - i), "main"}, {7, 3, ""}};
      stream.blocks.push_back({0, 25, 100, 300, 0, BlockInfo::kNoPiece, 2, std::string("\1\0\2", 3)});
      stream.blocks.push_back({25, 5, 301, 299, 0, 1, BlockInfo::kNoPiece, ""});
      one.streams.push_back(stream);
    }
    table.processes.push_back(std::move(one));
  }
  return table;
}

constexpr std::size_t kOwnWords[] = {0, 2};
constexpr std::size_t kCommunicators = 2;

Result<ProcessTable> taken(ByteSpan bytes) {
  ByteReader in(bytes);
  return take_processes(in, kOwnWords, kCommunicators);
}

TEST(ProcessInfo, ComesBackAsItWas) {
  const ProcessTable table = some();
  ByteWriter out;
  put_processes(out, table);
  const auto back = taken(out.view());
  ASSERT_TRUE(back) << back.error().text();
  ASSERT_EQ(back->pieces.size(), table.pieces.size());
  for (std::size_t i = 0; i < table.pieces.size(); ++i) {
    EXPECT_EQ(back->pieces[i].type, table.pieces[i].type);
    EXPECT_EQ(back->pieces[i].offset, table.pieces[i].offset);
    EXPECT_EQ(back->pieces[i].bytes, table.pieces[i].bytes);
  }
  ASSERT_EQ(back->processes.size(), table.processes.size());
  std::uint64_t grammars = 0;
  for (std::size_t i = 0; i < table.processes.size(); ++i) {
    const ProcessInfo& want = table.processes[i];
    const ProcessInfo& got = back->processes[i];
    EXPECT_EQ(got.number, want.number);
    EXPECT_EQ(got.parent_number, want.parent_number);
    EXPECT_EQ(got.parent, want.parent);
    EXPECT_EQ(got.program, want.program);
    EXPECT_EQ(got.directory, want.directory);
    EXPECT_EQ(got.host, want.host);
    EXPECT_EQ(got.arguments, want.arguments);
    EXPECT_EQ(got.start_ns, want.start_ns);
    EXPECT_EQ(got.rank, want.rank);
    EXPECT_EQ(got.world_size, want.world_size);
    EXPECT_EQ(got.clock_at_init, want.clock_at_init);
    EXPECT_EQ(got.clock_at_finalize, want.clock_at_finalize);
    EXPECT_EQ(got.class_number, want.class_number);
    EXPECT_EQ(got.own_words, want.own_words);
    EXPECT_EQ(got.communicators, want.communicators);
    ASSERT_EQ(got.streams.size(), want.streams.size());
    for (std::size_t s = 0; s < want.streams.size(); ++s) {
      EXPECT_EQ(got.streams[s].records, 30U);
      EXPECT_EQ(got.streams[s].lost, 1U);
      EXPECT_EQ(got.streams[s].unseen, 2U);
      EXPECT_EQ(got.streams[s].changed, 3U);
      EXPECT_EQ(got.streams[s].damaged, 4U);
      EXPECT_EQ(got.streams[s].part_records, want.streams[s].part_records);
      EXPECT_EQ(got.streams[s].first_grammar, grammars);
      grammars += 2;
      ASSERT_EQ(got.streams[s].threads.size(), 2U);
      EXPECT_EQ(got.streams[s].threads[0].number, want.streams[s].threads[0].number);
      EXPECT_EQ(got.streams[s].threads[0].name, "main");
      EXPECT_EQ(got.streams[s].threads[1].number, 3U);
      EXPECT_EQ(got.streams[s].threads[1].first_record, 7U);
      ASSERT_EQ(got.streams[s].blocks.size(), 2U);
      for (std::size_t b = 0; b < 2; ++b) {
        const BlockInfo& block = got.streams[s].blocks[b];
        const BlockInfo& other = want.streams[s].blocks[b];
        EXPECT_EQ(block.first_record, other.first_record);
        EXPECT_EQ(block.records, other.records);
        EXPECT_EQ(block.first_start_ns, other.first_start_ns);
        EXPECT_EQ(block.last_end_ns, other.last_end_ns);
        EXPECT_EQ(block.block, other.block);
        EXPECT_EQ(block.state, other.state);
        EXPECT_EQ(block.timing, other.timing);
        EXPECT_EQ(block.numbers, other.numbers);
      }
    }
  }
}

TEST(ProcessInfo, WhatContradictsItselfIsRefused) {
  const auto refused = [](auto&& change) {
    ProcessTable table = some();
    change(table);
    ByteWriter out;
    put_processes(out, table);
    return !taken(out.view());
  };
  EXPECT_FALSE(refused([](ProcessTable&) {}));
  EXPECT_TRUE(refused([](ProcessTable& t) { t.processes[1].parent = 4; }));
  EXPECT_TRUE(refused([](ProcessTable& t) { t.processes[1].rank = -2; }));
  EXPECT_TRUE(refused([](ProcessTable& t) { t.processes[0].class_number = 2; })) << "no such class";
  EXPECT_TRUE(refused([](ProcessTable& t) { t.processes[3].communicators[1] = 2; }))
      << "no such communicator";
  EXPECT_TRUE(refused([](ProcessTable& t) { t.processes[2].streams[1].part_records = {10, 21}; }));
  EXPECT_TRUE(refused([](ProcessTable& t) { t.processes[2].streams[1].blocks[0].block = 3; }));
  EXPECT_TRUE(refused([](ProcessTable& t) { t.processes[2].streams[1].blocks[0].block = 1; })) << "a state";
  EXPECT_TRUE(refused([](ProcessTable& t) { t.processes[2].streams[1].blocks[1].records = 6; }));
}

TEST(ProcessInfo, DamagedBytesNeverAskForMuch) {
  ByteWriter packed;
  put_processes(packed, some());
  ByteReader in(packed.view());
  const std::vector<std::byte> plain = *take_packed(in, 1 << 20);
  const auto read = [](ByteSpan bytes) {
    ByteWriter stored;
    stored.varint(bytes.size());
    stored.varint(0);
    stored.bytes(bytes);
    return taken(stored.view());
  };
  ASSERT_TRUE(read(plain));
  for (std::size_t length = 1; length < plain.size(); ++length)
    EXPECT_FALSE(read(std::span(plain).first(length))) << length;
  Random random(9);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> damaged = plain;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips)
      damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(256));
    (void)read(damaged);
  }
}

}  // namespace
}  // namespace weir::trace
