#include "stats/detail/em_step.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "stats/detail/special.hpp"

namespace weir::stats::detail {

namespace {

constexpr double kLeastWeight = 1e-9;  // a component may fade out, but log(weight) stays finite
constexpr double kLeastSharpness = 1e-6;

// Solves log a - ψ(a) = s for a. The left side falls from infinity to 0, about 1/(2a).
double gamma_shape(double s, double cap) {
  if (!(s > 1 / (2 * cap) * (1 + 1 / (6 * cap))))
    return cap;  // the value of the left side at cap, to second order
  if (s < 1e-4) return std::min(cap, (0.5 + s / 6) / s);  // from log a - ψ(a) = 1/2a + 1/12a² - ...
  // Minka's start, then Newton in 1/a; the function is smooth and close to linear there.
  double a = (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
  for (int i = 0; i < 8; ++i) {
    const double value = std::log(a) - boost::math::digamma(a, Quiet()) - s;
    const double slope = 1 / a - boost::math::trigamma(a, Quiet());
    const double next = 1 / (1 / a + value / (a * a * slope));
    if (!(next > 0)) break;
    const bool done = std::abs(next - a) <= 1e-12 * a;
    a = next;
    if (done) break;
  }
  return std::clamp(a, kLeastSharpness, cap);
}

// Moves component j by local coordinates (α, β).
void move(Family family, const State& from, int component, double alpha, double beta, double cap, State& to) {
  const auto j = static_cast<std::size_t>(component);
  const double a = from.sharpness[j];
  to.sharpness[j] = std::clamp(a * (1 + alpha), kLeastSharpness, cap);
  if (family == Family::gamma)
    to.centre[j] = from.centre[j] * (1 + alpha) / (1 + alpha - beta / std::sqrt(a));
  else
    to.centre[j] = from.centre[j] + beta / (a * (1 + alpha));
}

// The largest fraction of (α, β) that keeps the component within a factor of four and the gamma mean
// positive.
double allowed(Family family, double sharpness, double alpha, double beta) {
  double fraction = 1;
  if (alpha < -0.75) fraction = 0.75 / -alpha;
  if (alpha > 3) fraction = 3 / alpha;
  if (family == Family::gamma) {
    const double shrink = alpha - beta / std::sqrt(sharpness);
    if (shrink < -0.75) fraction = std::min(fraction, 0.75 / -shrink);
  }
  return fraction;
}

void set_weights(State& state, const std::array<double, kMaxComponents>& shares) {
  const auto k = static_cast<std::size_t>(state.components);
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) sum += shares[j];
  double kept = 0;
  for (std::size_t j = 0; j < k; ++j) kept += state.weight[j] = std::max(shares[j] / sum, kLeastWeight);
  for (std::size_t j = 0; j < k; ++j) state.weight[j] /= kept;
}

constexpr std::size_t kMost = 3 * kMaxComponents;
using Vector = std::array<double, kMost>;
using Matrix = std::array<Vector, kMost>;  // the lower triangle is used

// Cholesky in place, with the inverses of the diagonal on it; false if the matrix is not positive definite.
// Written out: for a dozen rows a library's calls cost more than their arithmetic.
bool factorise(Matrix& m, std::size_t size) {
  Vector column;
  for (std::size_t j = 0; j < size; ++j) {
    if (!(m[j][j] > 0)) return false;
    m[j][j] = 1 / std::sqrt(m[j][j]);
    for (std::size_t p = j + 1; p < size; ++p) {
      column[p] = m[p][j] *= m[j][j];
      for (std::size_t q = j + 1; q <= p; ++q) m[p][q] -= column[p] * column[q];
    }
  }
  return true;
}

void solve(const Matrix& factor, std::size_t size, Vector& x) {
  for (std::size_t p = 0; p < size; ++p) {
    for (std::size_t q = 0; q < p; ++q) x[p] -= factor[p][q] * x[q];
    x[p] *= factor[p][p];
  }
  for (std::size_t p = size; p-- > 0;) {
    x[p] *= factor[p][p];
    for (std::size_t q = 0; q < p; ++q) x[q] -= factor[p][q] * x[p];
  }
}

// The complete information times a vector.
Vector complete_times(const State& state, const PassResult& pass, double n, const Vector& x) {
  Vector y;
  double mean = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(state.components); ++j)
    mean += state.weight[j] * x[3 * j];
  for (std::size_t j = 0; j < static_cast<std::size_t>(state.components); ++j) {
    const ComponentSums& s = pass.components[j];
    y[3 * j] = n * state.weight[j] * (x[3 * j] - mean);
    y[3 * j + 1] = s.alpha_alpha * x[3 * j + 1] + s.alpha_beta * x[3 * j + 2];
    y[3 * j + 2] = s.alpha_beta * x[3 * j + 1] + s.beta_beta * x[3 * j + 2];
  }
  return y;
}

}  // namespace

