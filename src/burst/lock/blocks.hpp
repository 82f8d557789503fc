#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace weir::burst::lock {

// Blocks of a file, `end` not among them. A token that reaches kLastBlock covers whatever the file grows to.
inline constexpr std::uint64_t kLastBlock = ~std::uint64_t{0};
inline constexpr std::uint64_t kBlockSize = 4096;

struct Blocks {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool empty() const { return begin >= end; }
  bool overlaps(const Blocks& other) const { return begin < other.end && other.begin < end; }
  bool covers(const Blocks& other) const { return begin <= other.begin && other.end <= end; }
  bool operator==(const Blocks&) const = default;
  static constexpr auto fields = std::tuple{&Blocks::begin, &Blocks::end};
};

// The blocks that `size` bytes from `offset` on touch: a part of a block counts whole.
constexpr Blocks blocks_of(std::uint64_t offset, std::uint64_t size, std::uint64_t block_size = kBlockSize) {
  if (size == 0) return {offset / block_size, offset / block_size};
  return {offset / block_size, (offset + size - 1) / block_size + 1};
}

// A set of blocks as disjoint runs; runs that touch are one.
class BlockSet {
 public:
  void add(Blocks blocks);
  void remove(Blocks blocks);
  void clear() { runs_.clear(); }

  bool empty() const { return runs_.empty(); }
  bool covers(Blocks blocks) const;
  bool overlaps(Blocks blocks) const;
  // The whole runs that overlap, and the parts of them that lie within, ascending.
  std::vector<Blocks> runs_over(Blocks blocks) const;
  std::vector<Blocks> within(Blocks blocks) const;
  std::vector<Blocks> runs() const { return runs_over({0, kLastBlock}); }
  // How far [x, block) and [block, x) are free of the set.
  std::uint64_t free_below(std::uint64_t block) const;
  std::uint64_t free_above(std::uint64_t block) const;

 private:
  std::map<std::uint64_t, std::uint64_t>::const_iterator first_over(std::uint64_t block) const;

  std::map<std::uint64_t, std::uint64_t> runs_;  // begin to end
};

}  // namespace weir::burst::lock
