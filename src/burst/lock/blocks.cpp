#include "burst/lock/blocks.hpp"

#include <algorithm>
#include <iterator>

namespace weir::burst::lock {

// The first run that ends behind `block`.
std::map<std::uint64_t, std::uint64_t>::const_iterator BlockSet::first_over(std::uint64_t block) const {
  auto run = runs_.upper_bound(block);
  if (run != runs_.begin() && std::prev(run)->second > block) --run;
  return run;
}

void BlockSet::add(Blocks blocks) {
  if (blocks.empty()) return;
  auto run = runs_.upper_bound(blocks.begin);
  if (run != runs_.begin() && std::prev(run)->second >= blocks.begin) --run;
  while (run != runs_.end() && run->first <= blocks.end) {
    blocks.begin = std::min(blocks.begin, run->first);
    blocks.end = std::max(blocks.end, run->second);
    run = runs_.erase(run);
  }
  runs_.emplace_hint(run, blocks.begin, blocks.end);
}

void BlockSet::remove(Blocks blocks) {
  for (const Blocks& run : runs_over(blocks)) {
    runs_.erase(run.begin);
    if (run.begin < blocks.begin) runs_.emplace(run.begin, blocks.begin);
    if (run.end > blocks.end) runs_.emplace(blocks.end, run.end);
  }
}

bool BlockSet::covers(Blocks blocks) const {
  const auto run = first_over(blocks.begin);
  return run != runs_.end() && run->first <= blocks.begin && blocks.end <= run->second;
}

bool BlockSet::overlaps(Blocks blocks) const {
  if (blocks.empty()) return false;
  const auto run = first_over(blocks.begin);
  return run != runs_.end() && run->first < blocks.end;
}

std::vector<Blocks> BlockSet::runs_over(Blocks blocks) const {
  std::vector<Blocks> found;
  if (blocks.empty()) return found;
  for (auto run = first_over(blocks.begin); run != runs_.end() && run->first < blocks.end; ++run)
    found.push_back({run->first, run->second});
  return found;
}

std::vector<Blocks> BlockSet::within(Blocks blocks) const {
  std::vector<Blocks> found = runs_over(blocks);
  for (Blocks& run : found) run = {std::max(run.begin, blocks.begin), std::min(run.end, blocks.end)};
  return found;
}

std::uint64_t BlockSet::free_below(std::uint64_t block) const {
  const auto next = runs_.lower_bound(block);
  if (next == runs_.begin()) return 0;
  return std::min(block, std::prev(next)->second);
}

std::uint64_t BlockSet::free_above(std::uint64_t block) const {
  const auto next = first_over(block);
  if (next == runs_.end()) return kLastBlock;
  return std::max(block, next->first);
}

}  // namespace weir::burst::lock