void step_component(Family family, const State& state, int component, const ComponentSums& s,
                    const StepLimits& limits, State& next) {
  const auto j = static_cast<std::size_t>(component);
  if (!(s.mass > kLeastWeight * limits.weight_sum)) return;
  const double a = state.sharpness[j];
  switch (family) {
    case Family::normal:
    case Family::lognormal: {
      const double shift = s.first / s.mass;
      const double variance = s.second / s.mass - shift * shift;
      next.centre[j] = state.centre[j] + shift / a;
      next.sharpness[j] = variance > 0 ? std::min(a / std::sqrt(variance), limits.cap) : limits.cap;
      break;
    }
    case Family::gamma: {
      const double away = s.first / s.mass;
      const double concentration = boost::math::log1pmx(away, Quiet()) - s.second / s.mass;
      next.centre[j] = state.centre[j] * (1 + away);
      next.sharpness[j] = gamma_shape(concentration, limits.cap);
      break;
    }
    default: {
      const double determinant = s.alpha_alpha * s.beta_beta - s.alpha_beta * s.alpha_beta;
      double alpha = (s.alpha * s.beta_beta - s.beta * s.alpha_beta) / determinant;
      double beta = (s.beta * s.alpha_alpha - s.alpha * s.alpha_beta) / determinant;
      const double room = limits.cap / a - 1;
      if (!(alpha < room) || !std::isfinite(beta)) {
        alpha = std::min(room, 3.0);
        beta = (s.beta - s.alpha_beta * alpha) / s.beta_beta;
      }
      const double fraction = allowed(family, a, alpha, beta);
      move(family, state, component, fraction * alpha, fraction * beta, limits.cap, next);
    }
  }
}

State em_step(Family family, const State& state, const PassResult& pass, const StepLimits& limits) {
  State next = state;
  std::array<double, kMaxComponents> shares{};
  for (int j = 0; j < state.components; ++j) {
    const ComponentSums& sums = pass.components[static_cast<std::size_t>(j)];
    step_component(family, state, j, sums, limits, next);
    shares[static_cast<std::size_t>(j)] = sums.mass;
  }
  set_weights(next, shares);
  return next;
}

