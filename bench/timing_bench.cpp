// Bytes and processor time per record of every timing mode on times measured here and now: 64-byte pwrites,
// loops of open, 100 writes and close, and preads of random offsets. The reference in the same run: the raw
// 16 bytes of start and duration, and zstd 1 and 19 of their differences as 64-bit integers.
//   timing_bench [RECORDS [ERROR [DIRECTORY]]]        1000000 0.1 .
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "trace/timing/block.hpp"

namespace {

using namespace weir;
using namespace weir::trace;

struct Times {
  std::vector<std::int64_t> start;
  std::vector<std::uint64_t> duration;
  std::vector<std::uint32_t> signature;

  std::size_t size() const { return start.size(); }
  TimesView part(std::size_t from, std::size_t count) const {
    return {std::span(start).subspan(from, count), std::span(duration).subspan(from, count),
            std::span(signature).subspan(from, count)};
  }
};

struct Call {
  Tick begin;
  Tick end;
  std::uint32_t signature;
};

class Recorder {
 public:
  explicit Recorder(std::size_t records) : first_(Calibration::Reading::take()) {
    calls_.reserve(records + 128);
  }

  template <class F>
  void around(std::uint32_t signature, const F& call) {
    const Tick begin = Clock::now();
    if (call() < 0) {
      fmt::print(stderr, "a call failed\n");
      std::exit(4);
    }
    calls_.push_back({begin, Clock::now(), signature});
  }
  std::size_t size() const { return calls_.size(); }

  Times times() const {
    const Calibration calibration = Calibration::between(first_, Calibration::Reading::take());
    Times times;
    for (const Call& call : calls_) {
      const std::int64_t begin = calibration.duration(first_.tick, call.begin).count;
      const std::int64_t end = calibration.duration(first_.tick, call.end).count;
      times.start.push_back(begin);
      times.duration.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(end - begin, 0)));
      times.signature.push_back(call.signature);
    }
    return times;
  }

 private:
  Calibration::Reading first_;
  std::vector<Call> calls_;
};

Times measure(const std::string& what, std::size_t records, const std::string& path) {
  const std::vector<char> buffer(4096);
  std::vector<char> target(4096);
  Recorder recorder(records);
  int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) {
    fmt::print(stderr, "cannot open {}\n", path);
    std::exit(3);
  }
  constexpr off_t kFileBytes = off_t{1} << 26;
  if (what == "pread" && ::posix_fallocate(fd, 0, kFileBytes) != 0) std::exit(3);
  Random random(1);
  while (recorder.size() < records) {
    if (what == "pwrite") {
      const auto offset = static_cast<off_t>(64 * recorder.size());
      recorder.around(0, [&] { return ::pwrite(fd, buffer.data(), 64, offset); });
    } else if (what == "pread") {
      const auto offset = static_cast<off_t>(random.below(kFileBytes - 4096));
      recorder.around(0, [&] { return ::pread(fd, target.data(), target.size(), offset); });
    } else {
      recorder.around(1, [&] { return ::close(fd); });
      recorder.around(2, [&] { return fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC); });
      for (int i = 0; i < 100; ++i) recorder.around(3, [&] { return ::write(fd, buffer.data(), 512); });
    }
  }
  ::close(fd);
  ::unlink(path.c_str());
  return recorder.times();
}

double cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The median of several runs.
double median_ns(int repeats, const std::function<void()>& run) {
  std::vector<double> runs;
  for (int i = 0; i < repeats; ++i) {
    const double begin = cpu_ns();
    run();
    runs.push_back(cpu_ns() - begin);
  }
  std::sort(runs.begin(), runs.end());
  return runs[runs.size() / 2];
}

void print_row(std::string_view name, double records, std::size_t bytes, double encode_ns, double decode_ns) {
  fmt::print("  {:<28} {:>9.4f} {:>9.1f} {:>11.1f} {:>11.1f}\n", name, static_cast<double>(bytes) / records,
             16 * records / static_cast<double>(bytes), encode_ns / records, decode_ns / records);
}

