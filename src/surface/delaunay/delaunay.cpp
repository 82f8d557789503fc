#include "surface/delaunay/delaunay.hpp"

#include <fmt/format.h>

#include "surface/delaunay/hull.hpp"
#include "surface/delaunay/walk.hpp"

namespace weir::surface {
namespace {

class Delaunay final : public Predictor {
 public:
  Delaunay(const Eigen::MatrixXd& at, Eigen::VectorXd value) : points_(at), value_(std::move(value)) {}

  Predictions predict(const Eigen::MatrixXd& at, bool /*with_variance*/) const override {
    Predictions made;
    made.value.resize(at.rows());
    made.outside.assign(static_cast<std::size_t>(at.rows()), false);
    DelaunayWalk walk(points_);
    for (Eigen::Index i = 0; i < at.rows(); ++i) {
      const Eigen::VectorXd query = (at.row(i) - points_.centre).transpose();
      DelaunayWalk::Place place = walk.find(query);
      if (!place.inside) {
        made.outside[static_cast<std::size_t>(i)] = true;
        place = walk.find(project_onto_hull(points_.at, query));
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
};

}  // namespace

PredictorResult fit_delaunay(const Eigen::MatrixXd& at, const Eigen::VectorXd& value) {
  if (at.rows() < at.cols() + 1)
    return Error{Errc::bad_data,
                 fmt::format("{} configurations are too few for a triangulation over {} coordinates",
                             at.rows(), at.cols())};
  const LiftedPoints points(at);
  DelaunayWalk walk(points);
  if (walk.find(Eigen::VectorXd::Zero(at.cols())).simplex == nullptr)
    return Error{Errc::bad_data, "the configurations lie in one plane: there is no triangulation"}
        .with_remedy("leave out a factor that follows from the others");
  return std::unique_ptr<Predictor>(std::make_unique<Delaunay>(at, value));
}

}  // namespace weir::surface
