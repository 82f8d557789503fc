#include "trace/nesting.hpp"

#include <algorithm>

namespace weir::trace {

void Nesting::add(std::size_t function, std::uint32_t depth, const Inside& one) {
  if (depth >= kDeepest) return;
  for (std::size_t level = depth; level < kDeepest && !first_[level].seen; ++level)
    first_[level] = {true, function};
  for (std::size_t deeper = depth + 1; deeper <= deepest_; ++deeper) {
    for (const auto& [callee, inside] : waiting_[deeper]) pairs_[{function, callee}].add(inside);
    waiting_[deeper].clear();
  }
  deepest_ = depth;
  if (depth > 0) waiting_[depth][function].add(one);
}

void Nesting::join(Nesting&& later) {
  for (const auto& [pair, inside] : later.pairs_) pairs_[pair].add(inside);
  for (std::size_t depth = 1; depth < kDeepest; ++depth) {
    const First& end = later.first_[depth - 1];
    if (end.seen) {
      for (const auto& [callee, inside] : waiting_[depth]) pairs_[{end.function, callee}].add(inside);
      waiting_[depth] = std::move(later.waiting_[depth]);
    } else {
      for (const auto& [callee, inside] : later.waiting_[depth]) waiting_[depth][callee].add(inside);
    }
  }
  for (std::size_t level = 0; level < kDeepest; ++level)
    if (!first_[level].seen) first_[level] = later.first_[level];
  deepest_ = std::max(deepest_, later.deepest_);
}

}  // namespace weir::trace