void bench_zstd(const Times& times, int level) {
  std::vector<std::uint64_t> differences;
  for (std::size_t i = 0; i < times.size(); ++i) {
    differences.push_back(static_cast<std::uint64_t>(times.start[i] - (i > 0 ? times.start[i - 1] : 0)));
    differences.push_back(times.duration[i]);
  }
  const std::size_t raw = differences.size() * sizeof(std::uint64_t);
  std::vector<char> packed(ZSTD_compressBound(raw));
  std::size_t size = 0;
  const int repeats = level > 3 ? 1 : 5;
  const double encode = median_ns(
      repeats, [&] { size = ZSTD_compress(packed.data(), packed.size(), differences.data(), raw, level); });
  const double decode = median_ns(5, [&] {
    if (ZSTD_decompress(differences.data(), raw, packed.data(), size) != raw) std::exit(4);
  });
  print_row(fmt::format("zstd {} of differences", level), static_cast<double>(times.size()), size, encode,
            decode);
}

void bench_mode(const Times& times, const TimingOptions& options, std::size_t block_records) {
  TimingEncoder encoder(options);
  std::vector<std::vector<std::byte>> blocks;
  const auto part = [&](std::size_t from) {
    return times.part(from, std::min(block_records, times.size() - from));
  };
  const double encode = median_ns(5, [&] {
    blocks.clear();
    for (std::size_t from = 0; from < times.size(); from += block_records) {
      ByteWriter out;
      if (!encoder.encode(part(from), out)) std::exit(4);
      blocks.push_back(std::move(out).take());
    }
  });
  std::vector<std::int64_t> start(times.size());
  std::vector<std::uint64_t> duration(times.size());
  const double decode = median_ns(5, [&] {
    std::size_t from = 0;
    for (const auto& block : blocks) {
      const TimesView of = part(from);
      ByteReader in(block);
      if (!decode_timing_block(
              in, of.signature,
              {std::span(start).subspan(from, of.size()), std::span(duration).subspan(from, of.size())}))
        std::exit(4);
      from += of.size();
    }
  });
  std::size_t bytes = 0;
  for (const auto& block : blocks) bytes += block.size();
  const bool ordered = options.mode == TimingMode::quant || options.mode == TimingMode::zfp;
  print_row(fmt::format("{}{} / {}", name(options.mode), ordered && options.clustered ? " clustered" : "",
                        block_records),
            static_cast<double>(times.size()), bytes, encode, decode);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t records = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const double error = argc > 2 ? std::strtod(argv[2], nullptr) : 0.1;
  const std::string path = std::string(argc > 3 ? argv[3] : ".") + "/timing_bench.tmp";
  fmt::print("clock {}, error {}\n", Clock::source(), error);
  for (const char* what : {"pwrite", "open, 100 writes, close", "pread"}) {
    const Times times = measure(what, records, path);
    std::vector<std::uint64_t> sorted = times.duration;
    std::sort(sorted.begin(), sorted.end());
    fmt::print("\n{}: {} records, duration 10 % {} ns, median {} ns, 90 % {} ns, longest {} ns\n", what,
               times.size(), sorted[sorted.size() / 10], sorted[sorted.size() / 2],
               sorted[sorted.size() * 9 / 10], sorted.back());
    fmt::print("  {:<28} {:>9} {:>9} {:>11} {:>11}\n", "mode / records in a block", "bytes/rec", "ratio",
               "encode ns", "decode ns");
    print_row("raw", static_cast<double>(times.size()), 16 * times.size(), 0, 0);
    bench_zstd(times, 1);
    bench_zstd(times, 19);
    for (const TimingMode mode : timing_modes()) {
      if (mode == TimingMode::off) continue;
      for (const std::size_t block : {std::size_t{20'000}, kMaxTimingRecords})
        for (const bool clustered : {false, true}) {
          if (clustered && mode != TimingMode::quant && mode != TimingMode::zfp) continue;
          const TimingOptions options{
              .mode = mode, .error = error, .error_of_signature = {}, .clustered = clustered};
          ByteWriter trial;
          if (const auto done = TimingEncoder(options).encode(times.part(0, 1), trial); !done) {
            fmt::print("  {}: {}\n", name(mode), done.error().text());
            continue;
          }
          bench_mode(times, options, block);
        }
    }
  }
  return 0;
}
