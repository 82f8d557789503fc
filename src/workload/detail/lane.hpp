#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "workload/detail/histogram.hpp"

namespace weir::workload::detail {

inline constexpr std::size_t kCacheLine = 64;

// An Error where there are no pointers: in memory shared by processes. Long texts are cut.
class FixedError {
 public:
  void set(const Error& error);
  bool is_set() const { return set_.load(std::memory_order_acquire); }
  Error get() const;

 private:
  std::atomic<bool> set_{false};
  Errc code_{};
  std::array<char, 4608> context_{};
  std::array<char, 1024> message_{};
  std::array<char, 512> remedy_{};
};

// How many bytes had been moved when: some hundred readings over a whole run of any length, taken every so
// many operations and thinned out by half when there is no room left. For workers that cannot look at each
// other.
class Timeline {
 public:
  struct Point {
    Tick when;
    std::uint64_t bytes = 0;
  };
  static constexpr std::size_t kPoints = 512;

  // The number of operations until the next call.
  std::uint64_t add(Tick when, std::uint64_t bytes);
  std::size_t size() const { return size_; }
  const Point& operator[](std::size_t i) const { return points_[i]; }

 private:
  std::array<Point, kPoints> points_{};
  std::size_t size_ = 0;
  std::uint64_t every_ = 1;
};

// Where one worker writes down what it does. Lies in memory shared by all workers: the first line is read by
// others while it runs, the rest when it has ended.
class Lane {
  alignas(kCacheLine) std::atomic<std::uint64_t> bytes_{0};

 public:
  // The worker's progress, after every operation.
  void moved(std::uint64_t bytes_so_far, Tick now) {
    bytes_.store(bytes_so_far, std::memory_order_relaxed);
    ++operations;
    if (--until_reading_ == 0) [[unlikely]]
      until_reading_ = timeline.add(now, bytes_so_far);
  }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Another worker failed or the user asked to stop: what follows is of no use to anyone.
  bool told_to_stop() const { return stop->load(std::memory_order_relaxed) != 0; }
  void keep_timeline() { until_reading_ = 1; }

  alignas(kCacheLine) Tick begin;
  Tick end;
  std::uint64_t opening = 0;  // ticks
  std::uint64_t closing = 0;
  std::uint64_t operations = 0;
  const std::atomic<std::uint32_t>* stop = nullptr;

 private:
  std::uint64_t until_reading_ = std::numeric_limits<std::uint64_t>::max();

 public:
  Histogram read, write;  // ticks
  Timeline timeline;
  FixedError failure;
};

}  // namespace weir::workload::detail
