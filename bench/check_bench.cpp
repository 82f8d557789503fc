// How `weir check` scales: traces of 100 ranks that write the same bytes one rank after the other, a barrier
// and an fsync between them, so that every byte is written 100 times. For each number of accesses: making
// sense of the records and of the order from MPI calls, and the conflicts under all models, on one core. The
// reference is the source's way, all pairs of overlapping accesses (Algorithm 4.1), on the smallest of them.
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

void make_run(const std::filesystem::path& run, std::uint64_t accesses) {
  const std::uint64_t writes = accesses / kRanks;
  for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
    Lane lane(run, {.process = 1000 + rank, .parent = 1, .number = 0, .start = 1000});
    lane.program("/bin/app", "/scratch", std::string("app\0", 4));
    lane.thread(1000 + rank);
    lane.rank(static_cast<std::int32_t>(rank), kRanks, 0, 0);
    lane.call("open", 0, {path("shared"), literal(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 10, 5);
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

int measure(std::uint64_t count, double& first_each) {
  const ScratchDir scratch;
  make_run(scratch.path(), count);
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
  std::printf("%10llu  %8.2f s  %8.2f s  %8.2f million/s  %6.2f  %s, %llu WAW-D under session\n",
              static_cast<unsigned long long>(accesses->access_count), rebuilding, checking, 1e-6 / each,
              each / first_each, verdict.weakest ? verdict.models[*verdict.weakest].name.c_str() : "none",
              static_cast<unsigned long long>(verdict.conflicts[3].waw_d));
  if (count > 100'000) return 0;
  watch.lap();
  options.conflicts.all_pairs = true;
  const semantics::Verdict pairs = semantics::judge(*accesses, {}, order, options);
  const double all_pairs = watch.lap();
  std::printf("%10s  all pairs: %.2f s for %llu pairs, %.1f times the sweep; %s\n", "", all_pairs,
              static_cast<unsigned long long>(pairs.overlaps), all_pairs / checking,
              pairs.weakest == verdict.weakest ? "same verdict" : "ANOTHER VERDICT");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  std::printf("%10s  %10s  %10s  %18s  %6s  %s\n", "accesses", "rebuilt", "conflicts", "all on one core",
              "ratio", "weakest model");
  double first_each = 0;
  for (std::uint64_t count = 100'000; count <= most; count *= 10)
    if (const int status = measure(count, first_each); status != 0) return status;
  return 0;
}
