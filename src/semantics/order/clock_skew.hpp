#pragma once

#include <cstdint>
#include <string>

namespace weir::semantics {

// How far clocks may be apart, where time stamps have to tell what came first.
struct ClockSkew {
  std::int64_t margin_ns = 0;  // on two machines an end and a start must be further apart than this
  bool is_measured =
      true;  // false: some machines' clocks were never compared, and nothing is said between them
  std::size_t machines = 0;
};

}  // namespace weir::semantics
