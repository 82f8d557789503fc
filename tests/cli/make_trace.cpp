// Makes a small trace that is the same on every machine, for the command line's tests.
//   make_trace DIR            two programs in three processes, threads, failures, nested calls
//   make_trace DIR untimed    the same without times
//   make_trace DIR large      600 000 records in one stream: several blocks
//   make_trace DIR live       not merged
//   make_trace DIR ranks      a launcher and ranks 0 to 6 and 8, one class but for rank 0
//   make_trace DIR race       rank 0 writes what rank 1 reads, and nothing orders them
//   make_trace DIR barrier    the same with a barrier between them,
//   make_trace DIR fsync      with an fsync before it,
//   make_trace DIR reopen     with a close before and an open behind it
//   make_trace DIR unmatched  with a barrier, and a message of rank 0 that nobody receives
//   make_trace DIR machines   with a barrier, in /tmp of two machines
//   make_trace DIR reader     a program that reads the same file
//   make_trace DIR names      two programs that make directories and move no data
#include <cstdio>
#include <cstring>
#include <string>

#include "trace/made_run_test.hpp"

namespace {

using namespace weir::trace::made;

std::string lengths(std::initializer_list<std::uint64_t> values) {
  std::string bytes;
  for (const std::uint64_t value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

void small(const std::filesystem::path& run, bool timed) {
  {
    Lane lane(run, {.process = 4100, .parent = 4000, .number = 0, .start = 1000, .timed = timed, .lost = 0});
    lane.program("/usr/bin/app", "/scratch", std::string("app\0--steps\0002\0", 14));
    lane.thread(4100);
    lane.call("open", 0, {path("out.dat"), literal(0102), literal(0644)}, opened(0, 3), 100, 2000);
    for (int i = 0; i < 4; ++i)
      lane.call("pwrite", 0, {handle(0), absent(), literal(64), distance(64)}, full(),
                3000 + 1000 * static_cast<unsigned>(i), 500);
    lane.call("open", 0, {path("missing\n\"file\""), literal(0), literal(0)}, failed(2), 8000, 700);
    lane.call("writev", 0, {handle(0), text(lengths({64, 128})), literal(2)}, literal(192), 9000, 800);
    lane.call("pwrite", 1, {handle(0), absent(), literal(4096), distance(0)}, full(), 10200, 300);
    lane.call("pwrite", 1, {handle(0), absent(), literal(4096), distance(0)}, full(), 10600, 300);
    lane.call("fsync", 0, {handle(0)}, literal(0), 10000, 1500);
    lane.call("lseek", 0, {handle(0), literal(0), literal(2)}, literal(8448), 12000, 50);
    lane.call("mkdir", 0, {path("/scratch/ckpt"), literal(0755)}, failed(17), 12100, 900);
    lane.call("close", 0, {handle(0)}, literal(0), 14000, 400);
  }
  {
    Lane lane(run, {.process = 4100, .parent = 4000, .number = 1, .start = 1000, .timed = timed, .lost = 3});
    lane.thread(4101);
    lane.inherited(1, 5, "/scratch/input.txt");
    for (int i = 0; i < 3; ++i)
      lane.call("read", 0, {handle(1), absent(), literal(4096)}, i < 2 ? full() : literal(100),
                3300 + 1000 * static_cast<unsigned>(i), 400);
  }
  {
    Lane lane(run, {.process = 4102, .parent = 4100, .number = 0, .start = 20000, .timed = timed, .lost = 0});
    lane.program("/usr/bin/app", "/scratch", std::string("app\0--steps\0002\0", 14));
    lane.thread(4102);
    lane.call("execve", 0, {path("/bin/gzip"), text(std::string("gzip\0out.dat\0", 13)), absent()},
              unfinished(), 100, 0);
  }
  {
    Lane lane(run, {.process = 4102, .parent = 4100, .number = 0, .start = 30000, .timed = timed, .lost = 0});
    lane.program("/bin/gzip", "/scratch", std::string("gzip\0out.dat\0", 13));
    lane.thread(4102);
    lane.call("fopen", 0, {path("/scratch/out.dat.gz"), text("w")}, opened(0, 4), 100, 1200);
    lane.call("fwrite", 0, {absent(), literal(1), literal(512), handle(0)}, full(), 1500, 90);
    lane.call("fclose", 0, {handle(0)}, literal(0), 2000, 3000);
  }
}

void large(const std::filesystem::path& run) {
  Lane lane(run, {.process = 4100, .parent = 4000, .number = 0, .start = 1000, .timed = true, .lost = 0});
  lane.program("/usr/bin/app", "/scratch", std::string("app\0", 4));
  lane.thread(4100);
  lane.call("open", 0, {path("out.dat"), literal(0102), literal(0644)}, opened(0, 3), 100, 2000);
  std::uint32_t random = 1;  // durations that do not compress: blocks of some size
  for (unsigned i = 0; i < 600'000; ++i) {
    random = random * 1664525 + 1013904223;
    lane.call("pwrite", 0, {handle(0), absent(), literal(64), distance(0)}, full(), 3000 + 1000ULL * i,
              random >> 23);
  }
}

void ranks(const std::filesystem::path& run) {
  {
    Lane lane(run, {.process = 4000, .parent = 1, .number = 0, .start = 500, .timed = true, .lost = 0});
    lane.program("/usr/bin/mpiexec", "/scratch", std::string("mpiexec\0app\0", 12));
    lane.thread(4000);
    lane.call("mkdir", 0, {path("/tmp/session"), literal(0700)}, literal(0), 100, 900);
  }
  for (const std::int32_t rank : {8, 3, 0, 1, 2, 4, 5, 6}) {
    const auto process = static_cast<std::uint64_t>(4100 + rank);
    Lane lane(run, {.process = process,
                    .parent = 4000,
                    .number = 0,
                    .start = 1000 + 10 * static_cast<std::uint64_t>((rank + 5) % 9),
                    .timed = true,
                    .lost = 0});
    lane.program("/usr/bin/app", "/scratch", std::string("app\0", 4));
    lane.thread(process);
    lane.rank(rank, 9, 100 * rank, 100 * rank + 7);
    lane.communicator(1, static_cast<std::uint32_t>(rank), {{0, 1, 9}});
    lane.call("open", 0, {path("out_\x01\x34.dat", {rank}), literal(0102), literal(0644)},
              opened(0, 3 + rank % 2), 100, 2000);
    for (unsigned i = 0; i < 3; ++i)
      lane.call("pwrite", 0, {handle(0), absent(), literal(64), distance(i == 0 ? rank * 64 : 0)}, full(),
                3000 + 1000 * i, 500);
    lane.call("close", 0, {handle(0)}, literal(0), 14000, 400);
  }
}

// As examples/consistency/exchange.c does it.
void exchange(const std::filesystem::path& run, const std::string& how) {
  for (const std::int32_t rank : {0, 1}) {
    const auto process = static_cast<std::uint64_t>(4100 + rank);
    Lane lane(run, {.process = process, .parent = 1, .number = 0, .start = 1000, .timed = true, .lost = 0});
    const bool apart = how == "machines";
    lane.program("/usr/bin/exchange", apart ? "/tmp" : "/scratch", std::string("exchange\0", 9),
                 apart && rank == 1 ? "node2" : "node1");
    lane.thread(process);
    lane.rank(rank, 2, 0, 0);
    const auto open = [&](std::uint64_t at) {
      lane.call("open", 0, {path("shared.dat"), literal(0102), literal(0644)}, opened(0, 3), at, 500);
    };
    const auto close = [&](std::uint64_t at) { lane.call("close", 0, {handle(0)}, literal(0), at, 300); };
    lane.call("MPI_Init", 0, {null(), null()}, literal(0), 100, 500);
    open(1000);
    if (rank == 0) {
      lane.call("pwrite", 0, {handle(0), absent(), literal(4096), literal(0)}, full(), 2000, 900);
      if (how == "fsync") lane.call("fsync", 0, {handle(0)}, literal(0), 3000, 900);
      if (how == "reopen") close(3000);
    }
    if (rank == 0 && how == "unmatched")
      lane.call("MPI_Send", 0,
                {absent(), literal(1), text("MPI_INT"), relative(1), literal(7), text("MPI_COMM_WORLD")},
                literal(0), 3950, 20);
    if (how != "race") lane.call("MPI_Barrier", 0, {text("MPI_COMM_WORLD")}, literal(0), 4000, 500);
    if (rank == 1) {
      if (how == "reopen") {
        close(5000);
        open(5500);
      }
      lane.call("pread", 0, {handle(0), absent(), literal(4096), literal(0)}, full(), 7000, 800);
    }
    if (rank != 0 || how != "reopen") close(9000);
  }
}

void reader(const std::filesystem::path& run) {
  Lane lane(run, {.process = 5000, .parent = 1, .number = 0, .start = 1000, .timed = true, .lost = 0});
  lane.program("/usr/bin/analyse", "/scratch", std::string("analyse\0", 8));
  lane.thread(5000);
  lane.call("open", 0, {path("shared.dat"), literal(0), literal(0)}, opened(0, 3), 1000, 500);
  lane.call("read", 0, {handle(0), absent(), literal(8192)}, literal(4096), 2000, 500);
  lane.call("close", 0, {handle(0)}, literal(0), 3000, 300);
}

void names(const std::filesystem::path& run) {
  for (const std::uint64_t process : {5000U, 5001U}) {
    Lane lane(run,
              {.process = process, .parent = 1, .number = 0, .start = process, .timed = true, .lost = 0});
    lane.program("/bin/mkdir", "/scratch", std::string("mkdir\0d\0", 8));
    lane.thread(process);
    lane.call("mkdir", 0, {path("d"), literal(0755)}, process == 5000 ? literal(0) : failed(17), 1000, 500);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path run = argv[1];
  const std::string kind = argc > 2 ? argv[2] : "";
  if (kind == "large")
    large(run);
  else if (kind == "ranks")
    ranks(run);
  else if (kind == "race" || kind == "barrier" || kind == "fsync" || kind == "reopen" ||
           kind == "unmatched" || kind == "machines")
    exchange(run, kind);
  else if (kind == "reader")
    reader(run);
  else if (kind == "names")
    names(run);
  else
    small(run, kind != "untimed");
  if (kind == "live") return 0;
  const auto merged = merge(run);
  if (merged) return 0;
  std::fprintf(stderr, "%s\n", merged.error().text().c_str());
  return 1;
}
