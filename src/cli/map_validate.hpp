#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cli/map.hpp"
#include "surface/validation.hpp"

// `weir map validate`: what it was asked and what came out, for its files.
namespace weir::cli {

struct ValidateOptions {
  MapOptions map;
  MapMethodOptions method;
  std::vector<double> train = {0.9, 0.5, 0.2, 0.1};
  int splits = 20;
  int folds = 0;
  std::string leave_level;
  std::string test;
  std::vector<std::string> test_where;
  int resamples = 200;
  bool distribution = false;
};

// A way of dividing the maps: a training share, folds, a factor's levels, or another file.
struct ValidationPlan {
  double train = std::numeric_limits<double>::quiet_NaN();  // none where it is no share
  std::string label;                                        // for people
  std::vector<std::vector<surface::Split>> splits;          // by map
};

struct ValidationOutcome {
  std::vector<std::vector<surface::SplitErrors>> by_map;  // [map][split]
};

struct Validation {
  MapInput input;
  std::vector<surface::Method> methods;
  std::vector<ValidationPlan> plans;
  std::vector<std::vector<ValidationOutcome>> outcomes;  // [plan][method]
  std::vector<surface::NoiseFloor> floors;               // by map
};

// For machines and for people.
Json validation_json(const Validation& validation, const ValidateOptions& options);
void print_validation(const Validation& validation, const ValidateOptions& options, Output& out);

// --distribution: whole distributions of held-out configurations, by their Kolmogorov distance.
Result<int> validate_distributions(const ValidateOptions& options, Output& out);

}  // namespace weir::cli
