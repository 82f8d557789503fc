// What recording costs and what a trace weighs: the same loops bare, under a library that only counts calls,
// and under `weir trace` with each way of keeping times, in turns within one run; medians over the turns.
//
//   capture_bench [CALLS [TURNS [DIRECTORY]]]
//
// Each turn is a process of its own. Calls are timed by processor time, so that a busy machine shows less.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "trace/trace_file.hpp"

namespace {

namespace fs = std::filesystem;

[[noreturn]] void stop(std::string_view what) {
  fmt::print(stderr, "capture_bench: {} failed\n", what);
  std::exit(3);
}

std::int64_t read_clock(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// The traced program: prints nanoseconds per call, its largest memory in KiB, and when it ended.
int run_loop(std::string_view kind, long calls) {
  std::array<char, 4096> bytes{};
  const int fd = open("bench.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) stop("open");
  std::uint64_t state = 12345;
  for (int i = 0; i < 1000; ++i)
    if (pwrite(fd, bytes.data(), 64, 64 * i) != 64) stop("pwrite");
  const std::int64_t begin = read_clock(CLOCK_THREAD_CPUTIME_ID);
  for (long i = 0; i < calls; ++i) {
    if (kind == "sequential") {
      if (pwrite(fd, bytes.data(), 64, 64 * i) != 64) stop("pwrite");
    } else {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const std::size_t size = 1 + ((state >> 20) & 4095);
      if (pwrite(fd, bytes.data(), size, static_cast<off_t>((state >> 33) & 0x3fffff)) < 0) stop("pwrite");
    }
  }
  const std::int64_t spent = read_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
  close(fd);
  unlink("bench.dat");
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} {} {}\n", static_cast<double>(spent) / static_cast<double>(calls), usage.ru_maxrss,
             read_clock(CLOCK_MONOTONIC));
  return 0;
}

struct Turn {
  double nanoseconds = 0;
  double memory_kib = 0;
  double end_s = 0;  // from the end of the loop to the end of everything
};

Turn run(const std::vector<std::string>& command, const char* preload) {
  int ends[2];
  if (pipe(ends) != 0) stop("pipe");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 2);
    if (preload != nullptr) setenv("LD_PRELOAD", preload, 1);
    std::vector<std::string> words = command;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char piece[256];
  for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const std::int64_t now = read_clock(CLOCK_MONOTONIC);
  Turn turn;
  long long ended = 0;
  if (status != 0 ||
      std::sscanf(text.c_str(), "%lf %lf %lld", &turn.nanoseconds, &turn.memory_kib, &ended) != 3)
    stop(command.front());
  turn.end_s = static_cast<double>(now - ended) / 1e9;
  return turn;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Row {
  std::vector<double> nanoseconds, memory, ends;
  double call_bytes = 0;
  double timing_bytes = 0;
  double records_per_second = 0;

  void add(const Turn& turn) {
    nanoseconds.push_back(turn.nanoseconds);
    memory.push_back(turn.memory_kib);
    ends.push_back(turn.end_s);
  }
};

void weigh(const fs::path& directory, Row& row) {
  const auto trace = weir::trace::TraceFile::open(directory);
  if (!trace) stop(trace.error().text());
  const auto records = static_cast<double>(trace->records());
  row.timing_bytes = static_cast<double>(trace->timing_bytes()) / records;
  row.call_bytes = static_cast<double>(trace->file_bytes()) / records - row.timing_bytes;
  const std::int64_t begin = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  std::uint64_t count = 0;
  for (std::size_t p = 0; p < trace->processes().size(); ++p)
    for (std::size_t s = 0; s < trace->processes()[p].streams.size(); ++s) {
      weir::trace::RecordReader reader(*trace, p, s);
      weir::trace::Record record;
      while (reader.next(record)) ++count;
    }
  row.records_per_second =
      static_cast<double>(count) * 1e9 / static_cast<double>(read_clock(CLOCK_PROCESS_CPUTIME_ID) - begin);
}

constexpr std::array kModes = {"off", "lossless", "mean", "quant", "cfg", "hist", "zfp"};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--loop") return run_loop(argv[2], std::atol(argv[3]));
  const long calls = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const int turns = argc > 2 ? std::atoi(argv[2]) : 5;
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const fs::path place = fs::absolute(argc > 3 ? argv[3] : fs::temp_directory_path()) /
                         fmt::format("capture_bench.{}", getpid());
  fs::create_directories(place);
  fs::current_path(place);

  for (const std::string kind : {"sequential", "random"}) {
    std::map<std::string, Row> rows;
    const std::vector<std::string> loop = {self.string(), "--loop", kind, std::to_string(calls)};
    for (int turn = 0; turn < turns; ++turn) {
      rows["bare"].add(run(loop, nullptr));
#ifdef WEIR_TEST_LIBRARY
      rows["counted"].add(run(loop, WEIR_TEST_LIBRARY));
#endif
      for (const char* const mode : kModes) {
        fs::remove_all("trace");
        std::vector<std::string> command = {WEIR_PROGRAM, "trace", "--out", "trace", "--timing", mode, "--"};
        command.insert(command.end(), loop.begin(), loop.end());
        Row& row = rows[mode];
        row.add(run(command, nullptr));
        if (turn + 1 == turns) weigh("trace", row);
      }
    }
    const double bare = median(rows["bare"].nanoseconds);
    const double bare_memory = median(rows["bare"].memory);
    fmt::print("{} pwrites, {}: bare {:.0f} ns a call; medians of {} turns\n", calls, kind, bare, turns);
    fmt::print("  {:<12} {:>9} {:>7} {:>12} {:>13} {:>12} {:>12} {:>14}\n", "", "added ns", "ratio",
               "call bytes", "timing bytes", "memory KiB", "end s/1e6", "decode rec/s");
    std::vector<std::string> order = {"counted"};
    order.insert(order.end(), kModes.begin(), kModes.end());
    for (const std::string& name : order) {
      const auto found = rows.find(name);
      if (found == rows.end()) continue;
      const Row& row = found->second;
      const double ns = median(row.nanoseconds);
      fmt::print("  {:<12} {:>9.0f} {:>7.2f}", name, ns - bare, ns / bare);
      if (name == "counted") {
        fmt::print("   (counters only, nothing is kept)\n");
        continue;
      }
      fmt::print(" {:>12.4f} {:>13.3f} {:>12.0f} {:>12.3f} {:>14.3g}\n", row.call_bytes, row.timing_bytes,
                 median(row.memory) - bare_memory,
                 (median(row.ends) - median(rows["bare"].ends)) * 1e6 / static_cast<double>(calls),
                 row.records_per_second);
    }
  }
  fs::current_path("/");
  fs::remove_all(place);
  return 0;
}
