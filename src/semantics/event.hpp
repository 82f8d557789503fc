#pragma once

#include <compare>
#include <cstdint>

namespace weir::semantics {

// One record of a trace: the index of its process in the trace, of its thread in the process, of the record
// in the thread.
struct Event {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint64_t record = 0;
  friend auto operator<=>(const Event&, const Event&) = default;
};

}  // namespace weir::semantics
