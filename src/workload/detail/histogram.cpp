#include "workload/detail/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weir::workload::detail {

void Histogram::add(std::uint64_t value, std::uint64_t times) {
  buckets_[bucket_of(value)] += times;
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  max_ = std::max(max_, other.max_);
}

std::uint64_t Histogram::count() const {
  return std::accumulate(buckets_.begin(), buckets_.end(), std::uint64_t{0});
}

double Histogram::value_of(std::size_t bucket) {
  if (bucket < 2 * kFine) return static_cast<double>(bucket);  // one value each
  const std::uint64_t shift = (bucket >> kFineBits) - 1;
  const auto mantissa = static_cast<double>((bucket & (kFine - 1)) | kFine);
  return std::ldexp(mantissa + 0.5, static_cast<int>(shift)) - 0.5;
}

double Histogram::quantile(double share) const {
  const std::uint64_t all = count();
  if (all == 0) return 0;
  const auto rank =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::min(value_of(i), static_cast<double>(max_));
  }
  return static_cast<double>(max_);
}

}  // namespace weir::workload::detail
