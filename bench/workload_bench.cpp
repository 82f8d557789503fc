// What the workload engine costs per operation: the same 4 KiB records on tmpfs moved by a bare loop of
// system calls, by the engine (latencies measured, as always) and by fio (latencies measured, as by default),
// in turns within one run, as medians over the turns.
//
//   workload_bench [TURNS [MIB [CASE]]]     CASE: only those whose name begins so
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "workload/run.hpp"

namespace {

using weir::Bytes;
using weir::Clock;
using weir::workload::Engine;
using weir::workload::Job;
using weir::workload::Mode;

constexpr std::size_t kRecord = 4096;

[[noreturn]] void stop(std::string_view why) {
  fmt::print(stderr, "workload_bench: {}\n", why);
  std::exit(3);
}

struct Place {
  std::string directory;
  std::string file;
  std::uint64_t size;
};

struct Case {
  std::string_view name;
  Mode mode;
  Engine engine;
  unsigned depth;
  const char* fio_engine;  // null: not compared with fio
  const char* fio_pattern;
  ssize_t (*bare)(int, std::byte*, off_t);  // null: no single system call does the same
  bool fresh;                               // on a file without pages
};

ssize_t bare_pread(int fd, std::byte* bytes, off_t at) { return ::pread(fd, bytes, kRecord, at); }
ssize_t bare_pwrite(int fd, std::byte* bytes, off_t at) { return ::pwrite(fd, bytes, kRecord, at); }
ssize_t bare_read(int fd, std::byte* bytes, off_t /*at*/) { return ::read(fd, bytes, kRecord); }
ssize_t bare_write(int fd, std::byte* bytes, off_t /*at*/) { return ::write(fd, bytes, kRecord); }

constexpr std::array kCases = {
    Case{"pread", Mode::pread, Engine::posix, 1, "psync", "read", bare_pread, false},
    Case{"read", Mode::read, Engine::posix, 1, "sync", "read", bare_read, false},
    Case{"rewrite", Mode::rewrite, Engine::posix, 1, "psync", "write", bare_write, false},
    Case{"pwrite, new file", Mode::pwrite, Engine::posix, 1, nullptr, nullptr, bare_pwrite, true},
    Case{"random_read", Mode::random_read, Engine::posix, 1, "psync", "randread", nullptr, false},
    Case{"random_write", Mode::random_write, Engine::posix, 1, "psync", "randwrite", nullptr, false},
    Case{"uring read, depth 1", Mode::read, Engine::uring, 1, "io_uring", "read", nullptr, false},
    Case{"uring random_read, depth 1", Mode::random_read, Engine::uring, 1, "io_uring", "randread", nullptr,
         false},
    Case{"uring random_write, depth 1", Mode::random_write, Engine::uring, 1, "io_uring", "randwrite",
         nullptr, false},
    Case{"uring random_read, depth 32", Mode::random_read, Engine::uring, 32, "io_uring", "randread", nullptr,
         false},
    Case{"uring random_write, depth 32", Mode::random_write, Engine::uring, 32, "io_uring", "randwrite",
         nullptr, false},
};

// A file of its own for every measurement, as a run of the engine has one: pages that have been read or
// written before are faster (here by some 500 ns).
int make_file(const Place& place, bool filled) {
  ::unlink(place.file.c_str());
  const int fd = ::open(place.file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  const std::vector<char> chunk(std::size_t{1} << 20U, 'w');
  for (std::uint64_t at = 0; filled && at < place.size; at += chunk.size())
    if (::write(fd, chunk.data(), chunk.size()) != static_cast<ssize_t>(chunk.size()))
      stop("/dev/shm is full");
  if (fd < 0 || ::lseek(fd, 0, SEEK_SET) != 0) stop("cannot make " + place.file);
  return fd;
}

// Nanoseconds per operation of a loop that does nothing else.
double bare(const Case& test, const Place& place) {
  const int fd = make_file(place, !test.fresh);
  alignas(4096) static std::array<std::byte, kRecord> bytes{};
  const std::uint64_t records = place.size / kRecord;
  const auto before = Clock::monotonic();
  for (std::uint64_t i = 0; i < records; ++i)
    if (test.bare(fd, bytes.data(), static_cast<off_t>(i * kRecord)) != static_cast<ssize_t>(kRecord))
      stop("a bare call failed");
  const auto spent = Clock::monotonic() - before;
  ::close(fd);
  return static_cast<double>(spent.count) / static_cast<double>(records);
}

double ours(const Case& test, const Place& place) {
  Job job;
  job.mode = test.mode;
  job.engine = test.engine;
  job.depth = test.depth;
  job.file_size = Bytes(place.size);
  job.record_size = Bytes(kRecord);
  job.sync_at_end = false;
  job.directory = place.directory;
  const auto outcome = run(job);
  if (!outcome) stop(outcome.error().text());
  const auto& worker = outcome->workers.front();
  // What fio does not count either.
  const auto spent = outcome->whole - worker.open - worker.close;
  return static_cast<double>(spent.count) / static_cast<double>(worker.operations);
}

double fio(const Case& test, const Place& place) {
  ::close(make_file(place, true));
  const std::string command = fmt::format(
      "fio --name=bench --thread --ioengine={} --rw={} --bs=4k --iodepth={} --filename={} --size={} "
      ""
      "--direct=0 --invalidate=0 --overwrite=1 --fallocate=none --output-format=json",
      test.fio_engine, test.fio_pattern, test.depth, place.file, place.size);
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) stop("cannot start fio");
  std::string text;
  std::array<char, 4096> buffer;
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), got);
  if (::pclose(pipe) != 0) stop("fio failed: " + command);
  const auto json = weir::parse_json(text.substr(std::min(text.find('{'), text.size())));
  if (!json) stop("fio said: " + text);
  const auto& part =
      (*json)["jobs"][0][std::string_view(test.fio_pattern).ends_with("read") ? "read" : "write"];
  return 1e9 / part["iops"].get<double>();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string cell(const std::vector<double>& values) {
  return values.empty() ? "-" : fmt::format("{:.0f}", median(values));
}

