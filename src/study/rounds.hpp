#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "study/commands.hpp"
#include "study/plan.hpp"
#include "study/state.hpp"
#include "study/study.hpp"
#include "study/tree.hpp"

namespace weir::study {

// What Original needs to know of a study.
Original::Options original_options(const State& state);

// The measuring part of a study: runs of the program in rounds, each kind of run once in a round and in
// random order, each from the same start, with what it left compared with what the first one left.
class Rounds {
 public:
  Rounds(const Options& options, State& state, const Commands& commands, Tell tell);

  // "own" first, then models; an empty name is a model that is not known yet.
  void set_kinds(std::vector<std::string> kinds) { kinds_ = std::move(kinds); }
  const std::vector<std::string>& kinds() const { return kinds_; }
  // What is done, what is to be done, and what it takes.
  Work work() const;

  // Makes the runs that are missing, as far as the budget allows, and leaves the directory as the program
  // leaves it. The program's status where it failed, else 0.
  Result<int> run();

  bool stopped_by_budget() const { return stopped_; }
  // Files that the traced run had changed before they could be kept.
  std::vector<std::string> changed_before() const;

 private:
  Result<int> one(const std::string& where);
  Result<void> count(const std::string& name, const std::filesystem::path& slices, Run& run);
  Result<void> compare_results(Run& run);
  void tell_of(const Run& run) const;
  std::size_t done(const std::string& where) const;

  const Options& options_;
  State& state_;
  const Commands& commands_;
  Tell tell_;
  double begin_s_;
  std::vector<std::string> kinds_;
  std::map<std::string, double> costs_;  // the last run of each kind, with what is done before and after it
  std::optional<Original> original_;
  bool stopped_ = false;
};

}  // namespace weir::study
