#include "semantics/verdict.hpp"

#include "base/parallel.hpp"

namespace weir::semantics {
namespace {

template <class Suffices>
std::optional<std::size_t> weakest_of(std::size_t ordered, Suffices&& suffices) {
  std::optional<std::size_t> weakest;
  for (std::size_t i = 0; i < ordered && suffices(i); ++i) weakest = i;
  return weakest;
}

}  // namespace

Verdict judge(const Accesses& accesses, const std::vector<consistency::Model>& others,
              const Precedence& precedence, const VerdictOptions& options) {
  Verdict verdict;
  const auto built_in = consistency::built_in_models();
  verdict.models.assign(built_in.begin(), built_in.end());
  verdict.ordered = built_in.size();
  verdict.models.insert(verdict.models.end(), others.begin(), others.end());
  verdict.files.resize(accesses.files.size());
  parallel_for(
      accesses.files.size(),
      [&](std::size_t i) {
        FileVerdict& one = verdict.files[i];
        one.file = i;
        one.findings = find_conflicts(accesses.files[i], verdict.models, precedence, options.conflicts);
        one.weakest = weakest_of(
            verdict.ordered, [&](std::size_t m) { return one.findings.sufficient(m, verdict.models[m]); });
        if (options.advance) options.advance(accesses.files[i].accesses.size());
      },
      options.threads);
  verdict.conflicts.resize(verdict.models.size());
  verdict.sufficient.assign(verdict.models.size(), true);
  for (const FileVerdict& one : verdict.files) {
    verdict.races += one.findings.races;
    verdict.overlaps += one.findings.overlaps;
    for (std::size_t m = 0; m < verdict.models.size(); ++m) {
      verdict.conflicts[m].add(one.findings.conflicts[m]);
      if (!one.findings.sufficient(m, verdict.models[m])) verdict.sufficient[m] = false;
    }
  }
  verdict.weakest = weakest_of(verdict.ordered, [&](std::size_t m) { return verdict.sufficient[m]; });
  return verdict;
}

}  // namespace weir::semantics
