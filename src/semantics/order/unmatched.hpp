#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/event.hpp"

namespace weir::semantics {

// A call of MPI that takes part in no order, though it should.
struct Unmatched {
  Event event;
  std::string function;
  std::string why;
};

// All of them are counted, the first are kept.
struct UnmatchedList {
  static constexpr std::size_t kMostKept = 10'000;

  std::vector<Unmatched> kept;
  std::uint64_t count = 0;
};

}  // namespace weir::semantics
