#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "base/clock.hpp"
#include "calls/call.hpp"
#include "capture/lane.hpp"
#include "capture/process.hpp"
#include "capture/untyped/recording.hpp"

namespace weir {

// Records calls of HDF5, NetCDF and PnetCDF around the real ones. What those do inside, MPI-IO and the C
// library's calls, is recorded one level deeper.
struct UntypedCaptureHandler {
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    using namespace capture;
    using R = decltype(real(args...));
    static_assert(!std::is_void_v<R>, "a row without a result");
    Process& process = Process::current();
    if (!process.recording() || !process.settings().traces(info(C).layer) ||
        !library_of(info(C).layer).ready()) [[unlikely]]
      return real.unseen(args...);
    static constexpr std::array<Form, sizeof...(Args)> forms{form_of<Args>()...};
    const std::array<std::uint64_t, sizeof...(Args)> given{capture::bits_of(args)...};
    UntypedRecording recording(C, forms, given);
    const Tick begin = Clock::now();
    const R result = real(args...);
    const Tick end = Clock::now();
    if (Lane* const lane = Lane::current()) [[likely]]
      recording.record(*lane, real.depth(), begin, end, form_of<R>(), capture::bits_of(result));
    else
      Lane::count_lost();
    return result;
  }
};

using Handler = UntypedCaptureHandler;

}  // namespace weir
