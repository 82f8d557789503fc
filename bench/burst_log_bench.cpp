// What a client's log costs: bytes into segments against pwrite to a fresh plain file on the same device, and
// bytes out of segments against memcpy. Medians over repeats, log and reference in turns within one run;
// processor time, and for writing by several processes the slowest one's wall time as well.
//
//   burst_log_bench [DIRECTORY [PROCESSES [REPEATS]]]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "burst/segment_log.hpp"
#include "burst/segment_reader.hpp"

namespace {

namespace fs = std::filesystem;
using namespace weir;
using namespace weir::burst;

constexpr std::size_t kTotal = std::size_t{256} << 20;
constexpr double kPages = kTotal / 4096.0;

volatile unsigned char sink = 0;  // keeps what is measured from being optimised away

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {  // microseconds for 4 KiB
  double processor = 0;
  double wall = 0;
};

Cost cost_of(const std::function<void()>& work) {
  const double processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = seconds(CLOCK_MONOTONIC);
  work();
  return {(seconds(CLOCK_PROCESS_CPUTIME_ID) - processor) * 1e6 / kPages,
          (seconds(CLOCK_MONOTONIC) - wall) * 1e6 / kPages};
}

Cost median(std::vector<Cost> costs) {
  const auto middle = [&](double Cost::*what) {
    std::sort(costs.begin(), costs.end(), [&](const Cost& a, const Cost& b) { return a.*what < b.*what; });
    return costs[costs.size() / 2].*what;
  };
  return {middle(&Cost::processor), middle(&Cost::wall)};
}

void give_up(const char* what) {
  std::perror(what);
  std::_Exit(4);
}

enum class Way { plain, lazily, now, ahead };
constexpr std::pair<Way, const char*> kWays[] = {{Way::plain, "plain file, the reference"},
                                                 {Way::lazily, "log, space taken by writing"},
                                                 {Way::now, "log, segments reserved when begun"},
                                                 {Way::ahead, "log, segments reserved ahead"}};

SegmentHeader header() { return {.job = "bench", .client = static_cast<std::uint64_t>(::getpid())}; }

// One process's 256 MiB.
Cost write_all(Way way, std::size_t piece, const fs::path& folder) {
  const std::vector<std::byte> bytes(piece, std::byte{7});
  if (way == Way::plain) {
    const fs::path path = folder / fmt::format("plain-{}", ::getpid());
    return cost_of([&] {
      const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
      for (std::size_t at = 0; at < kTotal; at += piece)
        if (::pwrite(file.get(), bytes.data(), piece, static_cast<off_t>(at)) != static_cast<ssize_t>(piece))
          give_up("pwrite");
    });
  }
  auto allocate =
      SegmentLog::in_directory(folder, header(), way == Way::lazily ? Reserve::lazily : Reserve::now);
  std::vector<std::pair<std::string, std::uint64_t>> made;
  if (way == Way::ahead) {
    for (std::uint64_t total = 0; total < kTotal + (std::uint64_t{1} << 20);) {
      const auto number = static_cast<std::uint32_t>(made.size() + 1);
      made.emplace_back();
      if (allocate(number, std::uint64_t{64} << 20, made.back().first, made.back().second) != 0)
        give_up("allocate");
      total += made.back().second - kSegmentHeader;
    }
    allocate = [&made](std::uint32_t number, std::uint64_t, std::string& path, std::uint64_t& size) {
      std::tie(path, size) = made.at(number - 1);
      return 0;
    };
  }
  return cost_of([&] {
    SegmentLog log(allocate);
    LogSlices slices;
    for (std::size_t at = 0; at < kTotal; at += piece) {
      slices.clear();
      if (log.append(bytes, slices) != 0) give_up("append");
    }
  });
}

// Several processes at once; the slowest one counts.
Cost in_processes(int processes, const std::function<Cost()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) give_up("pipe");
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child < 0) give_up("fork");
    if (child != 0) continue;
    const Cost cost = work();
    if (::write(ends[1], &cost, sizeof cost) != static_cast<ssize_t>(sizeof cost)) std::_Exit(4);
    std::_Exit(0);
  }
  Cost slowest;
  for (int i = 0; i < processes; ++i) {
    Cost cost;
    if (::read(ends[0], &cost, sizeof cost) != static_cast<ssize_t>(sizeof cost)) give_up("a process failed");
    slowest = {std::max(slowest.processor, cost.processor), std::max(slowest.wall, cost.wall)};
  }
  while (::wait(nullptr) > 0) continue;
  ::close(ends[0]);
  ::close(ends[1]);
  return slowest;
}

