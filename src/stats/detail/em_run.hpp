#pragma once

#include <limits>
#include <vector>

#include "stats/detail/em_step.hpp"

namespace weir::stats::detail {

struct RunLimits {
  StepLimits step;
  double tolerance = 1e-8;
  int max_iterations = 2000;
};

// One start on its way up. The log-likelihood never falls: a step that would lower it is shortened or not
// taken.
class EmRun {
 public:
  EmRun(const PreparedSample& sample, Family family, const State& start, const RunLimits& limits);

  // Plain EM for a number of iterations, or until it stands still. Families without a closed M step take one
  // Newton step for it, or go to its end where `exact`: dearer, and the way a textbook's EM goes.
  void warm_up(int iterations, bool exact = false);
  // To a maximum: steps between EM's and Newton's, as bold as they keep gaining. Gives up, and stays
  // unfinished, once the step ahead shows that the maximum lies below `to_beat`.
  void finish(double to_beat = -std::numeric_limits<double>::infinity());
  // To the maximum that plain EM would reach from here: a number of its iterations with exact M steps, then
  // strides of many iterations each, short enough to stay on its course past saddles and lesser maxima.
  void follow(int plain);

  const State& state() const { return state_; }
  double log_likelihood() const { return pass_.log_likelihood; }
  const std::vector<double>& path() const { return path_; }
  int iterations() const { return static_cast<int>(path_.size()) - 1; }
  bool converged() const { return converged_; }
  bool finished() const { return finished_; }  // finish() went to the end

 private:
  double small() const;
  State whole_step(const Responsibilities& held) const;
  // finish() from a first caution, with the information missing at state_ and room for that of a trial.
  void climb(double to_beat, double caution, MissingInformation* missing, MissingInformation* tried);
  // Takes the step, or a shorter one towards it, if that does not lower the log-likelihood. `extra` is what
  // em_pass() fills in besides.
  template <class... Extra>
  bool accept(State next, Extra&... extra);

  const PreparedSample& sample_;
  Family family_;
  RunLimits limits_;
  State state_;
  PassResult pass_;
  std::vector<double> path_;
  bool converged_ = false;
  bool finished_ = false;
};

}  // namespace weir::stats::detail
