#include "surface/delaunay/scan.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace weir::surface {
namespace {

constexpr Eigen::Index kBlock = 256;

// Compiled twice, for AVX2 and without; neither fuses operations, so both give the same bits.
[[gnu::always_inline]] inline Eigen::Index first_met_body(const FacetScan& scan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  alignas(32) std::array<double, kBlock> above;   // the plane
  alignas(32) std::array<double, kBlock> beyond;  // the facet, negative
  double least = kInfinity;
  Eigen::Index found = -1;
  for (Eigen::Index start = 0; start < scan.n; start += kBlock) {
    const Eigen::Index count = std::min(kBlock, scan.n - start);
    for (Eigen::Index i = 0; i < count; ++i)
      above[static_cast<std::size_t>(i)] = scan.heights[start + i] - scan.raise;
    for (Eigen::Index i = 0; i < count; ++i) beyond[static_cast<std::size_t>(i)] = scan.offset;
    for (Eigen::Index j = 0; j < scan.m; ++j) {
      const double* const column = scan.points + j * scan.n + start;
      const double origin = scan.origin[j];
      const double normal = scan.normal[j];
      const double slope = scan.slope[j];
      for (Eigen::Index i = 0; i < count; ++i) {
        const double step = column[i] - origin;
        beyond[static_cast<std::size_t>(i)] += normal * step;
        above[static_cast<std::size_t>(i)] += step * (step - slope);
      }
    }
    double block_least = kInfinity;
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double ratio = -above[at] / beyond[at];
      above[at] = beyond[at] < -scan.flat ? ratio : kInfinity;
      block_least = above[at] < block_least ? above[at] : block_least;
    }
    if (block_least >= least) continue;
    least = block_least;
    for (Eigen::Index i = 0; i < count; ++i)
      if (above[static_cast<std::size_t>(i)] == least) {
        found = start + i;
        break;
      }
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