void empty(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) fs::remove(entry);
}

void measure_writing(const fs::path& folder, int processes, int repeats) {
  fmt::print("writing {} MiB by each of {}: us for 4 KiB, ratio = reference / way\n", kTotal >> 20,
             processes);
  fmt::print("{:>9} {:<36} {:>9} {:>7} {:>9} {:>7}\n", "piece", "", "processor", "ratio", "wall", "ratio");
  for (const std::size_t piece : {std::size_t{4096}, std::size_t{65536}, std::size_t{4} << 20}) {
    std::vector<std::vector<Cost>> costs(std::size(kWays));
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (std::size_t i = 0; i < std::size(kWays); ++i) {
        costs[i].push_back(in_processes(processes, [&] { return write_all(kWays[i].first, piece, folder); }));
        empty(folder);
      }
    const Cost reference = median(costs.front());
    for (std::size_t i = 0; i < std::size(kWays); ++i) {
      const Cost cost = median(costs[i]);
      fmt::print("{:>9} {:<36} {:>9.2f} {:>7.2f} {:>9.2f} {:>7.2f}\n", piece, kWays[i].second, cost.processor,
                 reference.processor / cost.processor, cost.wall, reference.wall / cost.wall);
    }
  }
}

void measure_reading(const fs::path& folder, int repeats) {
  SegmentLog log(SegmentLog::in_directory(folder, header()));
  LogSlices slices;
  const std::vector<std::byte> bytes(kTotal, std::byte{7});
  if (log.append(bytes, slices) != 0) give_up("append");
  const auto read_all = [&](SegmentReader& reader, std::span<std::byte> into) {
    for (const LogSlice& slice : slices)
      for (std::uint64_t done = 0; done < slice.length; done += into.size()) {
        Place place;
        place.client = header().client;
        place.segment = slice.segment;
        place.position = slice.position + done;
        const std::size_t part = std::min<std::uint64_t>(into.size(), slice.length - done);
        if (reader.read(place, into.first(part)) != 0) give_up("read");
      }
  };
  fmt::print("\nreading {} MiB: us of processor for 4 KiB; ratio = memcpy / way\n", kTotal >> 20);
  fmt::print("{:>9} {:>9} {:>9} {:>7} {:>9} {:>7} {:>9} {:>7}\n", "piece", "memcpy", "first", "ratio",
             "again", "ratio", "pread", "ratio");
  for (const std::size_t piece : {std::size_t{4096}, std::size_t{65536}, std::size_t{4} << 20}) {
    std::vector<std::byte> into(piece, std::byte{1});
    std::vector<Cost> copy, first, again, by_pread;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      copy.push_back(cost_of([&] {
        for (std::size_t at = 0; at < kTotal; at += piece) {
          std::memcpy(into.data(), bytes.data() + at, piece);
          sink = static_cast<unsigned char>(into[at % piece]);
        }
      }));
      SegmentReader mapped({folder});
      first.push_back(cost_of([&] { read_all(mapped, into); }));
      again.push_back(cost_of([&] { read_all(mapped, into); }));
      SegmentReader unmapped({folder}, {.maps = false});
      by_pread.push_back(cost_of([&] { read_all(unmapped, into); }));
    }
    const double reference = median(copy).processor;
    fmt::print("{:>9} {:>9.2f}", piece, reference);
    for (const auto* costs : {&first, &again, &by_pread}) {
      const double cost = median(*costs).processor;
      fmt::print(" {:>9.2f} {:>7.2f}", cost, reference / cost);
    }
    fmt::print("\n");
  }
  empty(folder);
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path parent = argc > 1 ? argv[1] : "/dev/shm";
  const int processes = argc > 2 ? std::atoi(argv[2]) : 1;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  if (processes < 1 || repeats < 1 || !fs::is_directory(parent)) {
    fmt::print(stderr, "usage: burst_log_bench [DIRECTORY [PROCESSES [REPEATS]]]\n");
    return 2;
  }
  const fs::path folder = parent / fmt::format("burst-log-bench-{}", ::getpid());
  fs::create_directory(folder);
  measure_writing(folder, processes, repeats);
  measure_reading(folder, repeats);
  fs::remove_all(folder);
  return 0;
}
