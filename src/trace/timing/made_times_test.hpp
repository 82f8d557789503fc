#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "trace/timing/block.hpp"

// Times made for the tests of the codecs: what traces hold, and what they never should.
namespace weir::trace {

struct Times {
  std::vector<std::int64_t> start;
  std::vector<std::uint64_t> duration;
  std::vector<std::uint32_t> signature;

  void add(std::int64_t at, std::uint64_t lasting, std::uint32_t of) {
    start.push_back(at);
    duration.push_back(lasting);
    signature.push_back(of);
  }
  std::size_t size() const { return start.size(); }
  TimesView view() const { return {start, duration, signature}; }
};

inline const std::vector<std::string>& kinds_of_times() {
  static const std::vector<std::string> kinds = {"empty",  "one",    "constant", "loop",   "heavy", "random",
                                                 "bursty", "huge",   "zero",     "nested", "steps", "many",
                                                 "sparse", "equals", "shrink",   "extreme"};
  return kinds;
}

inline Times make_times(const std::string& kind, std::size_t records, Random& random) {
  Times times;
  if (kind == "empty") return times;
  if (kind == "one") records = 1;
  std::int64_t at = static_cast<std::int64_t>(random.below(1'000'000'000));
  const auto lognormal = [&](double median, double spread) {
    return static_cast<std::uint64_t>(median * std::exp(spread * random.normal()));
  };
  for (std::size_t i = 0; times.size() < records; ++i) {
    std::uint64_t lasting = 300;
    std::uint64_t gap = 30;
    std::uint32_t of = 0;
    if (kind == "loop") {  // open, 100 writes, close
      of = i % 102 == 0 ? 7 : i % 102 == 101 ? 9 : 8;
      lasting = lognormal(of == 8 ? 300 : 5000, 0.1);
      gap = 20 + random.below(20);
    } else if (kind == "heavy") {
      lasting = static_cast<std::uint64_t>(200 * std::pow(random.uniform(), -1.2));
      gap = static_cast<std::uint64_t>(10 * std::pow(random.uniform(), -1.5));
    } else if (kind == "random") {
      lasting = random.below(1u << 30);
      gap = random.below(1u << 30);
      of = static_cast<std::uint32_t>(random.below(5));
    } else if (kind == "bursty") {
      lasting = lognormal(i / 500 % 2 == 0 ? 250 : 90'000, 0.3);
      gap = i % 1000 == 0 ? 5'000'000'000 : random.below(50);
    } else if (kind == "huge") {
      lasting = random.below(3) == 0 ? std::uint64_t{1} << (20 + random.below(42)) : random.below(1000);
      gap = random.below(5) == 0 ? std::uint64_t{1} << (20 + random.below(30)) : random.below(1000);
    } else if (kind == "zero") {
      lasting = random.below(3) == 0 ? 1 : 0;
      gap = random.below(7) == 0 ? 1 : 0;
    } else if (kind == "steps") {
      lasting = 100 + i * i % 100'003;
    } else if (kind == "many") {
      of = static_cast<std::uint32_t>(random.below(3000));
      lasting = lognormal(100.0 * (of % 37 + 1), 0.05);
    } else if (kind == "sparse") {
      of = static_cast<std::uint32_t>(random.below(4)) * 0x3fffffffu;
      lasting = lognormal(1000, 1);
      gap = lognormal(1e6, 2);
    } else if (kind ==
               "shrink") {  // long intervals before short ones: the error made is larger than what follows
      lasting = random.below(10);
      gap = i % 2 == 0 ? lognormal(1e7, 1) : random.below(40);
    }
    if (kind == "nested") {
      // An outer call with up to 5 inner ones, which come first.
      const std::int64_t outer = at;
      const std::size_t inner = random.below(6);
      at += static_cast<std::int64_t>(20 + random.below(30));
      for (std::size_t j = 0; j < inner; ++j) {
        const std::uint64_t inside = lognormal(300, 0.3);
        times.add(at, inside, 1);
        at += static_cast<std::int64_t>(inside + 5 + random.below(10));
      }
      times.add(outer, static_cast<std::uint64_t>(at - outer) + 15, 2);
      at += 50;
      continue;
    }
    if (kind == "extreme") {  // starts and durations at the limits, forwards and backwards
      const std::int64_t ends[] = {
          kTimeLimit, -kTimeLimit + 1, 0, 1, -1, static_cast<std::int64_t>(random() >> 3)};
      times.add(ends[random.below(6)], static_cast<std::uint64_t>(std::abs(ends[random.below(6)])),
                static_cast<std::uint32_t>(random.below(2)));
      continue;
    }
    if (kind != "equals") at += static_cast<std::int64_t>(gap);
    at = std::min(at, kTimeLimit);
    times.add(at, lasting, of);
    if (kind != "equals" && kind != "huge")
      at = std::min(at, kTimeLimit - (std::int64_t{1} << 40)) + static_cast<std::int64_t>(lasting);
  }
  return times;
}

}  // namespace weir::trace
