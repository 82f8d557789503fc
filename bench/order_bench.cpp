// What it costs to prove the order of a program from its trace: time and memory a call of MPI, and how both
// grow from 1e5 to 1e7 calls. Two programs: a stencil in two dimensions (4 MPI_Irecv, 4 MPI_Isend,
// MPI_Waitall, each tenth step MPI_Allreduce), and messages between random ranks, half of them received by a
// wildcard, with barriers, broadcasts and reductions.
//
// References in the same run: reading the same records and doing nothing with them (processor time), and a
// vector clock of four bytes a rank at every call (memory). Queries are asked of random pairs of calls and of
// pairs that are near each other.
//
//   order_bench [RANKS [CALLS...]]          64 100000 1000000 10000000
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "semantics/order/order.hpp"
#include "trace/made_run_test.hpp"
#include "trace/trace_file.hpp"

namespace {

using namespace weir;
using namespace weir::trace::made;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A line of /proc/self/status, bytes.
double memory(const std::string& what) {
  std::ifstream in("/proc/self/status");
  std::string word;
  double kilobytes = 0;
  while (in >> word)
    if (word == what + ":") in >> kilobytes;
  return kilobytes * 1024;
}

class Ranks {
 public:
  Ranks(const std::filesystem::path& run, int count) {
    for (int rank = 0; rank < count; ++rank) {
      const auto number = static_cast<std::uint64_t>(5000 + rank);
      auto lane = std::make_unique<Lane>(run, Lane::About{.process = number,
                                                          .parent = 4000,
                                                          .number = 0,
                                                          .start = 1000 + static_cast<std::uint64_t>(rank),
                                                          .timed = false,
                                                          .lost = 0,
                                                          .late = 0});
      lane->program("/bin/app", "/scratch", std::string("app\0", 4));
      lane->thread(number);
      lane->rank(rank, count, 0, 0);
      lanes_.push_back(std::move(lane));
    }
  }
  int count() const { return static_cast<int>(lanes_.size()); }
  std::uint64_t calls() const { return calls_; }
  void call(int rank, const char* name, const std::vector<Part>& arguments) {
    lanes_[static_cast<std::size_t>(rank)]->call(name, 0, arguments, literal(0), 0, 0);
    ++calls_;
  }

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::uint64_t calls_ = 0;
};

void stencil(Ranks& ranks, std::uint64_t calls) {
  int columns = static_cast<int>(std::sqrt(ranks.count()));
  while (ranks.count() % columns != 0) --columns;
  const int rows = ranks.count() / columns;
  const Part world = text("MPI_COMM_WORLD");
  const Part type = text("MPI_DOUBLE");
  for (int step = 0; ranks.calls() < calls; ++step) {
    for (int rank = 0; rank < ranks.count(); ++rank) {
      const int row = rank / columns;
      const int column = rank % columns;
      const int partners[] = {(row + rows - 1) % rows * columns + column, (row + 1) % rows * columns + column,
                              row * columns + (column + columns - 1) % columns,
                              row * columns + (column + 1) % columns};
      std::string requests;
      std::string statuses;
      for (int i = 0; i < 4; ++i) {  // the tag says into which direction it goes
        ranks.call(rank, "MPI_Irecv",
                   {absent(), literal(64), type, literal(partners[i]), literal(i ^ 1), world, literal(i)});
        requests += item(i);
        statuses += relative_item(partners[i] - rank) + item(i ^ 1);
      }
      for (int i = 0; i < 4; ++i) {
        ranks.call(rank, "MPI_Isend",
                   {absent(), literal(64), type, literal(partners[i]), literal(i), world, literal(4 + i)});
        requests += item(4 + i);
        statuses += null_item() + null_item();
      }
      ranks.call(rank, "MPI_Waitall", {literal(8), list(requests), list(statuses)});
      if (step % 10 == 9)
        ranks.call(rank, "MPI_Allreduce", {absent(), absent(), literal(1), type, text("MPI_MAX"), world});
    }
  }
}

void random_messages(Ranks& ranks, std::uint64_t calls) {
  Random random(7);
  const Part world = text("MPI_COMM_WORLD");
  const Part type = text("MPI_INT");
  const auto below = [&](int limit) {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(limit)));
  };
  while (ranks.calls() < calls) {
    if (below(20 * ranks.count()) == 0) {
      const int kind = below(3);
      const int root = below(ranks.count());
      for (int rank = 0; rank < ranks.count(); ++rank) {
        if (kind == 0) ranks.call(rank, "MPI_Barrier", {world});
        if (kind == 1) ranks.call(rank, "MPI_Bcast", {absent(), literal(1), type, literal(root), world});
        if (kind == 2)
          ranks.call(rank, "MPI_Reduce",
                     {absent(), absent(), literal(1), type, text("MPI_SUM"), literal(root), world});
      }
    }
    const int from = below(ranks.count());
    const int to = below(ranks.count());
    const int tag = below(4);
    ranks.call(from, "MPI_Send", {absent(), literal(1), type, literal(to), literal(tag), world});
    ranks.call(to, "MPI_Recv",
               {absent(), literal(1), type, below(2) == 0 ? literal(from) : text("MPI_ANY_SOURCE"),
                literal(tag), world, status(trace::Encoding::literal, from, tag)});
  }
}