Place make_place(std::uint64_t size) {
  std::string directory = "/dev/shm/weir-bench.XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) stop("cannot use /dev/shm");
  return {directory, directory + "/file", size};
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const int mib = argc > 2 ? std::clamp(std::atoi(argv[2]), 1, 1024) : 128;
  const Place place = make_place(static_cast<std::uint64_t>(mib) << 20U);
  const bool has_fio = std::system("fio --version > /dev/null 2>&1") == 0;
  if (!has_fio) fmt::print(stderr, "workload_bench: no fio here (Debian: fio)\n");
  fmt::print("{} MiB in records of 4 KiB on tmpfs, medians of {} turns, nanoseconds per operation\n\n", mib,
             turns);
  fmt::print("{:<28} {:>6} {:>6} {:>6}   {:>9}   {:>12}\n", "", "bare", "weir", "fio", "over bare",
             "ops/s to fio");
  for (const Case& test : kCases) {
    if (argc > 3 && !test.name.starts_with(argv[3])) continue;
    std::vector<double> bare_ns, our_ns, fio_ns;
    for (int turn = 0; turn < turns; ++turn) {
      if (test.bare != nullptr) bare_ns.push_back(bare(test, place));
      our_ns.push_back(ours(test, place));
      if (has_fio && test.fio_engine != nullptr) fio_ns.push_back(fio(test, place));
    }
    const std::string over = bare_ns.empty() ? "-" : fmt::format("{:+.0f}", median(our_ns) - median(bare_ns));
    const std::string ratio = fio_ns.empty() ? "-" : fmt::format("{:.2f}", median(fio_ns) / median(our_ns));
    fmt::print("{:<28} {:>6} {:>6} {:>6}   {:>9}   {:>12}\n", test.name, cell(bare_ns), cell(our_ns),
               cell(fio_ns), over, ratio);
    std::fflush(stdout);
  }
  ::unlink(place.file.c_str());
  ::rmdir(place.directory.c_str());
  return 0;
}
