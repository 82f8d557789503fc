#include "semantics/order/lineage.hpp"

#include <vector>

namespace weir::semantics {

void add_lineage(std::span<const trace::ProcessInfo> about, std::span<const ProcessActivity> processes,
                 std::span<const std::uint32_t> chain_base, Edges& edges) {
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const std::int64_t parent = about[p].parent;
    if (parent < 0 || parent >= static_cast<std::int64_t>(processes.size()) ||
        parent == static_cast<std::int64_t>(p))
      continue;
    const auto from = static_cast<std::size_t>(parent);
    const auto& chains = processes[from].chains;
    std::vector<Source> sources;
    for (std::uint32_t c = 0; c < chains.size(); ++c) {
      if (about[from].number == about[p].number)
        sources.push_back({chain_base[from] + c, Source::kEnd});
      else
        for (const Fork& fork : chains[c].forks)
          if (fork.child == about[p].number) sources.push_back({chain_base[from] + c, fork.point});
    }
    // A number that was given twice tells nothing.
    if (about[from].number != about[p].number && sources.size() != 1) continue;
    for (const Source& source : sources)
      for (std::uint32_t c = 0; c < processes[p].chains.size(); ++c)
        edges.add(source, {chain_base[p] + c, Target::kBegin});
  }
}

}  // namespace weir::semantics
