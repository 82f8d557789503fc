#include "semantics/conflicts.hpp"

#include <algorithm>

#include "semantics/detail/all_pairs.hpp"
#include "semantics/detail/sweep.hpp"

namespace weir::semantics {

void ConflictCounts::add(const ConflictCounts& more) {
  waw_s += more.waw_s;
  waw_d += more.waw_d;
  raw_s += more.raw_s;
  raw_d += more.raw_d;
}

FileFindings find_conflicts(const File& file, std::span<const consistency::Model> models,
                            const Precedence& precedence, const ConflictOptions& options) {
  detail::Findings findings(models.size(), file.members.size(), options);
  if (file.writers > 0) {
    detail::Judge judge(file, models, precedence);
    if (options.all_pairs)
      detail::judge_all_pairs(file, judge, findings);
    else
      detail::sweep(file, judge, findings);
  }
  return findings.take();
}

}  // namespace weir::semantics
