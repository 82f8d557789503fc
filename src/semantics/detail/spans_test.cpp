// Reads over many cells go over spans of them; what they say must be what every pair of accesses says.
#include "semantics/detail/spans.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "semantics/conflicts.hpp"

namespace weir::semantics {
namespace {

using consistency::Operation;
using consistency::Operations;

// Phases in turns: members write small pieces, each its own ones, and read large ranges. Between them some
// tell others that they are done, mostly all, mostly after they have published. So every verdict comes up.
class RandomFile : public Precedence {
 public:
  explicit RandomFile(std::uint64_t seed) : random_(seed), members_(2 + random_.below(4)) {
    for (std::uint32_t i = 0; i < members_; ++i) file_.members.push_back({i, {}});
    clocks_.assign(members_, std::vector<std::uint64_t>(members_));
    known_.resize(members_);
    file_.writers = 1;
    tidiness_ = random_.below(4);
    for (std::uint64_t phase = 2 + random_.below(5); phase > 0; --phase) {
      write_some();
      meet();
      read_some();
      meet();
    }
  }

  const File& file() const { return file_; }

  bool before(const Moment& first, const Moment& second) const override {
    return known_[second.event.process][second.event.record][first.event.process] > first.event.record;
  }

 private:
  static constexpr std::int64_t kPieces = 400;
  static constexpr std::int64_t kPiece = 8;

  bool rarely() { return random_.below(tidiness_ == 0 ? 6 : 200) == 0; }

  std::uint64_t record(std::uint32_t member) {
    known_[member].push_back(clocks_[member]);
    return clocks_[member][member]++;
  }

  void access(std::uint32_t member, std::int64_t begin, std::int64_t end, std::uint8_t flags) {
    Access made;
    made.begin = begin;
    made.end = end;
    made.start_ns = made.end_ns = ++now_;
    made.record = record(member);
    made.member = member;
    made.syncs = static_cast<std::uint32_t>(file_.members[member].syncs.size());
    made.flags = flags;
    file_.accesses.push_back(made);
  }

  void sync(std::uint32_t member, Operation operation) {
    ++now_;
    file_.members[member].syncs.push_back({record(member), now_, now_, 0, Operations{operation}.bits(), 0});
  }

  void write_some() {
    const bool strided = random_.below(2) == 0;
    const auto shift = random_.below(members_);
    for (std::int64_t piece = 0; piece < kPieces; ++piece) {
      const std::uint64_t turn = static_cast<std::uint64_t>(piece) * (strided ? 1 : members_) /
                                 static_cast<std::uint64_t>(strided ? 1 : kPieces);
      const auto member = static_cast<std::uint32_t>((turn + shift) % members_);
      if (random_.below(8) == 0) continue;
      access(member, piece * kPiece, (piece + 1) * kPiece, Access::kWrite);
    }
  }

  void read_some() {
    for (std::uint64_t reads = 3 + random_.below(6); reads > 0; --reads) {
      const auto member = static_cast<std::uint32_t>(random_.below(members_));
      auto begin = static_cast<std::int64_t>(random_.below(kPieces * kPiece));
      auto end = static_cast<std::int64_t>(random_.below(kPieces * kPiece)) + 1;
      if (random_.below(2) == 0) begin = 0, end = kPieces * kPiece;
      if (begin > end) std::swap(begin, end);
      access(member, begin, end + 1, 0);
      if (rarely()) access(member, begin, begin + kPiece, Access::kWrite);
    }
  }

  void meet() {
    const std::uint64_t how = tidiness_ == 1 ? 0 : tidiness_ == 2 ? 1 : 2;
    for (std::uint32_t member = 0; member < members_; ++member)
      if (how > 0 && !rarely()) sync(member, how == 1 ? Operation::fsync : Operation::close);
    std::vector<std::uint64_t> all(members_);
    for (const auto& clock : clocks_)
      for (std::size_t i = 0; i < members_; ++i) all[i] = std::max(all[i], clock[i]);
    for (std::uint32_t member = 0; member < members_; ++member) {
      if (!rarely()) clocks_[member] = all;
      if (how == 2 && !rarely()) sync(member, Operation::open);
    }
  }

