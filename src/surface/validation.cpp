#include "surface/validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/random.hpp"

namespace weir::surface {
namespace {

std::vector<Eigen::Index> shuffled(Eigen::Index n, Random& random) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace

Result<std::vector<Split>> random_splits(Eigen::Index n, double share, int count, std::uint64_t seed) {
  const auto train = static_cast<std::ptrdiff_t>(std::llround(share * static_cast<double>(n)));
  if (train < 1 || train >= n)
    return Error{Errc::bad_data,
                 fmt::format("{} configurations cannot be divided with a share of {}", n, share)};
  std::vector<Split> splits;
  for (int i = 0; i < count; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    auto order = shuffled(n, random);
    splits.push_back({.train = {order.begin(), order.begin() + train},
                      .test = {order.begin() + train, order.end()},
                      .label = {}});
  }
  return splits;
}

Result<std::vector<Split>> fold_splits(Eigen::Index n, int folds, std::uint64_t seed) {
  if (folds < 2 || n < folds)
    return Error{Errc::bad_data, fmt::format("{} configurations cannot make {} folds", n, folds)};
  Random random(seed);
  const auto order = shuffled(n, random);
  std::vector<Split> splits(static_cast<std::size_t>(folds));
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t f = 0; f < splits.size(); ++f)
      (i % splits.size() == f ? splits[f].test : splits[f].train).push_back(order[i]);
  return splits;
}

Result<std::vector<Split>> level_splits(const MapData& map, const std::string& factor) {
  const auto found = find_factor(map.factors, factor);
  if (!found) return found.error();
  const auto column = static_cast<Eigen::Index>(*found);
  const Factor& chosen = map.factors[*found];
  if (chosen.words())
    return Error{Errc::usage, fmt::format("factor {} has words: nothing lies between its levels", factor)}
        .with_remedy("leave out the levels of a factor with numbers");
  std::vector<Split> splits;
  for (const double value : chosen.values) {
    Split split;
    split.label = fmt::format("{}={}", factor, chosen.text(value));
    for (Eigen::Index i = 0; i < map.size(); ++i)
      (map.at(i, column) == value ? split.test : split.train).push_back(i);
    splits.push_back(std::move(split));
  }
  return splits;
}

SplitErrors test_split(const MapData& map, const Split& split, Method method, const ModelOptions& options) {
  SplitErrors errors;
  errors.are_percent = std::numeric_limits<double>::quiet_NaN();
  const auto model = Model::fit(map, method, options, split.train);
  if (!model) {
    errors.failed = model.error().text();
    return errors;
  }
  if (auto defined = model->scaling().check(map.factors, map.at(split.test, Eigen::all)); !defined) {
    errors.failed = defined.error().text();
    return errors;
  }
  errors.scaling = model->scaling().text();
  const Eigen::VectorXd predicted = model->predict(map.at(split.test, Eigen::all));
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < split.test.size(); ++i) {
    const double measured = map.value[split.test[i]];
    const double made = predicted[static_cast<Eigen::Index>(i)];
    const double percent = measured != 0 ? 100 * std::abs((made - measured) / measured)
                                         : std::numeric_limits<double>::quiet_NaN();
    errors.rows.push_back({.row = split.test[i], .percent = percent, .predicted = made});
    if (measured == 0) continue;
    sum += percent;
    ++count;
  }
  if (count > 0) errors.are_percent = sum / count;
  return errors;
}

Average average(const std::vector<SplitErrors>& splits) {
  Average result;
  double sum = 0;
  double squares = 0;
  for (const SplitErrors& split : splits) {
    if (!std::isfinite(split.are_percent)) continue;
    sum += split.are_percent;
    squares += split.are_percent * split.are_percent;
    ++result.count;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  result.mean = result.count > 0 ? sum / result.count : nan;
  result.error =
      result.count > 1
          ? std::sqrt(std::max(0.0, squares / result.count - result.mean * result.mean) / (result.count - 1))
          : nan;
  return result;
}

}  // namespace weir::surface
