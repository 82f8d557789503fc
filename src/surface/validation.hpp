#pragma once

#include <functional>
#include <string>
#include <vector>

#include "surface/model.hpp"

namespace weir::surface {

// One way to divide a map's rows.
struct Split {
  std::vector<Eigen::Index> train;
  std::vector<Eigen::Index> test;
  std::string label;  // of leave-one-level-out: "file_size_kb=256"
};

// `count` random divisions with round(share * n) rows to train on. The same seed gives the same divisions
// whatever is done with them. An Error where a side would be empty.
Result<std::vector<Split>> random_splits(Eigen::Index n, double share, int count, std::uint64_t seed);
// k parts, each tested once.
Result<std::vector<Split>> fold_splits(Eigen::Index n, int folds, std::uint64_t seed);
// Each value of one factor tested once, trained on the others: a new file size.
Result<std::vector<Split>> level_splits(const MapData& map, const std::string& factor);

// |predicted - measured| / |measured|, in percent; NaN for rows whose response is 0, which no mean counts.
struct RowError {
  Eigen::Index row = 0;
  double percent = 0;
  double predicted = 0;
};

struct SplitErrors {
  std::vector<RowError> rows;
  double are_percent = 0;  // their mean; NaN where there are none
  std::string scaling;     // that was chosen
  std::string failed;      // why the method had no answer; then nothing else is there
};

// Trains on one side and tests on the other.
SplitErrors test_split(const MapData& map, const Split& split, Method method, const ModelOptions& options);

struct Average {
  double mean = 0;
  double error = 0;  // standard error of the mean; NaN for one split
  int count = 0;
};

// The mean over splits that have one.
Average average(const std::vector<SplitErrors>& splits);

}  // namespace weir::surface
