#pragma once

#include "burst/preload/open_file.hpp"
#include "burst/preload/table.hpp"
#include "calls/call.hpp"

namespace weir::burst::preload {

// What the file system does with a call: a specialisation has run(real, arguments...) and answers, or makes
// the real call. Calls without one go by.
template <Call C>
struct Reply {
  static constexpr bool kPasses = true;
};

// The program finds what a call of the kernel would have left.
template <class R = int, class Real>
R give(const Real& real, const Answer& answer) {
  if (answer.error != 0) real.set_errno(answer.error);
  return static_cast<R>(answer.value);
}

}  // namespace weir::burst::preload
