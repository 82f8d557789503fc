#include "stats/detail/em_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir::stats::detail {

namespace {

// Whether the M step has a closed form, or one that costs no pass.
bool closed_form(Family family) {
  return family != Family::weibull && family != Family::frechet && family != Family::loglogistic;
}

// The longest stride of follow(), in log weights and in the local coordinates of components.
constexpr double kStride = 0.1;

}  // namespace

EmRun::EmRun(const PreparedSample& sample, Family family, const State& start, const RunLimits& limits)
    : sample_(sample),
      family_(family),
      limits_(limits),
      state_(start),
      pass_(em_pass(sample, family, start)) {
  path_.push_back(pass_.log_likelihood);
}

double EmRun::small() const { return limits_.tolerance * (1 + std::abs(pass_.log_likelihood)); }

template <class... Extra>
bool EmRun::accept(State next, Extra&... extra) {
  const State target = next;
  double fraction = 1;
  for (int tries = 0; tries < 8; ++tries, fraction *= 0.4) {
    if (fraction < 1) next = between(state_, target, fraction);
    const PassResult pass = em_pass(sample_, family_, next, extra...);
    if (pass.log_likelihood >= pass_.log_likelihood) {
      state_ = next;
      pass_ = pass;
      path_.push_back(pass.log_likelihood);
      return true;
    }
  }
  return false;
}

State EmRun::whole_step(const Responsibilities& held) const {
  State next = em_step(family_, state_, pass_, limits_.step);
  if (closed_form(family_)) return next;
  // Newton's method squares the distance left: after a move of a hundredth about 1e-4.
  const auto arrived = [](const State& from, const State& to, std::size_t j) {
    return std::abs(to.sharpness[j] / from.sharpness[j] - 1) < 0.01 &&
           std::abs(to.centre[j] - from.centre[j]) * from.sharpness[j] < 0.01;
  };
  for (std::size_t j = 0; j < static_cast<std::size_t>(next.components); ++j) {
    if (arrived(state_, next, j)) continue;
    for (int round = 0; round < 8; ++round) {
      const State before = next;
      const auto component = static_cast<int>(j);
      step_component(family_, before, component, held_sums(sample_, family_, held, component, before),
                     limits_.step, next);
      if (arrived(before, next, j)) break;
    }
  }
  return next;
}

void EmRun::warm_up(int iterations, bool exact) {
  const bool searches = exact && !closed_form(family_);
  Responsibilities held;
  if (searches && iterations > 0) em_pass(sample_, family_, state_, held);
  for (int i = 0; i < iterations && !converged_; ++i) {
    const double before = pass_.log_likelihood;
    const bool moved =
        searches ? accept(whole_step(held), held) : accept(em_step(family_, state_, pass_, limits_.step));
    if (!moved) return;
    if (pass_.log_likelihood - before < 1e-3 * small()) return;
  }
}

void EmRun::follow(int plain) {
  warm_up(plain, true);
  double caution = 0.25;
  int standing = 0;  // strides in a row that gained next to nothing
  std::array<MissingInformation, 2> room;
  MissingInformation* missing = &room[0];  // at state_
  MissingInformation* tried = &room[1];    // at the stride being tried
  em_pass(sample_, family_, state_, *missing);
  const auto shorter = [&] { caution = std::min(1.0, 3 * caution + 0.005); };
  while (standing < 6 && iterations() < limits_.max_iterations) {
    const double before = pass_.log_likelihood;
    if (caution >= 1) {
      if (!accept(em_step(family_, state_, pass_, limits_.step), *missing)) break;
      caution = 0.25;
    } else {
      const NewtonStep step =
          newton_step(family_, state_, pass_, *missing, limits_.step, caution, Course::along_em);
      if (!step.usable || step.length > kStride) {
        shorter();
        continue;
      }
      if (caution == 0) break;  // Newton's own step is no longer than a stride: the maximum is near
      const PassResult trial = em_pass(sample_, family_, step.state, *tried);
      const double gain = trial.log_likelihood - before;
      if (gain < 0 || std::abs(gain - step.predicted) > 0.1 * step.predicted + small()) {
        shorter();
        continue;
      }
      state_ = step.state;
      pass_ = trial;
      path_.push_back(trial.log_likelihood);
      std::swap(missing, tried);
      caution = caution < 0.005 ? 0 : caution * std::clamp(step.length / kStride, 0.3, 1.0);
    }
    standing = pass_.log_likelihood - before > small() ? 0 : standing + 1;
  }
  climb(-std::numeric_limits<double>::infinity(), 0, missing, tried);
}

void EmRun::finish(double to_beat) {
  std::array<MissingInformation, 2> room;
  em_pass(sample_, family_, state_, room[0]);
  climb(to_beat, 0.5, &room[0], &room[1]);
}

void EmRun::climb(double to_beat, double caution, MissingInformation* missing, MissingInformation* tried) {
  finished_ = true;
  int standing = 0;  // steps in a row that gained next to nothing
  while (!converged_ && iterations() < limits_.max_iterations) {
    const double before = pass_.log_likelihood;
    NewtonStep step;
    while (caution < 1) {
      step = newton_step(family_, state_, pass_, *missing, limits_.step, caution);
      if (step.usable) break;
      caution = std::min(1.0, 2 * caution + 0.05);
    }
    // Newton sees nothing left to gain.
    if (caution <= 0.02 && step.usable && step.predicted < 0.1 * small()) {
      converged_ = true;
      return;
    }
    // Only in Newton's last strides does the gain it foretells bound what is left.
    if (caution <= 0.02 && step.usable && step.predicted < 0.02 &&
        before + 10 * step.predicted + 0.1 < to_beat) {
      finished_ = false;
      return;
    }
    bool moved = false;
    if (caution < 1) {
      const PassResult trial = em_pass(sample_, family_, step.state, *tried);
      if (trial.log_likelihood >= before) {
        state_ = step.state;
        pass_ = trial;
        path_.push_back(trial.log_likelihood);
        moved = true;
        std::swap(missing, tried);
        // Bolder when the quadratic model foretold the gain.
        const double gain = trial.log_likelihood - before;
        if (gain > 0.5 * step.predicted) caution = caution < 0.05 ? 0 : 0.1 * caution;
      } else if (step.predicted < small()) {
        converged_ = caution < 0.1;  // nothing left to gain but rounding
        if (converged_) break;
        caution = std::min(1.0, 2 * caution + 0.05);
        continue;
      } else {
        caution = std::min(1.0, 2 * caution + 0.05);
        continue;
      }
    } else {
      moved = accept(em_step(family_, state_, pass_, limits_.step), *missing);
      caution = 0.5;
    }
    const double gain = pass_.log_likelihood - before;
    standing = moved && gain > small() ? 0 : standing + 1;
    // Near Newton a small gain means arrival; near EM it may be mere slowness, so it has to be seen
    // repeatedly.
    if (!moved || standing >= (caution <= 0.02 ? 1 : 6)) converged_ = true;
  }
}

}  // namespace weir::stats::detail
