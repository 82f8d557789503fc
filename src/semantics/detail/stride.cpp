#include "semantics/detail/stride.hpp"

#include <algorithm>
#include <map>

namespace weir::semantics::detail {
namespace {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t length() const { return end - begin; }
};

// Neighbours that follow each other without a gap are one request that a loop cut into pieces.
std::vector<Range> joined(const std::vector<const Access*>& accesses) {
  std::vector<Range> ranges;
  for (const Access* const one : accesses) {
    if (!ranges.empty() && ranges.back().end == one->begin)
      ranges.back().end = one->end;
    else
      ranges.push_back({one->begin, one->end});
  }
  return ranges;
}

// The length that most bytes are moved with.
std::int64_t usual_length(const std::vector<std::vector<Range>>& all) {
  std::map<std::int64_t, std::int64_t> bytes;
  for (const auto& ranges : all)
    for (const Range& range : ranges) bytes[range.length()] += range.length();
  const auto most = std::max_element(bytes.begin(), bytes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes.end() ? 0 : most->first;
}

}  // namespace

std::optional<Stride> find_stride(const std::vector<std::vector<const Access*>>& accesses) {
  if (accesses.size() < 2) return std::nullopt;
  std::vector<std::vector<Range>> all;
  std::int64_t bytes = 0;
  for (const auto& one : accesses) {
    all.push_back(joined(one));
    for (const Range& range : all.back()) bytes += range.length();
  }
  Stride found;
  found.length = usual_length(all);
  for (auto& ranges : all)
    std::erase_if(ranges, [&](const Range& one) { return one.length() != found.length; });
  const std::size_t phases = all.front().size();
  const bool in_step =
      std::all_of(all.begin(), all.end(), [&](const auto& one) { return one.size() == phases; });
  if (phases == 0 || !in_step) return std::nullopt;
  const auto covered = found.length * static_cast<std::int64_t>(phases * all.size());
  if (covered * 10 < bytes * 9) return std::nullopt;
  found.first = all[0][0].begin;
  found.stride = all[1][0].begin - found.first;
  found.phases = phases;
  if (phases > 1) found.cycle = all[0][1].begin - found.first;
  if (found.stride == 0) return std::nullopt;  // all access the same
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t phase = 0; phase < phases; ++phase)
      if (all[i][phase].begin != found.first + static_cast<std::int64_t>(i) * found.stride +
                                     static_cast<std::int64_t>(phase) * found.cycle)
        return std::nullopt;
  return found;
}

}  // namespace weir::semantics::detail
