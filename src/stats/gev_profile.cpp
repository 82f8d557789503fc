#include "stats/gev_profile.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>

#include "stats/detail/gev_likelihood.hpp"

namespace weir::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One parameter of the search held, the others maximised.
class Profile {
 public:
  Profile(std::function<detail::Quadratic(const Eigen::Vector3d&)> likelihood, Eigen::Vector3d top, int held,
          double needed)
      : likelihood_(std::move(likelihood)), top_(std::move(top)), held_(held), needed_(needed) {
    free_.fill(true);
    free_[static_cast<std::size_t>(held)] = false;
  }

  // Where the profile crosses `needed`, walking from the top in steps of `step`.
  double crossing(double step) {
    Eigen::Vector3d inside = top_;
    double reach = step;
    for (int i = 0; i < 100; ++i) {
      const Eigen::Vector3d there = best_with(top_[held_] + reach, inside);
      if (!std::isfinite(height_) || height_ < needed_) return between(inside, top_[held_] + reach);
      inside = there;
      reach += step * (1 + 0.5 * i);
      if (std::abs(reach) > 100 * std::abs(step)) break;
    }
    return step > 0 ? kInfinity : -kInfinity;
  }

 private:
  // The maximum with the held value, from a start nearby; height_ is its log-likelihood.
  Eigen::Vector3d best_with(double value, const Eigen::Vector3d& from) {
    height_ = -kInfinity;
    Eigen::Vector3d start = from;
    start[held_] = value;
    for (int i = 0; i < 40 && !std::isfinite(likelihood_(start).value); ++i) {
      // A wider scale makes room for values that fell out of the support.
      start[held_ == 1 ? 0 : 1] += 0.1;
    }
    const detail::Maximum found = detail::maximise(likelihood_, start, free_);
    height_ = found.converged ? found.there.value : -kInfinity;
    return found.at;
  }

  // Bisection with a secant guess: the drop from the top grows like a square.
  double between(Eigen::Vector3d inside, double outside) {
    double in = inside[held_];
    double out = outside;
    const double top = likelihood_(top_).value;
    double drop_in = std::sqrt(std::max(0.0, top - likelihood_(inside).value));
    double drop_out = std::isfinite(height_) ? std::sqrt(top - height_) : kInfinity;
    const double wanted = std::sqrt(top - needed_);
    for (int i = 0; i < 60 && std::abs(out - in) > 1e-9 * (std::abs(in) + std::abs(out)); ++i) {
      double share = 0.5;
      if (std::isfinite(drop_out) && i % 3 != 2) share = (wanted - drop_in) / (drop_out - drop_in);
      share = std::min(0.98, std::max(0.02, share));
      const double middle = in + share * (out - in);
      const Eigen::Vector3d there = best_with(middle, inside);
      const double drop = std::isfinite(height_) ? std::sqrt(std::max(0.0, top - height_)) : kInfinity;
      if (std::abs(drop - wanted) < 1e-8) return middle;
      if (drop < wanted) {
        in = middle;
        drop_in = drop;
        inside = there;
      } else {
        out = middle;
        drop_out = drop;
      }
    }
    return 0.5 * (in + out);
  }

  std::function<detail::Quadratic(const Eigen::Vector3d&)> likelihood_;
  Eigen::Vector3d top_;
  int held_;
  double needed_;
  std::array<bool, 3> free_{};
  double height_ = 0;
};

Result<double> needed_height(const GevFit& fit, double level) {
  if (!(level > 0 && level < 1))
    return Error{Errc::usage, fmt::format("a confidence level of {} is not between 0 and 1", level)};
  if (!fit.converged || !std::isfinite(fit.standard_errors[2]))
    return Error{Errc::bad_data, fit.note.empty() ? "the fit did not converge" : fit.note}.in(
        "profile likelihood");
  return fit.log_likelihood - 0.5 * boost::math::quantile(boost::math::chi_squared(1), level);
}

}  // namespace

Result<ProfileInterval> profile_shape(std::span<const double> maxima, const GevFit& fit, double level) {
  const auto needed = needed_height(fit, level);
  if (!needed) return needed.error();
  Profile profile([&](const Eigen::Vector3d& at) { return detail::gev_likelihood(maxima, at); },
                  detail::gev_coordinates(fit.parameters), 2, *needed);
  const double step = fit.standard_errors[2];
  return ProfileInterval{fit.parameters.shape, profile.crossing(-step), profile.crossing(step), level};
}

Result<ProfileInterval> profile_return_level(std::span<const double> maxima, const GevFit& fit,
                                             double exceedance, double level) {
  const auto needed = needed_height(fit, level);
  if (!needed) return needed.error();
  if (!(exceedance > 0 && exceedance < 1))
    return Error{Errc::usage,
                 fmt::format("an exceedance probability of {} is not between 0 and 1", exceedance)};
  const double reduced = -std::log(-std::log1p(-exceedance));
  Eigen::Vector3d top = detail::gev_coordinates(fit.parameters);
  top[0] = detail::gev_level(reduced, fit.parameters);
  Profile profile(
      [&](const Eigen::Vector3d& at) { return detail::gev_likelihood_at_level(maxima, reduced, at); }, top, 0,
      *needed);
  const double step = return_level(fit, exceedance).standard_error;
  return ProfileInterval{top[0], profile.crossing(-step), profile.crossing(step), level};
}

}  // namespace weir::stats
