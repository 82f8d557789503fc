#pragma once

#include <string>
#include <vector>

#include "surface/map_data.hpp"

namespace weir::surface {

// One factor or one pair of factors.
struct Effect {
  std::vector<std::size_t> factors;  // one or two, of the map
  std::string name;                  // "threads", "threads x file_size_kb"
  double squares = 0;  // sum of squares it explains beyond all terms that do not contain it (type II)
  double freedom = 0;  // degrees of freedom
  double f = 0;
  double p_value = 0;
  double eta_squared = 0;          // share of the total sum of squares
  double partial_eta_squared = 0;  // squares over squares and residual
  double omega_squared = 0;        // the same as eta_squared without its bias
};

struct Anova {
  std::vector<Effect> effects;  // largest share first
  double total_squares = 0;
  double residual_squares = 0;
  double residual_freedom = 0;
  double explained = 0;  // 1 - residual / total
  bool log_value = false;
  std::vector<std::string> notes;
};

// Analysis of variance of a map's response (of its logarithm, where asked for) with first- and second-order
// effects. Each measured value of a factor is a level; factors with more than `most_levels`, or with another
// value in nearly every row, are cut into groups of about equal size, few enough to leave two thirds of the
// rows to the residual. Where pairs of factors leave nothing to it (one value in each cell of two factors)
// they are left out with a note. Incomplete grids are fine: type II sums of squares by least squares, with
// the ranks that the data have.
Result<Anova> analyse_variance(const MapData& map, bool log_value, int most_levels = 24);

}  // namespace weir::surface
