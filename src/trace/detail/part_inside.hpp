#pragma once

#include <string>

#include "trace/detail/partial.hpp"
#include "trace/part.hpp"

namespace weir::trace {

struct RunPart::Inside {
  std::string timing;
  RunClock clock;
  detail::Partial partial;
};

}  // namespace weir::trace
