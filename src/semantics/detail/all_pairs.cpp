#include "semantics/detail/all_pairs.hpp"

#include <algorithm>
#include <numeric>

namespace weir::semantics::detail {

void judge_all_pairs(const File& file, Judge& judge, Findings& findings) {
  const auto& all = file.accesses;
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return all[a].begin != all[b].begin ? all[a].begin < all[b].begin : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size() && all[order[j]].begin < all[order[i]].end; ++j) {
      const Access& one = all[std::min(order[i], order[j])];  // by time
      const Access& other = all[std::max(order[i], order[j])];
      if (!one.writes() && !other.writes()) continue;
      const Judgement judgement = judge.judge(one, other);
      findings.pair(one, other, judgement);
      if (judgement.order == Judgement::Order::unordered)
        findings.count_race();
      else if (judgement.order == Judgement::Order::first)
        findings.count(Findings::kind_of(one, other), judgement.conflicts);
      else
        findings.count(Findings::kind_of(other, one), judgement.conflicts);
    }
}

}  // namespace weir::semantics::detail
