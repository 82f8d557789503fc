#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace weir {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Optimal string alignment: three rolling rows of the Damerau-Levenshtein table.
  std::vector<std::size_t> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[to.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (best == nullptr || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  const std::size_t tolerated = std::max<std::size_t>(1, word.size() / 3 + (word.size() > 2 ? 1 : 0));
  if (best == nullptr || best_distance > tolerated || best_distance >= word.size()) return std::nullopt;
  return *best;
}

}  // namespace weir
