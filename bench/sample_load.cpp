// How fast a file of measurements is read and what it costs in memory: MB/s and peak bytes per value.
//   sample_load FILE COLUMN [GROUP...]
// Without arguments it writes 10 million values to a temporary file, reads them back and removes it.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/random.hpp"
#include "stats/sample_file.hpp"

namespace {

std::size_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::string write_example(std::size_t count) {
  std::string path =
      std::filesystem::temp_directory_path() / fmt::format("weir_sample_load_{}.csv", getpid());
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return {};
  weir::Random random(1);
  fmt::print(file, "run,throughput_kb_s\n");
  for (std::size_t i = 0; i < count; ++i) fmt::print(file, "{},{:.2f}\n", i, 1e6 + 1e5 * random.normal());
  std::fclose(file);
  return path;
}

}  // namespace

int main(int argc, char** argv) {
  const bool given = argc > 2;
  const std::string path = given ? argv[1] : write_example(10'000'000);
  weir::stats::SampleQuery query;
  query.column = given ? argv[2] : "throughput_kb_s";
  for (int i = 3; i < argc; ++i) query.group.emplace_back(argv[i]);

  const std::size_t before = peak_bytes();
  const auto start = std::chrono::steady_clock::now();
  const auto samples = weir::stats::read_samples(path, query);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::error_code none;
  const auto size = static_cast<double>(std::filesystem::file_size(path, none));
  if (!given) std::filesystem::remove(path, none);
  if (!samples) {
    fmt::print(stderr, "{}\n", samples.error().text());
    return 2;
  }
  const auto values = static_cast<double>(samples->report.values);
  fmt::print(
      "{} values in {} groups, {:.1f} MB in {:.3f} s: {:.0f} MB/s, {:.1f} M values/s, peak {:.1f} bytes per "
      "value\n",
      samples->report.values, samples->groups.size(), size / 1e6, seconds, size / 1e6 / seconds,
      values / 1e6 / seconds, static_cast<double>(peak_bytes() - before) / values);
  return 0;
}
