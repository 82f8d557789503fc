#include "trace/rank_gaps.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

namespace weir::trace {

RankGaps rank_gaps(std::span<const ProcessInfo> processes) {
  std::map<std::int64_t, std::set<std::int64_t>> worlds;  // the ranks that are there, by size
  std::set<std::int64_t> unfinished;
  for (const ProcessInfo& process : processes) {
    if (process.rank < 0 || process.world_size <= 0) continue;
    worlds[process.world_size].insert(process.rank);
    if (process.clock_at_init && !process.clock_at_finalize) unfinished.insert(process.rank);
  }
  std::set<std::int64_t> missing;
  for (const auto& [size, there] : worlds) {
    std::int64_t next = 0;
    for (const std::int64_t rank : there) {
      for (; next < rank; ++next) missing.insert(next);
      next = rank + 1;
    }
    for (; next < size; ++next) missing.insert(next);
  }
  RankGaps gaps;
  gaps.missing.assign(missing.begin(), missing.end());
  gaps.unfinished.assign(unfinished.begin(), unfinished.end());
  return gaps;
}

std::string list_of_ranks(std::span<const std::int64_t> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    if (end - i > 2)
      fmt::format_to(std::back_inserter(text), "{}-{}", ranks[i], ranks[end - 1]);
    else if (end - i == 2)
      fmt::format_to(std::back_inserter(text), "{}, {}", ranks[i], ranks[end - 1]);
    else
      fmt::format_to(std::back_inserter(text), "{}", ranks[i]);
    i = end;
  }
  return text;
}

}  // namespace weir::trace
