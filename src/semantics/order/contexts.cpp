#include "semantics/order/contexts.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace weir::semantics {
namespace {

constexpr std::uint64_t kMostMembers = std::uint64_t{1} << 24;

// Members as ranks in the world, as long as they can be true.
std::optional<std::vector<std::int64_t>> expand(const std::vector<trace::live::RankRun>& runs) {
  std::vector<std::int64_t> ranks;
  for (const trace::live::RankRun& run : runs) {
    if (run.count < 0 || ranks.size() + static_cast<std::uint64_t>(run.count) > kMostMembers)
      return std::nullopt;
    for (std::int64_t i = 0; i < run.count; ++i) ranks.push_back(run.first + i * run.stride);
  }
  return ranks;
}

std::vector<std::uint32_t> processes_of(const std::vector<std::int64_t>& ranks, const Context& world) {
  std::vector<std::uint32_t> processes;
  processes.reserve(ranks.size());
  const auto& all = world.groups[0];
  for (const std::int64_t rank : ranks)
    processes.push_back(rank >= 0 && rank < static_cast<std::int64_t>(all.size())
                            ? all[static_cast<std::size_t>(rank)]
                            : Context::kAbsent);
  return processes;
}

bool is_mirror(const trace::Communicator& a, const trace::Communicator& b) {
  return a.id == b.id && a.is_inter() && b.is_inter() && a.members == b.remote && a.remote == b.members;
}

}  // namespace

Contexts::Contexts(const trace::TraceFile& trace) {
  worlds_.resize(trace.processes().size());
  made_.resize(trace.processes().size());
  find_worlds(trace);
  first_self_ = static_cast<std::uint32_t>(contexts_.size());
  contexts_.resize(contexts_.size() + trace.processes().size());
  for (std::uint32_t p = 0; p < trace.processes().size(); ++p) contexts_[first_self_ + p].groups[0] = {p};
  find_communicators(trace);
}

Place Contexts::self(std::uint32_t process) const { return {first_self_ + process, 0, 0}; }

Place Contexts::find(std::uint32_t process, std::int64_t id) const {
  const auto found = made_[process].find(id);
  return found == made_[process].end() ? Place{} : found->second;
}

// Worlds are told apart by their sizes: a trace has the rank and the size, not who started together. Two
// worlds of one size cannot be told apart, and then nothing is said about either.
void Contexts::find_worlds(const trace::TraceFile& trace) {
  std::map<std::int64_t, std::vector<std::uint32_t>> by_size;
  for (std::uint32_t p = 0; p < trace.processes().size(); ++p) {
    const trace::ProcessInfo& process = trace.processes()[p];
    if (process.rank >= 0 && process.world_size > process.rank &&
        process.world_size <= static_cast<std::int64_t>(kMostMembers))
      by_size[process.world_size].push_back(p);
  }
  for (const auto& [size, processes] : by_size) {
    Context world;
    world.groups[0].assign(static_cast<std::size_t>(size), Context::kAbsent);
    bool twice = false;
    for (const std::uint32_t p : processes) {
      std::uint32_t& place = world.groups[0][static_cast<std::size_t>(trace.processes()[p].rank)];
      twice = twice || place != Context::kAbsent;
      place = p;
    }
    if (twice) {
      notes_.push_back(
          fmt::format("there are several worlds of {} ranks; which process belongs to which is not in the "
                      "trace, so their calls order nothing",
                      size));
      continue;
    }
    for (const std::uint32_t p : processes)
      worlds_[p] = {static_cast<std::uint32_t>(contexts_.size()), 0,
                    static_cast<std::uint32_t>(trace.processes()[p].rank)};
    contexts_.push_back(std::move(world));
  }
}

void Contexts::find_communicators(const trace::TraceFile& trace) {
  const auto all = trace.communicators();
  // Of an inter-communicator each group has an entry of its own: the first of the two stands for both.
  std::map<std::uint32_t, std::vector<std::uint32_t>> inter_by_id;
  std::vector<std::uint32_t> canonical(all.size());
  for (std::uint32_t c = 0; c < all.size(); ++c) {
    canonical[c] = c;
    if (!all[c].is_inter()) continue;
    auto& others = inter_by_id[all[c].id];
    for (const std::uint32_t other : others)
      if (is_mirror(all[other], all[c])) canonical[c] = other;
    others.push_back(c);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // by world and entry
  for (std::uint32_t p = 0; p < trace.processes().size(); ++p) {
    if (!worlds_[p].known()) continue;
    const std::int64_t rank = trace.processes()[p].rank;
    for (const std::uint32_t c : trace.processes()[p].communicators) {
      const auto own_rank = all[c].rank_of(rank);
      if (!own_rank) continue;
      const trace::Communicator& first = all[canonical[c]];
      const auto [found, fresh] = known.emplace(std::pair(worlds_[p].context, canonical[c]), Place::kNone);
      if (fresh) {
        const auto members = expand(first.members);
        const auto remote = expand(first.remote);
        if (!members || !remote) continue;
        Context context;
        context.groups[0] = processes_of(*members, contexts_[worlds_[p].context]);
        context.groups[1] = processes_of(*remote, contexts_[worlds_[p].context]);
        found->second = static_cast<std::uint32_t>(contexts_.size());
        contexts_.push_back(std::move(context));
      }
      if (found->second == Place::kNone) continue;
      made_[p][all[c].id] = {found->second, c == canonical[c] ? 0U : 1U,
                             static_cast<std::uint32_t>(*own_rank)};
    }
  }
}

}  // namespace weir::semantics
