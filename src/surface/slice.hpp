#pragma once

#include <string>
#include <vector>

#include "surface/map_data.hpp"

namespace weir::surface {

// A table of a map's measured responses over one or two of its factors.
struct SliceRequest {
  std::string x;                        // a column for each of its values
  std::string y = {};                   // a row for each of its values; empty: one row
  std::vector<stats::KeyPart> at = {};  // other factors held at a value
  // The response at the second value of this factor minus that at the first, over configurations that have
  // both; empty: the response itself.
  std::string change = {};
  std::string from = {};
  std::string to = {};
};

struct Slice {
  std::vector<double> x;  // values of the factors, ascending
  std::vector<double> y;  // empty without
  Eigen::MatrixXd value;  // y by x; NaN where nothing was measured
  Eigen::MatrixXi count;  // configurations behind each cell; more than one where factors were left free
  std::vector<std::string> averaged;  // factors that are neither on an axis nor held
  std::size_t x_factor = 0;
  std::size_t y_factor = 0;
};

Result<Slice> slice(const MapData& map, const SliceRequest& request);

}  // namespace weir::surface
