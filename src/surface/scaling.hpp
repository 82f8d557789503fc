#pragma once

#include <vector>

#include <Eigen/Core>

#include "surface/factor.hpp"

namespace weir::surface {

// Turns configurations into the coordinates a predictor works on, and responses into its values.
class Scaling {
 public:
  // `geometric_in_log` decides what factors with an automatic scale become: log where Factor::geometric(),
  // else linear.
  Scaling(const std::vector<Factor>& factors, const Eigen::MatrixXd& at, bool geometric_in_log,
          bool log_value);

  Eigen::MatrixXd coordinates(const Eigen::MatrixXd& at) const;
  // An Error that names the factor where a value at or below 0 is on a logarithmic scale.
  Result<void> check(const std::vector<Factor>& factors, const Eigen::MatrixXd& at) const;
  Eigen::VectorXd values(const Eigen::VectorXd& response) const;
  double response(double value) const;
  bool log_value() const { return log_value_; }
  bool geometric_in_log() const { return geometric_in_log_; }
  // "log x, log y"
  std::string text() const;

 private:
  struct Column {
    Eigen::Index from = 0;  // factor
    Scale scale = Scale::linear;
    double low = 0;    // of the value or its logarithm, in the data
    double width = 1;  // likewise
    double level = 0;  // of a word: 1 where the factor has it
  };
  std::vector<Column> columns_;
  bool geometric_in_log_;
  bool log_value_;
};

}  // namespace weir::surface