  Random random_;
  std::uint64_t members_;
  std::uint64_t tidiness_ = 0;
  File file_;
  std::vector<std::vector<std::uint64_t>> clocks_;
  std::vector<std::vector<std::vector<std::uint64_t>>> known_;  // by member and record: calls of each member
  std::int64_t now_ = 0;
};

std::string verdict(const RandomFile& made, bool all_pairs) {
  const auto models = consistency::built_in_models();
  const FileFindings found = find_conflicts(made.file(), models, made, {.all_pairs = all_pairs});
  if (found.races > 0) return "races";
  std::string text;
  for (std::size_t m = 0; m < models.size(); ++m)
    if (found.sufficient(m, models[m])) text += models[m].name + " ";
  return text;
}

TEST(Spans, LongReadsGetTheVerdictOfAllPairs) {
  std::vector<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const RandomFile made(seed);
    const std::string paired = verdict(made, true);
    ASSERT_EQ(verdict(made, false), paired) << "seed " << seed;
    if (std::find(seen.begin(), seen.end(), paired) == seen.end()) seen.push_back(paired);
  }
  EXPECT_GE(seen.size(), 4U) << fmt::format("{}", fmt::join(seen, "; "));
}

// One process writes `writes` cells of 8 bytes, then another reads all of them `reads` times.
File cells_then_reads(std::uint32_t writes, std::uint32_t reads) {
  File file;
  file.members = {{0, {}}, {1, {}}};
  file.writers = 1;
  for (std::uint32_t i = 0; i < writes + reads; ++i) {
    Access made;
    made.begin = i < writes ? 8 * i : 0;
    made.end = i < writes ? 8 * (i + 1) : 8 * writes;
    made.start_ns = made.end_ns = i;
    made.record = i < writes ? i : i - writes;
    made.member = i < writes ? 0 : 1;
    made.flags = i < writes ? Access::kWrite : 0;
    file.accesses.push_back(made);
  }
  return file;
}

// A race of the first write only, and of one in the middle: neither end of a run speaks for them.
TEST(Spans, ARaceWithOneWriteOfARunIsFound) {
  class Told : public Precedence {
   public:
    explicit Told(std::uint64_t told) : told_(told) {}
    bool before(const Moment& first, const Moment& second) const override {
      return first.event.process == 0 && second.event.process == 1 && first.event.record < told_;
    }

   private:
    std::uint64_t told_;
  };
  constexpr std::uint32_t kWrites = 300;
  const File file = cells_then_reads(kWrites, 3);
  const auto models = consistency::built_in_models();
  for (const std::uint64_t told : {0U, 1U, 150U, 299U, 300U}) {
    const FileFindings found = find_conflicts(file, models, Told(told), {});
    EXPECT_EQ(found.races, told < kWrites ? 3U : 0U) << told;
    EXPECT_EQ(found.conflicts[0].raw_d, 0U) << told;
    EXPECT_EQ(found.conflicts[1].raw_d, told > 0 ? 3U : 0U) << told;  // never published: commit
  }
}

class Ordered : public Precedence {
 public:
  bool before(const Moment& first, const Moment& second) const override {
    return first.end_ns < second.start_ns;
  }
};

// The second read of a range does not look at its cells again.
TEST(Spans, PairsLookedAtDoNotGrowWithCellsTimesReads) {
  constexpr std::uint32_t kWrites = 4096;
  constexpr std::uint32_t kReads = 1000;
  const File file = cells_then_reads(kWrites, kReads);
  const auto models = consistency::built_in_models();
  const FileFindings found = find_conflicts(file, models, Ordered(), {});
  EXPECT_EQ(found.conflicts[1].raw_d, kReads);
  EXPECT_LT(found.overlaps, kWrites + 64 * kReads);
}

// What a thread found in a span counts for each of its reads, up to its next sync point.
TEST(Spans, WhatWasFoundOnceCountsForEveryRead) {
  constexpr std::uint32_t kWrites = 4096;
  constexpr std::uint32_t kReads = 1000;
  File file = cells_then_reads(kWrites, kReads);
  for (std::uint32_t i = kWrites; i < kWrites + kReads; ++i) {
    file.accesses[i].start_ns = file.accesses[i].end_ns = kWrites + 10 + i;
    if (i >= kWrites + kReads / 2) file.accesses[i].syncs = 1;
  }
  file.members[0].syncs.push_back(
      {kWrites, kWrites + 1, kWrites + 1, 0, Operations{Operation::close}.bits(), 0});
  const std::int64_t middle = file.accesses[kWrites + kReads / 2].start_ns - 1;
  file.members[1].syncs.push_back({kReads / 2, middle, middle, 0, Operations{Operation::open}.bits(), 0});
  const auto models = consistency::built_in_models();
  const FileFindings found = find_conflicts(file, models, Ordered(), {});
  EXPECT_EQ(found.conflicts[1].raw_d, 0U);
  EXPECT_EQ(found.conflicts[3].raw_d, kReads / 2) << "those before it opened the file again";
  EXPECT_EQ(found.races, 0U);
  EXPECT_LT(found.overlaps, 2U * kWrites);
}

}  // namespace
}  // namespace weir::semantics
