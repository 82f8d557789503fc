#pragma once

#include <tuple>
#include <type_traits>

#include <mpi.h>

#include "base/clock.hpp"
#include "capture/handler.hpp"
#include "capture/mpi/communicators.hpp"
#include "capture/mpi/library.hpp"
#include "capture/mpi/recording.hpp"

namespace weir {

namespace capture::mpi {

// Whether this thread is inside a call of MPI: what the library calls there is its own affair.
[[gnu::tls_model("initial-exec")]] extern thread_local constinit bool inside;

}  // namespace capture::mpi

// Records calls of MPI around the real ones; all others as without MPI.
struct MpiCaptureHandler {
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    if constexpr (info(C).layer != Layer::mpi && info(C).layer != Layer::mpiio)
      return CaptureHandler::around<C>(real, args...);
    else
      return around_mpi<C>([&](auto... passed) { return real.quietly(passed...); },
                           [&](auto... passed) { return real(passed...); }, real.depth(), args...);
  }

  // `quiet` calls the real function with nothing inside it intercepted, `plain` with all.
  template <Call C, class Quiet, class Plain, class... Args>
  static auto around_mpi(Quiet quiet, Plain plain, std::uint32_t depth, Args... args) {
    using namespace capture;
    using R = decltype(quiet(args...));
    const auto call = [&](auto... passed) -> R {
      if constexpr (info(C).layer == Layer::mpi)
        return quiet(passed...);
      else
        return plain(passed...);
    };
    Process& process = Process::current();
    if (mpi::inside || !process.recording() || !mpi::library().ready()) [[unlikely]]
      return call(args...);
    constexpr bool begins = is_one_of(C, "MPI_Init", "MPI_Init_thread");
    if (!process.settings().traces(info(C).layer)) {
      const R result = call(args...);
      if constexpr (begins)
        if (result == MPI_SUCCESS) mpi::meet_the_world(Lane::current());
      return result;
    }
    LibraryRecording<mpi::Mpi, C, R, Args...> recording(args...);
    if constexpr (is(C, "MPI_Finalize")) mpi::leave_the_world(Lane::current());
    if constexpr (info(C).leaves)
      if (Lane* const lane = Lane::current()) {
        const Tick now = Clock::now();
        recording.record(*lane, depth, now, now, R{}, false);
      }
    mpi::inside = true;
    const Tick begin = Clock::now();
    const R result = std::apply(call, recording.passed());
    const Tick end = Clock::now();
    mpi::inside = false;
    Lane* const lane = Lane::current();
    if constexpr (begins)
      if (result == MPI_SUCCESS) mpi::meet_the_world(lane);
    if (lane != nullptr) [[likely]]
      recording.record(*lane, depth, begin, end, result);
    else
      Lane::count_lost();
    return result;
  }
};

using Handler = MpiCaptureHandler;

}  // namespace weir
