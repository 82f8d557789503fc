#pragma once

#include <Eigen/Core>

namespace weir::surface {

// A facet that a walk crosses, and the plane through the lifted corners of the simplex it leaves, both about
// the same origin.
struct FacetScan {
  const double* points = nullptr;   // n values of the first coordinate, then n of the next, ...
  const double* heights = nullptr;  // n
  Eigen::Index n = 0;
  Eigen::Index m = 0;
  const double* origin = nullptr;  // m
  double raise = 0;                // height of the origin
  const double* normal = nullptr;  // of the facet, towards the simplex
  double offset = 0;
  const double* slope = nullptr;  // of the plane
  double flat = 0;                // points nearer to the facet's plane than this are in it
};

// The point beyond the facet that the plane meets first when it turns about the facet: the least height over
// the plane for its distance beyond. -1 where there is none, and the facet belongs to the hull.
Eigen::Index first_met(const FacetScan& scan);

}  // namespace weir::surface
