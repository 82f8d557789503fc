#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "trace/record.hpp"

namespace weir::trace {

// Which function made calls of which inside itself. Records of a thread stand in the order in which their
// calls ended, so those made inside a call stand before it. A call counts for the nearest one above it that
// was recorded.
struct Inside {
  std::uint64_t calls = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t bytes = 0;

  void add(const Inside& other) {
    calls += other.calls;
    time_ns += other.time_ns;
    bytes += other.bytes;
  }
};
using CallPairs =
    std::map<std::pair<std::size_t, std::size_t>, Inside>;  // caller, callee: numbers of functions

// What one piece of a thread's records tells. Pieces are read side by side and joined in their order: a call
// may end in a later piece than those made inside it.
class Nesting {
 public:
  static constexpr std::size_t kDeepest = 16;  // deeper calls are not followed

  void add(std::size_t function, std::uint32_t depth, const Inside& one);
  // `later` follows this piece.
  void join(Nesting&& later);

  const CallPairs& pairs() const { return pairs_; }

 private:
  using Waiting = std::map<std::size_t, Inside>;  // by function
  struct First {
    bool seen = false;
    std::size_t function = 0;
  };

  CallPairs pairs_;
  std::array<Waiting, kDeepest> waiting_;  // by depth: calls inside one that has not ended yet
  std::array<First, kDeepest> first_;      // by depth: the first record that is no deeper
  std::size_t deepest_ = 0;                // where any may wait
};

}  // namespace weir::trace
