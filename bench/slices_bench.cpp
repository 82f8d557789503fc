// What counting in time slices costs: the same loops bare and under the library of `weir interfere slices`,
// in turns within one run; medians over the turns.
//
//   slices_bench [CALLS [TURNS [DIRECTORY]]]
//
// Each turn is a process of its own. Short calls are timed by processor time, so that a busy machine shows
// less; writes of 1 MiB by the clock too, because waiting is what they do.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

double seconds(clockid_t id) {
  timespec time{};
  clock_gettime(id, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The loops; what each prints is processor time and time per call, in nanoseconds.
int be_program(std::string_view loop, long calls, const char* file) {
  const bool large = loop == "write1M";
  // Files, because nothing else counts; a byte at the beginning of one is a jump every time, the dearest
  // case.
  const int fd = ::open(file, O_WRONLY | O_CREAT, 0600);
  std::FILE* const stream = std::fopen((std::string(file) + ".stream").c_str(), "w");
  if (fd < 0 || stream == nullptr) return 3;
  std::vector<char> data(large ? 1U << 20U : 1U, 'x');
  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
  for (long i = 0; i < calls; ++i) {
    if (loop == "fwrite") {
      if (std::fwrite(data.data(), 1, 1, stream) != 1) return 3;
    } else if (::pwrite(fd, data.data(), data.size(), large ? (i % 64) << 20U : 0) < 0) {
      return 3;
    }
  }
  const double per = 1e9 / static_cast<double>(calls);
  fmt::print("{} {}\n", (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * per,
             (seconds(CLOCK_MONOTONIC) - wall) * per);
  return 0;
}

struct Cost {
  double cpu = 0, wall = 0;
};

Cost run(const std::string& self, const std::string& loop, long calls, const fs::path& directory,
         bool counted) {
  const fs::path slices = directory / "slices";
  fs::create_directories(slices);
  std::string line =
      fmt::format("{}'{}' --loop {} {} '{}/data'",
                  counted ? fmt::format("LD_PRELOAD='{}' WEIR_SLICES_DIR='{}' WEIR_SLICES_NS=1000000000 ",
                                        WEIR_SLICES_LIBRARY, slices.string())
                          : "",
                  self, loop, calls, directory.string());
  std::FILE* const out = ::popen(line.c_str(), "r");
  Cost cost;
  if (out == nullptr || std::fscanf(out, "%lf %lf", &cost.cpu, &cost.wall) != 2 || ::pclose(out) != 0) {
    fmt::print(stderr, "slices_bench: {} failed\n", line);
    std::exit(3);
  }
  fs::remove_all(slices);
  return cost;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void compare(const std::string& self, const std::string& loop, long calls, int turns,
             const fs::path& directory) {
  std::vector<double> bare, counted, bare_wall, counted_wall;
  for (int turn = 0; turn < turns; ++turn)
    for (const bool first : {turn % 2 == 0, turn % 2 != 0}) {
      const Cost cost = run(self, loop, calls, directory, first);
      (first ? counted : bare).push_back(cost.cpu);
      (first ? counted_wall : bare_wall).push_back(cost.wall);
    }
  fmt::print(
      "{:8} bare {:10.1f} ns, counted {:10.1f} ns a call: {:+.1f} ns of processor time ({:+.2f} %), by the "
      "clock {:+.2f} %\n",
      loop, median(bare), median(counted), median(counted) - median(bare),
      100 * (median(counted) / median(bare) - 1), 100 * (median(counted_wall) / median(bare_wall) - 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--loop") == 0)
    return be_program(argv[2], std::atol(argv[3]), argv[4]);
  const long calls = argc > 1 ? std::atol(argv[1]) : 2'000'000;
  const int turns = argc > 2 ? std::atoi(argv[2]) : 11;
  const fs::path directory = (argc > 3 ? fs::path(argv[3]) : fs::temp_directory_path()) /
                             fmt::format("weir-slices-bench.{}", ::getpid());
  fs::create_directories(directory);
  const std::string self = fs::canonical("/proc/self/exe");
  compare(self, "pwrite", calls, turns, directory);
  compare(self, "fwrite", calls, turns, directory);
  compare(self, "write1M", std::max(64L, calls / 1000), turns, directory);
  fs::remove_all(directory);
  return 0;
}
