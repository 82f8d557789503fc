#pragma once

#include <cstdint>

#include "semantics/event.hpp"

namespace weir::semantics {

// A call with its times on the clock of rank 0.
struct Moment {
  Event event;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// What is known of the order in which calls of different processes happened.
class Precedence {
 public:
  virtual ~Precedence() = default;
  // Whether the first had ended, in every run that went the same way, before the second began. Processes
  // differ.
  virtual bool before(const Moment& first, const Moment& second) const = 0;
};

}  // namespace weir::semantics
