#include "calls/host/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

namespace weir::host {
namespace {

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kMostErrors = 2;

// Insertions, deletions and replacements from one word to the other (Levenshtein), row by row.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[to.size()];
}

}  // namespace

std::string Problem::to_string() const { return fmt::format("{}:{}: {}", file, line, text); }

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t errors = kMostErrors + 1;
  for (const std::string_view candidate : known) {
    const std::size_t d = distance(word, candidate);
    if (d < errors && d < candidate.size()) {
      errors = d;
      best = candidate;
    }
  }
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'", best);
}

}  // namespace weir::host
