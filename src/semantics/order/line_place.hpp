#pragma once

#include <cstdint>
#include <limits>

namespace weir::semantics {

// Where a call stands in a line of all calls of a program that never puts one before what it comes after.
// Times decide as far as they do not contradict the order: by the later of a call's own time and `after_ns`,
// then by `number`, and within a thread by its records.
struct LinePlace {
  static constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

  std::int64_t after_ns = kFirst;  // when something before it started, on the clock of rank 0
  std::uint32_t number = 0;
  std::uint64_t until_record =
      0;  // all records of the thread from the one asked about to this one stand there
};

}  // namespace weir::semantics
