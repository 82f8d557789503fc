#include "surface/scaling.hpp"

#include <cmath>

#include <fmt/format.h>

namespace weir::surface {

Scaling::Scaling(const std::vector<Factor>& factors, const Eigen::MatrixXd& at, bool geometric_in_log,
                 bool log_value)
    : geometric_in_log_(geometric_in_log), log_value_(log_value) {
  for (Eigen::Index f = 0; f < at.cols(); ++f) {
    const Factor& factor = factors[static_cast<std::size_t>(f)];
    if (factor.words()) {
      for (std::size_t level = 1; level < factor.levels.size(); ++level)
        columns_.push_back({.from = f, .scale = Scale::level, .level = static_cast<double>(level)});
      continue;
    }
    Column column{.from = f, .scale = factor.scale};
    if (factor.scale == Scale::automatic)
      column.scale = geometric_in_log && factor.geometric() ? Scale::log : Scale::linear;
    if (column.scale != Scale::raw) {
      // Rows may be a part of the map in which the factor does not vary.
      const double low = at.col(f).minCoeff();
      const double high = at.col(f).maxCoeff();
      column.low = column.scale == Scale::log ? std::log(low) : low;
      column.width = (column.scale == Scale::log ? std::log(high) : high) - column.low;
      if (!(column.width > 0)) column.width = 1;
    }
    columns_.push_back(column);
  }
}

Eigen::MatrixXd Scaling::coordinates(const Eigen::MatrixXd& at) const {
  Eigen::MatrixXd made(at.rows(), static_cast<Eigen::Index>(columns_.size()));
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    auto to = made.col(static_cast<Eigen::Index>(c)).array();
    const auto from = at.col(column.from).array();
    if (column.scale == Scale::level)
      to = (from == column.level).cast<double>();
    else if (column.scale == Scale::log)
      to = (from.log() - column.low) / column.width;
    else
      to = (from - column.low) / column.width;
  }
  return made;
}

Result<void> Scaling::check(const std::vector<Factor>& factors, const Eigen::MatrixXd& at) const {
  for (const Column& column : columns_) {
    if (column.scale != Scale::log || at.rows() == 0) continue;
    const double least = at.col(column.from).minCoeff();
    if (least > 0) continue;
    const Factor& factor = factors[static_cast<std::size_t>(column.from)];
    return Error{Errc::usage, fmt::format("factor {}: {} has no logarithm, and the map is on a log scale",
                                          factor.name, factor.text(least))}
        .with_remedy("give a value above 0, or fit with --scale linear");
  }
  return {};
}

Eigen::VectorXd Scaling::values(const Eigen::VectorXd& response) const {
  return log_value_ ? Eigen::VectorXd(response.array().log()) : response;
}

double Scaling::response(double value) const { return log_value_ ? std::exp(value) : value; }

std::string Scaling::text() const {
  bool raw = true;
  bool log = false;
  for (const Column& column : columns_) {
    raw = raw && (column.scale == Scale::raw || column.scale == Scale::level);
    log = log || column.scale == Scale::log;
  }
  return fmt::format("{} x, {} y", log ? "log" : raw ? "raw" : "linear", log_value_ ? "log" : "plain");
}

}  // namespace weir::surface