NewtonStep newton_step(Family family, const State& state, const PassResult& pass,
                       const MissingInformation& missing, const StepLimits& limits, double caution,
                       Course course) {
  const int k = state.components;
  const auto rows = static_cast<std::size_t>(3 * k);
  const double n = limits.weight_sum;

  // The heaviest component's log weight is the reference of the others.
  const auto heaviest = static_cast<int>(std::max_element(state.weight.begin(), state.weight.begin() + k) -
                                         state.weight.begin());
  // EM's course is y' = C⁻¹g, one EM step a unit of time, with C the complete information. Its linearisation
  // by C⁻¹(C - missing) is integrated over 1/caution steps by the L-stable diagonally implicit method of
  // second order: with K = C - missing + κC, κ = caution/γ, the step is K⁻¹g + (1-γ)/γ·κ K⁻¹C K⁻¹g.
  constexpr double kGamma = 1 - 1 / std::numbers::sqrt2;
  const bool along = course == Course::along_em && caution > 0;
  const double kappa = along ? caution / kGamma : 0;
  const double lost = along ? 1 : 1 - caution;
  Vector slope;
  Matrix information;
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t q = 0; q <= p; ++q) information[p][q] = -lost * missing[p][q];
  for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
    const ComponentSums& s = pass.components[j];
    slope[3 * j] = s.mass - n * state.weight[j];
    slope[3 * j + 1] = s.alpha;
    slope[3 * j + 2] = s.beta;
    information[3 * j + 1][3 * j + 1] += (1 + kappa) * s.alpha_alpha;
    information[3 * j + 2][3 * j + 1] += (1 + kappa) * s.alpha_beta;
    information[3 * j + 2][3 * j + 2] += (1 + kappa) * s.beta_beta;
    for (std::size_t l = 0; l <= j; ++l)
      information[3 * j][3 * l] -= (1 + kappa) * n * state.weight[j] * state.weight[l];
    information[3 * j][3 * j] += (1 + kappa) * n * state.weight[j];
  }

  // Coordinates that move: all but the reference weight, faded components, and sharpness held at the cap.
  std::array<std::size_t, kMost> free{};
  Vector fixed{};
  bool any_fixed = false;
  std::array<bool, kMost> moves{};
  for (int j = 0; j < k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const ComponentSums& s = pass.components[at];
    const bool alive = s.mass > 1e-6 * n;
    moves[3 * at] = alive && j != heaviest;
    moves[3 * at + 1] = alive && !(state.sharpness[at] >= limits.cap && s.alpha >= 0);
    moves[3 * at + 2] = alive;
  }

  NewtonStep step;
  Vector move_by;
  for (int round = 0; round <= k; ++round) {
    std::size_t size = 0;
    for (std::size_t p = 0; p < rows; ++p)
      if (moves[p]) free[size++] = p;
    Matrix factor;
    Vector solved;
    for (std::size_t p = 0; p < size; ++p) {
      const std::size_t row = free[p];
      solved[p] = slope[row];
      for (std::size_t q = 0; q <= p; ++q) factor[p][q] = information[row][free[q]];
      if (!any_fixed) continue;
      for (std::size_t q = 0; q < rows; ++q)
        solved[p] -= information[std::max(row, q)][std::min(row, q)] * fixed[q];
    }
    if (!factorise(factor, size)) return step;
    solve(factor, size, solved);
    move_by = fixed;
    for (std::size_t p = 0; p < size; ++p) move_by[free[p]] = solved[p];
    if (along) {
      const Vector pushed = complete_times(state, pass, n, move_by);
      Vector rest;
      for (std::size_t p = 0; p < size; ++p) rest[p] = pushed[free[p]];
      solve(factor, size, rest);
      for (std::size_t p = 0; p < size; ++p) move_by[free[p]] += (1 - kGamma) / kGamma * kappa * rest[p];
    }
    for (std::size_t p = 0; p < rows; ++p)
      if (!std::isfinite(move_by[p])) return step;
    // A sharpness past the cap goes on it, and the rest is solved again around that.
    bool again = false;
    for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
      const std::size_t at = 3 * j + 1;
      const double room = limits.cap / state.sharpness[j] - 1;
      if (moves[at] && move_by[at] > room && room < 3) {
        moves[at] = false;
        fixed[at] = room;
        any_fixed = again = true;
      }
    }
    if (!again) break;
  }

  double fraction = 1;
  for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
    fraction =
        std::min(fraction, allowed(family, state.sharpness[j], move_by[3 * j + 1], move_by[3 * j + 2]));
    if (std::abs(move_by[3 * j]) > 2) fraction = std::min(fraction, 2 / std::abs(move_by[3 * j]));
  }
  for (std::size_t p = 0; p < rows; ++p) {
    move_by[p] *= fraction;
    step.length = std::max(step.length, std::abs(move_by[p]));
  }
  for (std::size_t p = 0; p < rows; ++p) {
    double curve = 0.5 * information[p][p] * move_by[p];
    for (std::size_t q = 0; q < p; ++q) curve += information[p][q] * move_by[q];
    step.predicted += move_by[p] * (slope[p] - curve);
  }
  if (along) {
    const Vector pushed = complete_times(state, pass, n, move_by);
    for (std::size_t p = 0; p < rows; ++p) step.predicted += 0.5 * kappa * move_by[p] * pushed[p];
  }
  step.state = state;
  std::array<double, kMaxComponents> shares{};
  for (int j = 0; j < k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    move(family, state, j, move_by[3 * at + 1], move_by[3 * at + 2], limits.cap, step.state);
    shares[at] = state.weight[at] * std::exp(move_by[3 * at]);
  }
  set_weights(step.state, shares);
  step.usable = true;
  return step;
}

State between(const State& from, const State& to, double fraction) {
  State state = from;
  for (std::size_t j = 0; j < static_cast<std::size_t>(from.components); ++j) {
    state.weight[j] += fraction * (to.weight[j] - from.weight[j]);
    state.centre[j] += fraction * (to.centre[j] - from.centre[j]);
    state.sharpness[j] *= std::pow(to.sharpness[j] / from.sharpness[j], fraction);
  }
  return state;
}

}  // namespace weir::stats::detail
