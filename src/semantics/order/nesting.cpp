#include "semantics/order/nesting.hpp"

#include <algorithm>
#include <limits>

namespace weir::semantics {

void Nesting::add(std::uint64_t record, std::uint32_t depth) {
  std::uint64_t start = record;
  while (!open_.empty() && open_.back().depth > depth) {
    start = open_.back().start;
    open_.pop_back();
  }
  if (start != record) outer_.push_back({record, start});
  if (depth > 0 && (open_.empty() || open_.back().depth < depth)) open_.push_back({depth, start});
}

void Nesting::finish() {
  open_.clear();
  open_.shrink_to_fit();
  outer_.shrink_to_fit();
}

std::uint64_t Nesting::start_of(std::uint64_t record) const {
  const auto found =
      std::lower_bound(outer_.begin(), outer_.end(), record,
                       [](const Outer& one, std::uint64_t wanted) { return one.record < wanted; });
  return found != outer_.end() && found->record == record ? found->start : record;
}

std::uint64_t Nesting::next_outer(std::uint64_t record) const {
  const auto found =
      std::upper_bound(outer_.begin(), outer_.end(), record,
                       [](std::uint64_t wanted, const Outer& one) { return wanted < one.record; });
  return found == outer_.end() ? std::numeric_limits<std::uint64_t>::max() : found->record;
}

}  // namespace weir::semantics
