// What the burst room's extent map costs an operation, against the plain std::map of begin to extent that
// does the same. Each figure is the median of processor time over repeats, map and reference in turns within
// one run.
//
//   burst_maps_bench [REPEATS]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/random.hpp"
#include "burst/extent_map.hpp"

namespace {

using weir::burst::Extent;
using weir::burst::ExtentMap;
using weir::burst::Place;
using weir::burst::Span;

volatile std::uint64_t sink = 0;  // keeps what is measured from being optimised away

// The reference: one node an extent, the newest wins, runs merge.
class PlainMap {
 public:
  void insert(Span bytes, Place where) {
    auto at = extents_.lower_bound(bytes.begin);
    if (at != extents_.begin()) {
      const auto left = std::prev(at);
      Extent& extent = left->second;
      if (extent.bytes.end > bytes.end) {
        Extent tail{{bytes.end, extent.bytes.end}, extent.where.at(bytes.end - extent.bytes.begin)};
        extents_.emplace_hint(at, bytes.end, tail);
        extent.bytes.end = bytes.begin;
        at = std::next(left);
      } else if (extent.bytes.end > bytes.begin) {
        extent.bytes.end = bytes.begin;
      }
      if (extent.bytes.end == bytes.begin && extent.where.at(extent.bytes.size()) == where) {
        bytes.begin = extent.bytes.begin;
        where = extent.where;
        at = extents_.erase(left);
      }
    }
    while (at != extents_.end() && at->second.bytes.end <= bytes.end) at = extents_.erase(at);
    if (at != extents_.end() && at->first < bytes.end) {
      Extent rest{{bytes.end, at->second.bytes.end}, at->second.where.at(bytes.end - at->first)};
      at = extents_.erase(at);
      at = extents_.emplace_hint(at, bytes.end, rest);
    }
    if (at != extents_.end() && at->first == bytes.end && where.at(bytes.size()) == at->second.where) {
      bytes.end = at->second.bytes.end;
      at = extents_.erase(at);
    }
    extents_.emplace_hint(at, bytes.begin, Extent{bytes, where});
  }
  void insert(const std::vector<Extent>& many) {
    for (const Extent& extent : many) insert(extent.bytes, extent.where);
  }
  template <class Visit>
  void for_each_in(Span bytes, const Visit& visit) const {
    auto at = extents_.upper_bound(bytes.begin);
    if (at != extents_.begin()) --at;
    for (; at != extents_.end() && at->first < bytes.end; ++at)
      if (at->second.bytes.end > bytes.begin) visit(at->second.bytes, at->second.where);
  }
  std::size_t size() const { return extents_.size(); }

 private:
  std::map<std::uint64_t, Extent> extents_;
};

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Nanoseconds per operation of `work` on a map that `prepare` has filled; both get the map.
template <class Map, class Prepare, class Work>
double nanoseconds_each(std::size_t count, const Prepare& prepare, const Work& work) {
  Map map;
  prepare(map);
  const double begin = cpu_seconds();
  work(map);
  const double spent = cpu_seconds() - begin;
  sink = sink + map.size();
  return spent * 1e9 / static_cast<double>(count);
}

template <class Prepare, class Work>
void measure(std::string_view name, std::size_t count, int repeats, const Prepare& prepare,
             const Work& work) {
  std::vector<double> ours, plain;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    ours.push_back(nanoseconds_each<ExtentMap>(count, prepare, work));
    plain.push_back(nanoseconds_each<PlainMap>(count, prepare, work));
  }
  fmt::print("{:<44} {:>9} {:>9.1f} {:>9.1f} {:>7.2f} {:>9.3f}\n", name, count, median(ours), median(plain),
             median(plain) / median(ours), median(ours) * 1e-9 * static_cast<double>(count));
}

constexpr std::uint64_t kPiece = 4096;

std::vector<Extent> scattered(std::size_t count, bool sorted) {
  std::vector<Extent> extents(count);
  for (std::size_t i = 0; i < count; ++i)
    extents[i] = {{2 * i * kPiece, (2 * i + 1) * kPiece},
                  {.node = 1, .segment = 3, .client = 2, .position = i * kPiece, .version = 1}};
  if (!sorted) {
    weir::Random random(1);
    for (std::size_t i = count - 1; i > 0; --i) std::swap(extents[i], extents[random.below(i + 1)]);
  }
  return extents;
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  if (repeats < 1) {
    fmt::print(stderr, "usage: burst_maps_bench [REPEATS]\n");
    return 2;
  }
  fmt::print("{:<44} {:>9} {:>9} {:>9} {:>7} {:>9}\n", "", "count", "ns each", "std::map", "ratio",
             "s in all");
  constexpr std::size_t kMillion = 1'000'000;
  const auto nothing = [](auto&) {};
  measure("one sequential writer", kMillion, repeats, nothing, [](auto& map) {
    for (std::uint64_t i = 0; i < kMillion; ++i)
      map.insert({i * kPiece, (i + 1) * kPiece},
                 {.node = 1, .segment = 3, .client = 2, .position = i * kPiece, .version = 1});
  });
  measure("four sequential writers in turns", kMillion, repeats, nothing, [](auto& map) {
    for (std::uint64_t i = 0; i < kMillion; ++i) {
      const std::uint64_t at = (i % 4 * kMillion + i / 4) * kPiece;
      map.insert({at, at + kPiece}, {.node = 1, .segment = 3, .client = i % 4, .position = at, .version = 1});
    }
  });
  const std::vector<Extent> ascending = scattered(kMillion, true);
  const std::vector<Extent> shuffled = scattered(kMillion, false);
  measure("strided writer, ascending", kMillion, repeats, nothing, [&](auto& map) {
    for (const Extent& extent : ascending) map.insert(extent.bytes, extent.where);
  });
  measure("scattered, random order", kMillion, repeats, nothing, [&](auto& map) {
    for (const Extent& extent : shuffled) map.insert(extent.bytes, extent.where);
  });
  measure("bulk into nothing", kMillion, repeats, nothing, [&](auto& map) { map.insert(ascending); });
  measure(
      "bulk over another million", kMillion, repeats,
      [&](auto& map) {
        for (const Extent& extent : ascending)
          map.insert({extent.bytes.begin + kPiece / 2, extent.bytes.end + kPiece / 2}, extent.where);
      },
      [&](auto& map) { map.insert(ascending); });
  measure(
      "overwriting in random order", kMillion, repeats, [&](auto& map) { map.insert(ascending); },
      [&](auto& map) {
        for (const Extent& extent : shuffled) {
          Place where = extent.where;
          where.version = 2;
          map.insert(extent.bytes, where);
        }
      });
  measure(
      "looking up in random order", kMillion, repeats, [&](auto& map) { map.insert(ascending); },
      [&](auto& map) {
        std::uint64_t sum = 0;
        for (const Extent& extent : shuffled)
          map.for_each_in(extent.bytes, [&](Span, const Place& where) { sum += where.position; });
        sink = sink + sum;
      });
  return 0;
}
