#include "trace/bytes_inside.hpp"

#include <algorithm>

namespace weir::trace {

void BytesInside::add(std::size_t function, std::uint32_t depth, const Bytes& moved) {
  if (depth >= kDeepest) return;
  for (std::size_t level = depth; level < kDeepest && !first_[level].seen; ++level)
    first_[level] = {true, depth, function};
  if (depth < waiting_to_) {
    if (waiting_[depth].any()) functions_[function].add(waiting_[depth]);
    for (std::size_t level = depth; level < waiting_to_; ++level) waiting_[level] = {};
    waiting_to_ = depth;
  }
  if (!moved.any()) return;
  for (std::size_t level = 0; level < depth; ++level) waiting_[level].add(moved);
  waiting_to_ = std::max<std::size_t>(waiting_to_, depth);
}

void BytesInside::join(BytesInside&& later) {
  for (const auto& [function, bytes] : later.functions_) functions_[function].add(bytes);
  for (std::size_t level = 0; level < kDeepest; ++level) {
    const First& end = later.first_[level];
    if (!end.seen) {
      waiting_[level].add(later.waiting_[level]);
      continue;
    }
    // A call that ended higher up took the others along.
    if (end.depth == level && waiting_[level].any()) functions_[end.function].add(waiting_[level]);
    waiting_[level] = later.waiting_[level];
    if (!first_[level].seen) first_[level] = end;
  }
  waiting_to_ = kDeepest;
  while (waiting_to_ > 0 && !waiting_[waiting_to_ - 1].any()) --waiting_to_;
}

}  // namespace weir::trace
