#include "semantics/verdict.hpp"

#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "consistency/file_system.hpp"
#include "semantics/order/made_program_test.hpp"
#include "semantics/program_order.hpp"

namespace weir::semantics {
namespace {

using namespace made;  // NOLINT(google-build-using-namespace): parts of calls

constexpr int kRanks = 5;
constexpr std::uint32_t kFiles = 7;

// Ranks that write and read pieces of shared files, publish now and then, and meet now and then.
void make_random(Program& program, Random& random) {
  for (int rank = 0; rank < kRanks; ++rank)
    for (std::uint32_t file = 0; file < kFiles; ++file)
      program.call(rank, "open",
                   {path(fmt::format("file{}", file)), literal(O_RDWR | O_CREAT), literal(0644)},
                   opened(file, 3 + static_cast<int>(file)));
  for (int turn = 0; turn < 300; ++turn) {
    const auto rank = static_cast<int>(random.below(kRanks));
    const auto file = static_cast<std::uint32_t>(random.below(kFiles));
    const auto offset = static_cast<std::int64_t>(random.below(20) * 8);
    switch (random.below(6)) {
      case 0:
      case 1:
        program.call(rank, "pwrite", {handle(file), absent(), literal(16), literal(offset)}, literal(16));
        break;
      case 2:
      case 3:
        program.call(rank, "pread", {handle(file), absent(), literal(16), literal(offset)}, literal(16));
        break;
      case 4:
        program.call(rank, "fsync", {handle(file)});
        break;
      default:
        for (int one = 0; one < kRanks; ++one) program.barrier(one);
    }
  }
}

std::string text_of(const Access& access) {
  return fmt::format("{}:{}@{}+{} ", access.member, access.record, access.begin, access.end - access.begin);
}

// All that a verdict says.
std::string text_of(const Accesses& accesses, const Verdict& verdict) {
  std::string text;
  for (const FileVerdict& one : verdict.files) {
    const FileFindings& found = one.findings;
    text += fmt::format("{} races {} overlaps {} weakest {}\n", accesses.files[one.file].name, found.races,
                        found.overlaps, one.weakest ? static_cast<int>(*one.weakest) : -1);
    for (const ConflictCounts& counts : found.conflicts)
      text += fmt::format("  {} {} {} {}\n", counts.waw_s, counts.waw_d, counts.raw_s, counts.raw_d);
    for (const ConflictPair& pair : found.examples)
      text += fmt::format("  {} {} ", static_cast<int>(pair.kind), pair.models) + text_of(pair.first) +
              text_of(pair.second) + "\n";
    for (const auto& [key, gap] : found.gaps)
      text += fmt::format("  gap {} {} ", gap.pairs, gap.models) + text_of(gap.first) + text_of(gap.second) +
              "\n";
  }
  return text;
}

TEST(Verdict, IsTheSameForAnyNumberOfThreads) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Random random(seed);
    Program program(kRanks);
    make_random(program, random);
    std::string first;
    for (const unsigned threads : {1U, 2U, 3U, 8U}) {
      RebuildOptions rebuilding;
      rebuilding.threads = threads;
      const auto accesses = rebuild({&program.trace()}, rebuilding);
      ASSERT_TRUE(accesses) << accesses.error().text();
      VerdictOptions options;
      options.threads = threads;
      const Verdict verdict =
          judge(*accesses, {consistency::find_file_system("plfs")->model}, ProgramOrder(*accesses), options);
      const std::string text = text_of(*accesses, verdict);
      if (first.empty()) first = text;
      EXPECT_EQ(text, first) << "seed " << seed << ", " << threads << " threads";
    }
    EXPECT_NE(first.find("  gap"), std::string::npos) << "there was something to find";
  }
}

}  // namespace
}  // namespace weir::semantics
