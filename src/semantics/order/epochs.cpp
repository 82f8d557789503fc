#include "semantics/order/epochs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace weir::semantics {
namespace {

struct Side {
  std::uint32_t chain = 0;
  const EpochCall* epoch = nullptr;
};

// Window, and who accesses whose memory.
using Pair = std::tuple<Sequence, std::uint32_t, std::uint32_t>;

}  // namespace

void match_epochs(std::span<const ProcessActivity> processes, std::span<const std::uint32_t> chain_base,
                  Edges& edges) {
  std::map<Pair, std::vector<Side>> exposures;
  std::map<Pair, std::vector<Side>> accesses;
  std::set<Sequence> broken;
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    if (processes[p].incomplete) continue;
    std::map<Sequence, std::uint32_t> chain_of;
    for (std::uint32_t c = 0; c < processes[p].chains.size(); ++c)
      for (const EpochCall& epoch : processes[p].chains[c].epochs) {
        const Sequence& window = processes[p].sequences[epoch.sequence];
        if (chain_of.emplace(window, c).first->second != c || epoch.unknown) broken.insert(window);
        for (const std::uint32_t partner : epoch.partners) {
          const Side side{chain_base[p] + c, &epoch};
          if (epoch.exposes)
            exposures[{window, partner, p}].push_back(side);
          else
            accesses[{window, p, partner}].push_back(side);
        }
      }
  }
  for (const auto& [pair, opened] : exposures) {
    const auto found = accesses.find(pair);
    if (found == accesses.end() || broken.contains(std::get<0>(pair))) continue;
    const std::uint32_t target = std::get<2>(pair);
    for (std::size_t i = 0; i < std::min(opened.size(), found->second.size()); ++i) {
      const Side& post = opened[i];
      const Side& access = found->second[i];
      if (access.epoch->end == kNever) continue;
      if (post.epoch->end != kNever)
        edges.add({access.chain, access.epoch->end}, {post.chain, post.epoch->end});
      const auto& fetched = access.epoch->fetched;
      if (std::find(fetched.begin(), fetched.end(), target) != fetched.end())
        edges.add({post.chain, post.epoch->begin}, {access.chain, access.epoch->end});
    }
  }
}

}  // namespace weir::semantics
