#include "surface/delaunay/delaunay.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "surface/delaunay/hull.hpp"
#include "surface/delaunay/walk.hpp"

namespace weir::surface {
namespace {

// Rows in the order of a Z-curve: a walk from one to the next is short.
std::vector<Eigen::Index> near_each_other(const Eigen::MatrixXd& at) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(at.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const Eigen::Index m = at.cols();
  const int bits = static_cast<int>(std::min<Eigen::Index>(10, 60 / m));
  if (bits < 2) return order;
  std::vector<std::uint64_t> place(order.size(), 0);
  const Eigen::RowVectorXd low = at.colwise().minCoeff();
  const Eigen::RowVectorXd width = at.colwise().maxCoeff() - low;
  for (Eigen::Index i = 0; i < at.rows(); ++i)
    for (Eigen::Index j = 0; j < m; ++j) {
      const double share = width[j] > 0 ? (at(i, j) - low[j]) / width[j] : 0;
      const auto cell = static_cast<std::uint64_t>(share * ((1 << bits) - 1));
      for (int b = 0; b < bits; ++b)
        place[static_cast<std::size_t>(i)] |= (cell >> b & 1) << (static_cast<Eigen::Index>(b) * m + j);
    }
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return place[static_cast<std::size_t>(a)] < place[static_cast<std::size_t>(b)];
  });
  return order;
}

class Delaunay final : public Predictor {
 public:
  Delaunay(const Eigen::MatrixXd& at, Eigen::VectorXd value)
      : points_(at), value_(std::move(value)), walk_(points_) {}

  bool told_apart() const { return points_.told_apart; }
  // Whether the points span the space, so that there is a simplex at all.
  bool spans() { return walk_.find(Eigen::VectorXd::Zero(points_.at.cols())).simplex != nullptr; }

  Predictions predict(const Eigen::MatrixXd& at, bool /*with_variance*/) const override {
    Predictions made;
    made.value.resize(at.rows());
    made.outside.assign(static_cast<std::size_t>(at.rows()), false);
    const std::lock_guard<std::mutex> one_at_a_time(lock_);
    walk_.restart();
    for (const Eigen::Index i : near_each_other(at)) {
      const Eigen::VectorXd query = (at.row(i) - points_.centre).transpose();
      DelaunayWalk::Place place = walk_.find(query);
      if (!place.inside) {
        made.outside[static_cast<std::size_t>(i)] = true;
        place = walk_.find(project_onto_hull(points_.at, query));
      }
      made.value[i] = interpolated(place);
    }
    return made;
  }

 private:
  // A projected query may lie beyond the last facet by rounding: weights below 0 count as 0.
  double interpolated(const DelaunayWalk::Place& place) const {
    const Eigen::VectorXd weights = place.weights.cwiseMax(0.0);
    double sum = 0;
    for (Eigen::Index j = 0; j < weights.size(); ++j)
      sum += weights[j] * value_[place.simplex->corners[static_cast<std::size_t>(j)]];
    return sum / weights.sum();
  }

  LiftedPoints points_;
  Eigen::VectorXd value_;
  mutable std::mutex lock_;
  mutable DelaunayWalk walk_;  // remembers what it has met
};

}  // namespace

PredictorResult fit_delaunay(const Eigen::MatrixXd& at, const Eigen::VectorXd& value) {
  if (at.rows() < at.cols() + 1)
    return Error{Errc::bad_data,
                 fmt::format("{} configurations are too few for a triangulation over {} coordinates",
                             at.rows(), at.cols())};
  auto made = std::make_unique<Delaunay>(at, value);
  if (!made->told_apart())
    return Error{Errc::bad_data,
                 "the factors' units differ so much that neighbouring configurations cannot be told apart "
                 "beside the widest factor"}
        .with_remedy("change the unit of a factor (NAME/1e6), or use --scale linear");
  if (!made->spans())
    return Error{Errc::bad_data, "the configurations lie in one plane: there is no triangulation"}
        .with_remedy("leave out a factor that follows from the others");
  return std::unique_ptr<Predictor>(std::move(made));
}

}  // namespace weir::surface
