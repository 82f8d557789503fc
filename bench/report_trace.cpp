// Makes a trace with as many calls as asked for, with lossless times: for bench/report_figures.py.
// A program of ranks on a ring: each step a halo exchange with both neighbours, reads of an input of their
// own, strided writes to a file they share, each tenth step fsync and a barrier. Durations are random and
// heavy-tailed.
//
//   report_trace DIR [CALLS [RANKS]]        10000000 64
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/random.hpp"
#include "trace/made_run_test.hpp"
#include "trace/merge.hpp"
#include "trace/trace_file.hpp"

namespace {

using namespace weir;
using namespace weir::trace::made;

constexpr std::int64_t kPiece = 4096;
constexpr int kWrites = 40;
constexpr int kReads = 8;

class RingRank {
 public:
  RingRank(const std::filesystem::path& run, int rank, int count)
      : rank_(rank),
        count_(count),
        random_(1, static_cast<std::uint64_t>(rank)),
        lane_(run, Lane::About{.process = 5000 + static_cast<std::uint64_t>(rank),
                               .parent = 4000,
                               .number = 0,
                               .start = 1000 + static_cast<std::uint64_t>(rank),
                               .timed = true,
                               .lost = 0,
                               .late = 0}) {
    lane_.program("/bin/app", "/scratch", std::string("app\0", 4));
    lane_.thread(5000 + static_cast<std::uint64_t>(rank));
    lane_.rank(rank, count, 0, 0);
    call("open", {path("/scratch/shared.dat"), literal(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3), 20e3);
    call("open", {path("/scratch/input.\x01\x30", {rank}), literal(O_RDONLY), literal(0)}, opened(1, 4),
         20e3);
  }
  std::uint64_t calls() const { return calls_; }

  void step(int number) {
    now_ += 200'000;  // it computes
    exchange();
    for (int i = 0; i < kReads; ++i)
      call("pread", {handle(1), absent(), literal(kPiece), distance(0)}, full(), 3e3);
    for (int i = 0; i < kWrites; ++i) {
      // One piece of every rank after the other; the first of all is not behind another.
      const std::int64_t gap = number == 0 && i == 0 ? rank_ * kPiece : (count_ - 1) * kPiece;
      call("pwrite", {handle(0), absent(), literal(kPiece), distance(gap)}, full(), 8e3);
    }
    if (number % 10 != 9) return;
    call("fsync", {handle(0)}, literal(0), 500e3);
    call("MPI_Barrier", {text("MPI_COMM_WORLD")}, literal(0), 100e3);
  }
  void end() {
    call("close", {handle(1)}, literal(0), 5e3);
    call("close", {handle(0)}, literal(0), 5e3);
  }

 private:
  void exchange() {
    const Part world = text("MPI_COMM_WORLD"), type = text("MPI_DOUBLE");
    const int partners[] = {(rank_ + count_ - 1) % count_, (rank_ + 1) % count_};
    std::string requests, statuses;
    for (int i = 0; i < 2; ++i) {  // the tag says into which direction it goes
      call("MPI_Irecv",
           {absent(), literal(64), type, literal(partners[i]), literal(i ^ 1), world, literal(i)}, literal(0),
           400);
      requests += item(i);
      statuses += relative_item(partners[i] - rank_) + item(i ^ 1);
    }
    for (int i = 0; i < 2; ++i) {
      call("MPI_Isend",
           {absent(), literal(64), type, literal(partners[i]), literal(i), world, literal(2 + i)}, literal(0),
           600);
      requests += item(2 + i);
      statuses += null_item() + null_item();
    }
    call("MPI_Waitall", {literal(4), list(requests), list(statuses)}, literal(0), 20e3);
  }
  // About so long, now and then much longer.
  void call(const char* name, const std::vector<Part>& arguments, const Part& result, double typical_ns) {
    const auto duration = static_cast<std::uint64_t>(typical_ns * std::exp(0.5 * random_.normal()));
    now_ += 100 + random_.below(400);
    lane_.call(name, 0, arguments, result, now_, duration);
    now_ += duration;
    ++calls_;
  }

  int rank_, count_;
  Random random_;
  Lane lane_;
  std::uint64_t now_ = 10'000;
  std::uint64_t calls_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "report_trace DIR [CALLS [RANKS]]\n");
    return 2;
  }
  const std::filesystem::path run = argv[1];
  const std::uint64_t calls = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000'000;
  const int ranks = argc > 3 ? std::atoi(argv[3]) : 64;
  for (int rank = 0; rank < ranks; ++rank) {
    RingRank one(run, rank, ranks);
    for (int step = 0; one.calls() + 2 < calls / static_cast<std::uint64_t>(ranks); ++step) one.step(step);
    one.end();
  }
  const auto merged = merge(run, weir::trace::TimingMode::lossless);
  if (!merged) {
    fmt::print(stderr, "{}\n", merged.error().text());
    return 4;
  }
  const auto trace = weir::trace::TraceFile::open(run);
  if (!trace) {
    fmt::print(stderr, "{}\n", trace.error().text());
    return 4;
  }
  fmt::print("{} calls of {} ranks in {}\n", trace->records(), ranks, run.string());
  return 0;
}
