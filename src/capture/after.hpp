#pragma once

#include "capture/process.hpp"
#include "capture/treatment.hpp"

namespace weir::capture {

// What a few calls change besides their own handle.
template <Call C, class R, class... Args>
void after([[maybe_unused]] R result, [[maybe_unused]] Args... args) {
  if (Lane::in_vforked_child()) return;  // it is the child's own directory and descriptors that change
  if constexpr (is_one_of(C, "chdir", "fchdir")) {
    if (result == 0) Process::current().directory_changed();
  } else if constexpr (is(C, "close_range")) {
    const std::tuple<Args...> all(args...);
    constexpr int kOnExecOnly = 4;  // CLOSE_RANGE_CLOEXEC
    if (result == 0 && (std::get<2>(all) & kOnExecOnly) == 0)
      Process::current().handles().close_range(std::get<0>(all), std::get<1>(all));
  } else if constexpr (is(C, "closefrom")) {
    const std::tuple<Args...> all(args...);
    Process::current().handles().close_range(static_cast<unsigned>(std::get<0>(all)), ~0U);
  }
}

}  // namespace weir::capture
