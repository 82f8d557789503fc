// What interception costs per call: the same loop bare and under the counting preload library of
// tests/preload, in turns within one run, as medians over the turns. Each turn is a process of its own.
//
//   intercept_bench [TURNS]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kCalls = 200'000;
constexpr std::size_t kBytes = 64;

struct Measure {
  std::string_view name;
  double (*nanoseconds)();
};

template <class Work>
double per_call(Work work) {
  for (int i = 0; i < kCalls / 10; ++i) work();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) work();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  return spent.count() / kCalls;
}

[[noreturn]] void stop(std::string_view what) {
  fmt::print(stderr, "intercept_bench: {} failed\n", what);
  std::exit(3);
}

double measure_lseek() {
  const int fd = open("/dev/zero", O_RDONLY);
  const double ns = per_call([fd] {
    if (lseek(fd, 0, SEEK_SET) != 0) stop("lseek");
  });
  close(fd);
  return ns;
}

double measure_pread() {
  const int fd = open("/dev/zero", O_RDONLY);
  std::array<char, kBytes> bytes{};
  const double ns = per_call([&] {
    if (pread(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) stop("pread");
  });
  close(fd);
  return ns;
}

double measure_pwrite() {
  const int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  const std::array<char, kBytes> bytes{};
  const double ns = per_call([&] {
    if (pwrite(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) stop("pwrite");
  });
  close(fd);
  return ns;
}

// close(-1) fails at once: the least a system call can do, and errno is set.
double measure_close() {
  return per_call([] {
    if (close(-1) == 0) stop("close");
  });
}

// The cheapest calls there are: a byte in or out of a stream's buffer.
double measure_fgetc() {
  FILE* const file = std::fopen("/dev/zero", "r");
  const double ns = per_call([file] {
    if (std::fgetc(file) != 0) stop("fgetc");
  });
  std::fclose(file);
  return ns;
}

double measure_fputc() {
  FILE* const file = std::fopen("/dev/null", "w");
  const double ns = per_call([file] {
    if (std::fputc('x', file) != 'x') stop("fputc");
  });
  std::fclose(file);
  return ns;
}

constexpr std::array kMeasures = {
    Measure{"close(-1)", measure_close},
    Measure{"lseek", measure_lseek},
    Measure{"pread 64 bytes of /dev/zero", measure_pread},
    Measure{"pwrite 64 bytes", measure_pwrite},
    Measure{"fgetc from a buffer", measure_fgetc},
    Measure{"fputc to a buffer", measure_fputc},
};

// One turn: this program again as a child, which prints a number per measure.
std::vector<double> take_turn(const char* self, bool preloaded) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) stop("pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string name = "intercept_bench";
  std::string mode = "--child";
  std::string preload = std::string("LD_PRELOAD=") + WEIR_TEST_LIBRARY;
  std::array<char*, 3> argv = {name.data(), mode.data(), nullptr};
  std::array<char*, 2> environment = {preloaded ? preload.data() : nullptr, nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, self, &actions, nullptr, argv.data(), environment.data()) != 0) stop("posix_spawn");
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE* const out = fdopen(ends[0], "r");
  std::vector<double> values(kMeasures.size());
  for (double& value : values) {
    std::array<char, 64> line{};
    if (std::fgets(line.data(), line.size(), out) == nullptr) stop("the child");
    value = std::strtod(line.data(), nullptr);
  }
  std::fclose(out);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) stop("the child");
  return values;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--child") {
    for (const Measure& measure : kMeasures) fmt::print("{}\n", measure.nanoseconds());
    return 0;
  }
  const int turns = argc > 1 ? std::atoi(argv[1]) : 15;
  if (turns < 1) {
    fmt::print(stderr, "usage: intercept_bench [TURNS]\n");
    return 2;
  }
  std::vector<std::vector<double>> bare(kMeasures.size());
  std::vector<std::vector<double>> preloaded(kMeasures.size());
  for (int turn = 0; turn < turns; ++turn)
    for (const bool with_library : {turn % 2 == 0, turn % 2 != 0}) {
      const std::vector<double> values = take_turn("/proc/self/exe", with_library);
      for (std::size_t i = 0; i < values.size(); ++i)
        (with_library ? preloaded : bare)[i].push_back(values[i]);
    }
  fmt::print("{:<30} {:>10} {:>12} {:>10} {:>7}\n", "ns per call, medians", "bare", "preloaded", "added",
             "ratio");
  for (std::size_t i = 0; i < kMeasures.size(); ++i) {
    const double without = median(bare[i]);
    const double with = median(preloaded[i]);
    fmt::print("{:<30} {:>10.1f} {:>12.1f} {:>10.1f} {:>7.3f}\n", kMeasures[i].name, without, with,
               with - without, with / without);
  }
  return 0;
}
