#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weir::study {

// What the measuring part of a study has to do, and what is known of how long it takes.
struct Work {
  std::vector<std::string> where;  // each kind of run: "own", then models; empty: one that is not known yet
  std::vector<std::size_t> done;   // runs so far, of each
  std::size_t wanted = 0;          // runs of each
  std::optional<double> traced_s;  // how long the traced run took
  std::vector<double>
      typical_s;  // of each kind: a run with all that belongs to it; 0 where there is none yet
  std::optional<double> budget_s;  // for everything
  double spent_s = 0;              // so far, since this invocation began
};

// Below that a comparison says nothing: fewer are not stopped by a budget.
inline constexpr std::size_t kFewestRuns = 3;

// Seconds until every run is done, as far as the budget allows; none where nothing has run yet.
std::optional<double> left_s(const Work& work);

// Whether there is time for one more round, a run of each kind.
bool another_round(const Work& work);

// The plan, a line for each step, and what it will take: said before anything is done.
std::vector<std::string> plan_text(const Work& work, const std::string& out);

}  // namespace weir::study
