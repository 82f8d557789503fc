#pragma once

#include "stats/detail/em_pass.hpp"

namespace weir::stats::detail {

// How a run goes from one State to the next. `cap` is the largest sharpness the floor on the scale allows.
struct StepLimits {
  double cap = 0;
  double weight_sum = 0;
};

// The EM step: weights are mean responsibilities; normal and gamma components take their closed-form maximum,
// the others one Newton step on their concave expected log-likelihood (Lange's EM gradient step, 1995: same
// rate of convergence). A component whose maximum lies beyond the cap is put on it, and its centre maximised
// with the sharpness held.
State em_step(Family family, const State& state, const PassResult& pass, const StepLimits& limits);
// The same for one component's centre and sharpness.
void step_component(Family family, const State& state, int component, const ComponentSums& sums,
                    const StepLimits& limits, State& next);

// A step between EM's (caution = 1) and Newton's (caution = 0). Components on the cap that push against it
// stay there.
//   to_maximum: maximises the quadratic model with information  complete - (1-caution)·missing
//   along_em:   goes where about 1/caution EM steps would, as far as EM is linear; exact to second order
enum class Course { to_maximum, along_em };
struct NewtonStep {
  bool usable = false;  // false: the matrix was not positive definite
  State state;
  double predicted = 0;  // gain of the quadratic model; along_em: of Newton's
  double length = 0;     // the largest move of a log weight, α or β
};
NewtonStep newton_step(Family family, const State& state, const PassResult& pass,
                       const MissingInformation& missing, const StepLimits& limits, double caution,
                       Course course = Course::to_maximum);

// The state at `fraction` of the way from `from` to `to`, componentwise in log sharpness and weights.
State between(const State& from, const State& to, double fraction);

}  // namespace weir::stats::detail
