#pragma once

#include <cerrno>
#include <cstddef>
#include <type_traits>

#include "base/clock.hpp"
#include "calls/call.hpp"
#include "capture/after.hpp"
#include "capture/completing.hpp"
#include "capture/lane.hpp"
#include "capture/real_call.hpp"
#include "capture/recording.hpp"

namespace weir {

// Records every call around the real one. Allocates nothing, prints nothing, leaves errno as the call left
// it. Not noexcept: a thread cancelled inside the real call unwinds through here.
struct CaptureHandler {
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    using R = decltype(real(args...));
    using Kept = std::conditional_t<std::is_void_v<R>, std::nullptr_t, R>;
    if (!capture::Process::current().recording()) [[unlikely]]
      return real(args...);
    capture::Recording<C, Kept, Args...> recording(args...);
    if constexpr (info(C).leaves) {
      if (!capture::Process::current().settings().traces(info(C).layer)) {
      } else if (capture::Lane* const lane = capture::Lane::current())
        recording.record_leaving(*lane, real.depth(), Clock::now());
    }
    // By the lane it inherits a child finds out that it is one.
    if constexpr (C == Call::fork || C == Call::_Fork || C == Call::forkpty || C == Call::daemon)
      if (capture::Process::current().settings().traces(info(C).layer))
        static_cast<void>(capture::Lane::current());
    if constexpr (info(C).closes) recording.introduce_closing();
    const Tick begin = Clock::now();
    const Kept result = [&]() -> Kept {
      if constexpr (std::is_void_v<R>) {
        capture::call_real<C>(real, args...);
        return nullptr;
      } else {
        return capture::call_real<C>(real, args...);
      }
    }();
    const Tick end = Clock::now();
    bool wanted = capture::Process::current().settings().traces(info(C).layer) && !recording.ignored();
    if constexpr (C == Call::aio_error)
      if (capture::completing && result == EINPROGRESS) wanted = false;
    capture::Lane* lane = wanted ? capture::Lane::current() : nullptr;
    if (wanted && lane == nullptr) [[unlikely]]
      capture::Lane::count_lost();
    if (lane != nullptr && capture::Process::current().settings().filters()) [[unlikely]] {
      if (recording.names_left_out(*lane, result, real.error())) lane = nullptr;
    }
    if (lane != nullptr) [[likely]]
      recording.record(*lane, real.depth(), begin, end, result, real.error());
    else
      recording.follow(result, real.error());
    capture::after<C>(result, args...);
    if constexpr (!std::is_void_v<R>) return result;
  }
};

}  // namespace weir
