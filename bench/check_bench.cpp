// How `weir check` scales. Two programs of 100 ranks:
//   overlap     all write the same bytes one rank after the other, a barrier and an fsync between them, so
//   that
//               every byte is written 100 times
//   long reads  all write small pieces of a file in turns and close it; a barrier; then all open it and read
//               all of it again and again: reads times pieces overlap
// For each number of accesses: making sense of the records and of the order from MPI calls, and the conflicts
// under all models, on one core. The reference is the source's way, all pairs of overlapping accesses
// (Algorithm 4.1), on the smallest of them.
//   check_bench [MOST]        up to so many accesses, 10 000 000 by default
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <time.h>

#include "base/scratch_dir.hpp"
#include "semantics/accesses.hpp"
#include "semantics/program_order.hpp"
#include "semantics/verdict.hpp"
#include "trace/made_run_test.hpp"

namespace {

using namespace weir;
using namespace weir::trace::made;

constexpr std::uint64_t kRanks = 100;
constexpr std::uint64_t kSlot = 1'000'000'000;

using Maker = void (*)(const std::filesystem::path& run, std::uint64_t accesses);

std::unique_ptr<Lane> begin_rank(const std::filesystem::path& run, std::uint64_t rank) {
  auto lane = std::make_unique<Lane>(run, Lane::About{.process = 1000 + rank,
                                                      .parent = 1,
                                                      .number = 0,
                                                      .start = 1000,
                                                      .timed = true,
                                                      .lost = 0,
                                                      .late = 0});
  lane->program("/bin/app", "/scratch", std::string("app\0", 4));
  lane->thread(1000 + rank);
  lane->rank(static_cast<std::int32_t>(rank), kRanks, 0, 0);
  lane->call("open", 0, {path("shared"), literal(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 10, 5);
  return lane;
}

void make_long_reads(const std::filesystem::path& run, std::uint64_t accesses) {
  constexpr std::int64_t kPiece = 64;
  const std::uint64_t each = accesses / 2 / kRanks;
  const auto size = static_cast<std::int64_t>(each * kRanks) * kPiece;
  for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
    const auto made = begin_rank(run, rank);
    Lane& lane = *made;
    const std::uint64_t step = (kSlot - 1000) / (each + 1);
    const std::uint64_t within = step * rank / kRanks;  // ranks take turns
    const auto at = [&](std::uint64_t i) { return i * step + within + 20; };
    for (std::uint64_t i = 0; i < each; ++i) {
      const auto piece = static_cast<std::int64_t>(i == 0 ? rank : kRanks - 1);
      lane.call("pwrite", 0, {handle(0), absent(), literal(kPiece), distance(piece * kPiece)}, full(), at(i),
                std::max<std::uint64_t>(step / kRanks / 2, 1));
    }
    lane.call("close", 0, {handle(0)}, literal(0), kSlot - 500, 100);
    lane.call("MPI_Barrier", 0, {text("MPI_COMM_WORLD")}, literal(0), kSlot - 100, 50);
    lane.call("open", 0, {path("shared"), literal(O_RDWR), literal(0)}, opened(0, 3), kSlot + 1, 5);
    for (std::uint64_t i = 0; i < each; ++i)
      lane.call("pread", 0, {handle(0), absent(), literal(size), distance(i == 0 ? 0 : -size)}, full(),
                kSlot + at(i), std::max<std::uint64_t>(step / kRanks / 2, 1));
    lane.call("close", 0, {handle(0)}, literal(0), 2 * kSlot + 10, 5);
  }
}

void make_overlap(const std::filesystem::path& run, std::uint64_t accesses) {
  const std::uint64_t writes = accesses / kRanks;
  for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
    const auto made = begin_rank(run, rank);
    Lane& lane = *made;
    const auto barrier = [&](std::uint64_t slot) {
      lane.call("MPI_Barrier", 0, {text("MPI_COMM_WORLD")}, literal(0), slot * kSlot + kSlot - 100, 50);
    };
    for (std::uint64_t slot = 0; slot < rank; ++slot) barrier(slot);
    const std::uint64_t step = (kSlot - 1000) / (writes + 1);
    for (std::uint64_t i = 0; i < writes; ++i)
      lane.call("pwrite", 0, {handle(0), absent(), literal(64), distance(0)}, full(),
                rank * kSlot + i * step + 20, std::max<std::uint64_t>(step / 2, 1));
    lane.call("fsync", 0, {handle(0)}, literal(0), rank * kSlot + kSlot - 500, 100);
    for (std::uint64_t slot = rank; slot < kRanks; ++slot) barrier(slot);
    lane.call("close", 0, {handle(0)}, literal(0), kRanks * kSlot + 10, 5);
  }
}

// Processor time: what others do on the machine does not count.
class Watch {
 public:
  double lap() {
    const double now = seconds();
    return now - std::exchange(last_, now);
  }

 private:
  static double seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  double last_ = seconds();
};

int fail(const Error& error) {
  std::fprintf(stderr, "check_bench: %s\n", error.text().c_str());
  return 1;
}

int measure(const char* name, Maker make, std::uint64_t count, std::uint64_t smallest, double& first_each) {
  const ScratchDir scratch;
  make(scratch.path(), count);
  if (const auto merged = merge(scratch.path()); !merged) return fail(merged.error());
  const auto trace = trace::TraceFile::open(scratch.path());
  if (!trace) return fail(trace.error());
  Watch watch;
  semantics::RebuildOptions one_core;
  one_core.threads = 1;
  const auto accesses = semantics::rebuild({&*trace}, one_core);
  if (!accesses) return fail(accesses.error());
  const double rebuilding = watch.lap();
  const semantics::ProgramOrder order(*accesses);
  semantics::VerdictOptions options;
  options.threads = 1;
  const semantics::Verdict verdict = semantics::judge(*accesses, {}, order, options);
  const double checking = watch.lap();
  const double each = (rebuilding + checking) / static_cast<double>(accesses->access_count);
  if (first_each == 0) first_each = each;
  std::printf("%-10s  %10llu  %8.2f s  %8.2f s  %8.2f million/s  %6.2f  %s, %llu WAW-D under session\n", name,
              static_cast<unsigned long long>(accesses->access_count), rebuilding, checking, 1e-6 / each,
              each / first_each, verdict.weakest ? verdict.models[*verdict.weakest].name.c_str() : "none",
              static_cast<unsigned long long>(verdict.conflicts[3].waw_d));
  if (count > smallest) return 0;
  watch.lap();
  options.conflicts.all_pairs = true;
  const semantics::Verdict pairs = semantics::judge(*accesses, {}, order, options);
  const double all_pairs = watch.lap();
  std::printf("%-10s  %10s  all pairs: %.2f s for %llu pairs, %.1f times the sweep; %s\n", name, "",
              all_pairs, static_cast<unsigned long long>(pairs.overlaps), all_pairs / checking,
              pairs.weakest == verdict.weakest ? "same verdict" : "ANOTHER VERDICT");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  std::printf("%-10s  %10s  %10s  %10s  %18s  %6s  %s\n", "program", "accesses", "rebuilt", "conflicts",
              "all on one core", "ratio", "weakest model");
  double first_each = 0;
  for (std::uint64_t count = 100'000; count <= most; count *= 10)
    if (const int status = measure("overlap", make_overlap, count, 100'000, first_each); status != 0)
      return status;
  first_each = 0;
  for (std::uint64_t count = 10'000; count <= most; count *= 10)
    if (const int status = measure("long reads", make_long_reads, count, 10'000, first_each); status != 0)
      return status;
  return 0;
}
