#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::semantics {

// Which calls of a stream were made inside which. A stream has its records in the order in which they ended;
// a call begins after the records before start_of(it) have ended.
class Nesting {
 public:
  // The next record of the stream, at its depth.
  void add(std::uint64_t record, std::uint32_t depth);
  // Another thread goes on: what the last one left open holds nothing of it.
  void change_thread() { open_.clear(); }
  void finish();

  std::uint64_t start_of(std::uint64_t record) const;
  // The first record behind it that holds others.
  std::uint64_t next_outer(std::uint64_t record) const;
  std::size_t bytes() const { return outer_.capacity() * sizeof(Outer); }

 private:
  struct Outer {
    std::uint64_t record;
    std::uint64_t start;
  };
  struct Open {
    std::uint32_t depth;
    std::uint64_t start;
  };
  std::vector<Outer> outer_;  // calls with others inside, in their order
  std::vector<Open> open_;    // while adding: what a shallower call may turn out to hold
};

}  // namespace weir::semantics
