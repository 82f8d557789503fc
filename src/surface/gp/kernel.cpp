#include "surface/gp/kernel.hpp"

#include <cmath>

namespace weir::surface {
namespace {

constexpr double kRoot3 = 1.7320508075688772;
constexpr double kRoot5 = 2.23606797749979;

bool is_product(Kernel kernel) { return kernel == Kernel::product_1 || kernel == Kernel::product_3; }

// Correlation from what sums over coordinates gave: of (d/l)² for radial kernels, of d/l for product_1.
Eigen::ArrayXd radial(Kernel kernel, const Eigen::ArrayXd& squared) {
  const Eigen::ArrayXd r = squared.sqrt();
  if (kernel == Kernel::radial_3) return (1 + kRoot3 * r) * (-kRoot3 * r).exp();
  return (1 + kRoot5 * r + 5.0 / 3 * squared) * (-kRoot5 * r).exp();
}

}  // namespace

std::string_view name(Kernel kernel) {
  switch (kernel) {
    case Kernel::radial_3:
      return "Matérn 3/2";
    case Kernel::radial_5:
      return "Matérn 5/2";
    case Kernel::product_1:
      return "Matérn 1/2 product";
    case Kernel::product_3:
      return "Matérn 3/2 product";
  }
  return "?";
}

std::vector<double> GaussianSettings::numbers() const {
  std::vector<double> all = {static_cast<double>(kernel), signal, noise};
  all.insert(all.end(), lengths.begin(), lengths.end());
  return all;
}

GaussianSettings GaussianSettings::from_numbers(const std::vector<double>& numbers) {
  GaussianSettings settings;
  settings.kernel = kKernels[static_cast<std::size_t>(numbers[0]) % kKernels.size()];
  settings.signal = numbers[1];
  settings.noise = numbers[2];
  settings.lengths =
      Eigen::Map<const Eigen::VectorXd>(numbers.data() + 3, static_cast<Eigen::Index>(numbers.size()) - 3);
  return settings;
}

Eigen::MatrixXd correlations(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                             const GaussianSettings& settings) {
  Eigen::MatrixXd made(a.rows(), b.rows());
  Eigen::ArrayXd sum(a.rows());
  Eigen::ArrayXd factor(a.rows());
  for (Eigen::Index i = 0; i < b.rows(); ++i) {
    sum.setZero();
    factor.setOnes();
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
      const auto scaled = (a.col(j).array() - b(i, j)).abs() / settings.lengths[j];
      if (settings.kernel == Kernel::product_1) {
        sum += scaled;
      } else if (settings.kernel == Kernel::product_3) {
        sum += kRoot3 * scaled;
        factor *= 1 + kRoot3 * scaled;
      } else {
        sum += scaled.square();
      }
    }
    made.col(i) =
        is_product(settings.kernel) ? Eigen::ArrayXd(factor * (-sum).exp()) : radial(settings.kernel, sum);
  }
  return made;
}

void correlate_pairs(const Eigen::MatrixXd& distances, const GaussianSettings& settings,
                     Eigen::ArrayXd& correlation, Eigen::ArrayXXd& slopes) {
  slopes.resize(distances.rows(), distances.cols());
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(distances.rows());
  Eigen::ArrayXd factor = Eigen::ArrayXd::Ones(distances.rows());
  for (Eigen::Index j = 0; j < distances.cols(); ++j) {
    auto slope = slopes.col(j);
    slope = distances.col(j).array() / settings.lengths[j];
    switch (settings.kernel) {
      case Kernel::product_1:
        sum += slope;
        break;
      case Kernel::product_3:
        slope *= kRoot3;
        sum += slope;
        factor *= 1 + slope;
        slope = slope.square() / (1 + slope);
        break;
      default:
        slope = slope.square();
        sum += slope;
    }
  }
  if (is_product(settings.kernel)) {
    correlation = factor * (-sum).exp();
    slopes.colwise() *= correlation;
    return;
  }
  const Eigen::ArrayXd r = sum.sqrt();
  correlation = radial(settings.kernel, sum);
  if (settings.kernel == Kernel::radial_3)
    slopes.colwise() *= 3 * (-kRoot3 * r).exp();
  else
    slopes.colwise() *= 5.0 / 3 * (1 + kRoot5 * r) * (-kRoot5 * r).exp();
}

}  // namespace weir::surface
