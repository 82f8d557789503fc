#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace weir::surface {

// Matérn correlation with a length for each coordinate. `radial` depends on the scaled distance; `product`
// multiplies one correlation for each coordinate, which suits responses that jump along single factors.
enum class Kernel { radial_3, radial_5, product_1, product_3 };  // twice the smoothness ν
inline constexpr std::array<Kernel, 4> kKernels = {Kernel::radial_3, Kernel::radial_5, Kernel::product_1,
                                                   Kernel::product_3};

std::string_view name(Kernel kernel);  // "Matérn 3/2", "Matérn 1/2 product"

// All that a Gaussian process is told apart by: correlation, lengths, and variances of signal and noise.
struct GaussianSettings {
  Kernel kernel = Kernel::radial_3;
  Eigen::VectorXd lengths;
  double signal = 1;
  double noise = 0.01;

  // As plain numbers for a file, and back.
  std::vector<double> numbers() const;
  static GaussianSettings from_numbers(const std::vector<double>& numbers);
};

// Correlations of the rows of two sets of points.
Eigen::MatrixXd correlations(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                             const GaussianSettings& settings);

// correlation and its derivative by the logarithm of each length, from |a_j - b_j| of every pair of one set:
// distances has a row a pair and a column a coordinate. `slopes` gets the same shape.
void correlate_pairs(const Eigen::MatrixXd& distances, const GaussianSettings& settings,
                     Eigen::ArrayXd& correlation, Eigen::ArrayXXd& slopes);

}  // namespace weir::surface
