#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace weir::workload::detail {

// Counts numbers in buckets of 1/128 of their size: a percentile is off by at most 0.4 %, whatever the
// numbers are. Of fixed size and without pointers, so that it can lie in memory shared by processes.
class Histogram {
 public:
  static constexpr unsigned kFineBits = 7;
  static constexpr std::uint64_t kFine = std::uint64_t{1} << kFineBits;
  static constexpr std::size_t kBuckets = (64 - kFineBits + 1) * kFine;

  void add(std::uint64_t value) {
    ++buckets_[bucket_of(value)];
    if (value > max_) max_ = value;
  }
  void add(std::uint64_t value, std::uint64_t times);
  void merge(const Histogram& other);

  std::uint64_t count() const;
  std::uint64_t max() const { return max_; }
  // The value of the given rank (0 < share <= 1), the middle of its bucket and never above max(); 0 when
  // empty.
  double quantile(double share) const;

  std::uint64_t in_bucket(std::size_t bucket) const { return buckets_[bucket]; }

  static std::size_t bucket_of(std::uint64_t value) {
    if (value < kFine) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kFineBits;
    return (std::uint64_t{shift} << kFineBits) + (value >> shift);
  }
  // The middle of a bucket.
  static double value_of(std::size_t bucket);

 private:
  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t max_ = 0;
};

}  // namespace weir::workload::detail