double read_all(const trace::TraceFile& trace) {
  const double begin = processor_seconds();
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < trace.processes().size(); ++p) {
    trace::RecordReader reader(trace, p, 0);
    trace::Record record;
    while (reader.next(record)) sum += record.arguments.size();
  }
  if (sum == 0) fmt::print("nothing was read\n");
  return processor_seconds() - begin;
}

// Nanoseconds a query, and how many of them are ordered.
std::pair<double, double> ask(const semantics::Order& order, const trace::TraceFile& trace,
                              std::uint64_t distance) {
  constexpr int kQueries = 200'000;
  Random random(11);
  const std::uint64_t ranks = trace.processes().size();
  int ordered = 0;
  const double begin = seconds();
  for (int i = 0; i < kQueries; ++i) {
    semantics::Event first;
    semantics::Event second;
    first.process = static_cast<std::uint32_t>(random.below(ranks));
    second.process = static_cast<std::uint32_t>(random.below(ranks));
    first.record = random.below(trace.processes()[first.process].records());
    const std::uint64_t records = trace.processes()[second.process].records();
    second.record =
        distance == 0 ? random.below(records) : std::min(first.record + random.below(distance), records - 1);
    ordered += order.before(first, second) ? 1 : 0;
  }
  return {(seconds() - begin) * 1e9 / kQueries, 100.0 * ordered / kQueries};
}

void measure(const char* name, int count, std::uint64_t calls,
             const std::function<void(Ranks&, std::uint64_t)>& program) {
  const ScratchDir run;
  {
    Ranks ranks(run.path(), count);
    program(ranks, calls);
  }
  const auto merged = merge(run.path(), trace::TimingMode::off);
  const auto trace = merged ? trace::TraceFile::open(run.path()) : Result<trace::TraceFile>(merged.error());
  if (!trace) {
    fmt::print("{}\n", trace.error().text());
    std::exit(1);
  }
  const double reading = read_all(*trace);
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  const double at_first = memory("VmRSS");
  const double begin = seconds();
  const double processor_begin = processor_seconds();
  const auto order = semantics::Order::of(*trace);
  const double time = seconds() - begin;
  const double processor = processor_seconds() - processor_begin;
  const double peak = memory("VmHWM") - at_first;
  if (!order) {
    fmt::print("{}\n", order.error().text());
    std::exit(1);
  }
  const auto made = static_cast<double>(order->mpi_calls());
  const auto [far_ns, far_share] = ask(*order, *trace, 0);
  const auto [near_ns, near_share] = ask(*order, *trace, 40);
  fmt::print(
      "{:8} {:>10} {:>10} {:>7.2f} {:>7.2f} {:>7.0f} {:>6.2f} {:>7.1f} {:>7.1f} {:>6.2f} {:>8.0f} {:>3.0f}% "
      "{:>8.0f} "
      "{:>3.0f}% {:>5}\n",
      name, order->mpi_calls(), order->edges(), time, processor, processor * 1e9 / made, processor / reading,
      static_cast<double>(order->bytes()) / made, peak / made,
      static_cast<double>(order->bytes()) / made / (4.0 * count), far_ns, far_share, near_ns, near_share,
      order->unmatched_count());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 64;
  std::vector<std::uint64_t> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {100'000, 1'000'000, 10'000'000};
  fmt::print("{} ranks; time against reading the records, bytes against a clock of {} bytes at every call\n",
             ranks, 4 * ranks);
  fmt::print("{:8} {:>10} {:>10} {:>7} {:>7} {:>7} {:>6} {:>7} {:>7} {:>6} {:>8} {:>4} {:>8} {:>4} {:>5}\n",
             "program", "MPI calls", "edges", "s", "cpu s", "ns/call", "x read", "B/call", "peak B", "x full",
             "far ns", "yes", "near ns", "yes", "alone");
  for (const std::uint64_t calls : sizes) {
    measure("stencil", ranks, calls, stencil);
    measure("random", ranks, calls, random_messages);
  }
  return 0;
}
