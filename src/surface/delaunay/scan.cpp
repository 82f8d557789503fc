#include "surface/delaunay/scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay within this file, inlined

namespace weir::surface {
namespace {

constexpr Eigen::Index kLanes = 4;
constexpr Eigen::Index kBlock = 64 * kLanes;

using Vec = double __attribute__((vector_size(kLanes * sizeof(double))));

[[gnu::always_inline]] inline Vec load(const double* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// Heights over the plane for the distance beyond the facet, of up to kBlock points from `start` on; infinite
// for those that are not beyond. Returns the least.
[[gnu::always_inline]] inline double block_ratios(const FacetScan& scan, Eigen::Index start,
                                                  Eigen::Index count, double* ratios) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Vec infinite = {kInfinity, kInfinity, kInfinity, kInfinity};
  Vec least = infinite;
  Eigen::Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Vec above = load(scan.heights + start + i) - scan.raise;
    Vec beyond = Vec{} + scan.offset;
    for (Eigen::Index j = 0; j < scan.m; ++j) {
      const Vec step = load(scan.points + j * scan.n + start + i) - scan.origin[j];
      beyond += scan.normal[j] * step;
      above += step * (step - scan.slope[j]);
    }
    const Vec ratio = beyond < -scan.flat ? -above / beyond : infinite;
    least = ratio < least ? ratio : least;
    std::memcpy(ratios + i, &ratio, sizeof ratio);
  }
  double smallest = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  for (; i < count; ++i) {
    double above = scan.heights[start + i] - scan.raise;
    double beyond = scan.offset;
    for (Eigen::Index j = 0; j < scan.m; ++j) {
      const double step = scan.points[j * scan.n + start + i] - scan.origin[j];
      beyond += scan.normal[j] * step;
      above += step * (step - scan.slope[j]);
    }
    ratios[i] = beyond < -scan.flat ? -above / beyond : kInfinity;
    smallest = std::min(smallest, ratios[i]);
  }
  return smallest;
}

// Compiled twice, for AVX2 and without; neither fuses operations, so both give the same bits.
[[gnu::always_inline]] inline Eigen::Index first_met_body(const FacetScan& scan) {
  alignas(32) std::array<double, kBlock> ratios;
  double least = std::numeric_limits<double>::infinity();
  Eigen::Index found = -1;
  for (Eigen::Index start = 0; start < scan.n; start += kBlock) {
    const Eigen::Index count = std::min(kBlock, scan.n - start);
    const double smallest = block_ratios(scan, start, count, ratios.data());
    if (smallest >= least) continue;
    least = smallest;
    found = start + (std::find(ratios.begin(), ratios.begin() + count, least) - ratios.begin());
  }
  return found;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] Eigen::Index first_met_avx2(const FacetScan& scan) { return first_met_body(scan); }
#endif

}  // namespace

Eigen::Index first_met(const FacetScan& scan) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide) return first_met_avx2(scan);
#endif
  return first_met_body(scan);
}

}  // namespace weir::surface

#pragma GCC diagnostic pop
