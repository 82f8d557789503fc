#include "surface/slice.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir::surface {
namespace {

Result<double> measured_value(const Factor& factor, const std::string& text) {
  auto value = factor.parse(text);
  if (!value) return value;
  if (std::find(factor.values.begin(), factor.values.end(), *value) != factor.values.end()) return value;
  std::vector<std::string> known;
  for (const double one : factor.values) known.push_back(factor.text(one));
  return Error{Errc::not_found, fmt::format("{}={} was not measured", factor.name, text)}.with_remedy(
      fmt::format("measured are {}", fmt::join(known, ", ")));
}

// Sums of responses by cell.
struct Cells {
  Eigen::MatrixXd sum;
  Eigen::MatrixXi count;

  Cells(std::size_t rows, std::size_t columns)
      : sum(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns))),
        count(Eigen::MatrixXi::Zero(sum.rows(), sum.cols())) {}

  Eigen::MatrixXd means() const {
    return (count.array() > 0)
        .select(sum.array() / count.cast<double>().array(), std::numeric_limits<double>::quiet_NaN());
  }
};

Eigen::Index place(const std::vector<double>& values, double value) {
  return std::lower_bound(values.begin(), values.end(), value) - values.begin();
}

// A configuration without one of its factors.
std::vector<double> elsewhere(const MapData& map, Eigen::Index row, std::size_t factor) {
  std::vector<double> rest(map.at.row(row).begin(), map.at.row(row).end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(factor));
  return rest;
}

}  // namespace

Result<Slice> slice(const MapData& map, const SliceRequest& request) {
  Slice made;
  const auto x = find_factor(map.factors, request.x);
  if (!x) return x.error();
  made.x_factor = *x;
  made.x = map.factors[*x].values;
  std::optional<std::size_t> y;
  if (!request.y.empty()) {
    const auto found = find_factor(map.factors, request.y);
    if (!found) return found.error();
    if (*found == *x) return Error{Errc::usage, fmt::format("'{}' is on both axes", request.x)};
    y = *found;
    made.y_factor = *found;
    made.y = map.factors[*found].values;
  }
  std::vector<std::optional<double>> held(map.factors.size());
  for (const stats::KeyPart& part : request.at) {
    const auto factor = find_factor(map.factors, part.column);
    if (!factor) return factor.error();
    const auto value = measured_value(map.factors[*factor], part.value);
    if (!value) return value.error();
    held[*factor] = *value;
  }
  std::optional<std::size_t> change;
  double from = 0;
  double to = 0;
  if (!request.change.empty()) {
    const auto factor = find_factor(map.factors, request.change);
    if (!factor) return factor.error();
    const auto first = measured_value(map.factors[*factor], request.from);
    if (!first) return first.error();
    const auto second = measured_value(map.factors[*factor], request.to);
    if (!second) return second.error();
    change = *factor;
    from = *first;
    to = *second;
  }
  for (std::size_t f = 0; f < map.factors.size(); ++f)
    if (f != *x && f != y && f != change && !held[f]) made.averaged.push_back(map.factors[f].name);

  // Of a change, the response at the first value of each configuration: only those with both are compared.
  std::map<std::vector<double>, double> before;
  if (change)
    for (Eigen::Index i = 0; i < map.size(); ++i)
      if (map.at(i, static_cast<Eigen::Index>(*change)) == from)
        before[elsewhere(map, i, *change)] = map.value[i];
  Cells cells(std::max<std::size_t>(1, made.y.size()), made.x.size());
  for (Eigen::Index i = 0; i < map.size(); ++i) {
    bool in = true;
    for (std::size_t f = 0; f < held.size(); ++f)
      in = in && (!held[f] || map.at(i, static_cast<Eigen::Index>(f)) == *held[f]);
    if (!in || (change && map.at(i, static_cast<Eigen::Index>(*change)) != to)) continue;
    double value = map.value[i];
    if (change) {
      const auto partner = before.find(elsewhere(map, i, *change));
      if (partner == before.end()) continue;
      value -= partner->second;
    }
    const Eigen::Index row = y ? place(made.y, map.at(i, static_cast<Eigen::Index>(*y))) : 0;
    const Eigen::Index column = place(made.x, map.at(i, static_cast<Eigen::Index>(*x)));
    cells.sum(row, column) += value;
    ++cells.count(row, column);
  }
  made.value = cells.means();
  made.count = cells.count;
  if (made.count.sum() == 0) return Error{Errc::bad_data, "no configuration lies in this slice"};
  return made;
}

}  // namespace weir::surface
