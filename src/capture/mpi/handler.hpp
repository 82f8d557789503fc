#pragma once

#include <tuple>
#include <type_traits>

#include <mpi.h>

#include "base/clock.hpp"
#include "capture/completing.hpp"
#include "capture/mpi/communicators.hpp"
#include "capture/mpi/finalize.hpp"
#include "capture/mpi/library.hpp"
#include "capture/mpi/recording.hpp"
#include "capture/treatment.hpp"

namespace weir {

namespace capture::mpi {

// The stack frame of the call of MPI that this thread is inside of, or 0: what the library calls there is its
// own affair. A frame that lies below a new call's is one that a longjmp left.
[[gnu::tls_model("initial-exec")]] extern thread_local constinit std::uintptr_t inside;

}  // namespace capture::mpi

// Records calls of MPI around the real ones, as CaptureHandler does with those of the C library.
struct MpiCaptureHandler {
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    using namespace capture;
    using R = decltype(real(args...));
    // What MPI does inside its own calls is not intercepted, but for files, which MPI-IO is there for: also
    // where a call completes what MPI_File_iwrite and its like began.
    [[maybe_unused]] bool completes_files = false;
    const auto call = [&](auto... passed) -> R {
      if constexpr (info(C).layer == Layer::mpi) {
        if (!info(C).completes || !completes_files) return real.quietly(passed...);
        const Completing waits(true);
        return real(passed...);
      } else {
        return real(passed...);
      }
    };
    const auto unseen = [&](auto... passed) -> R {
      if constexpr (info(C).layer == Layer::mpi) {
        if (!info(C).completes || !completes_files) return real.quietly(passed...);
        const Completing waits(true);
        return real.unseen(passed...);
      } else {
        return real.unseen(passed...);
      }
    };
    const std::uint32_t depth = real.depth();
    Process& process = Process::current();
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if ((mpi::inside != 0 && frame < mpi::inside) || !process.recording() || !mpi::library().ready())
        [[unlikely]] {
      completes_files = completing;
      if constexpr (info(C).layer == Layer::mpi)
        return unseen(args...);
      else
        return call(args...);
    }
    constexpr bool begins = is_one_of(C, "MPI_Init", "MPI_Init_thread");
    if constexpr (is(C, "MPI_Finalize")) {
      record_end<C, R>(depth, args...);
      mpi::inside = frame;
      const R result = call(args...);
      mpi::inside = 0;
      return result;
    }
    if (!process.settings().traces(info(C).layer)) [[unlikely]] {
      if constexpr (begins) process.library_threads().begin();
      mpi::inside = frame;
      const R result = around_unrecorded<C>(unseen, completes_files, args...);
      mpi::inside = 0;
      if constexpr (begins) {
        process.library_threads().end();
        if (result == MPI_SUCCESS) mpi::meet_the_world(Lane::current());
      }
      return result;
    }
    LibraryRecording<mpi::Mpi, C, R, Args...> recording(args...);
    completes_files = recording.completes_files();
    if constexpr (info(C).leaves)
      if (Lane* const lane = Lane::current()) {
        const Tick now = Clock::now();
        recording.record(*lane, depth, now, now, R{}, false);
      }
    if constexpr (begins) process.library_threads().begin();
    mpi::inside = frame;
    const Tick begin = Clock::now();
    const R result = std::apply(call, recording.passed());
    const Tick end = Clock::now();
    mpi::inside = 0;
    if constexpr (begins) process.library_threads().end();
    Lane* const lane = Lane::current();
    if constexpr (begins)
      if (result == MPI_SUCCESS) mpi::meet_the_world(lane);
    if (lane != nullptr) [[likely]]
      recording.record(*lane, depth, begin, end, result);
    else
      Lane::count_lost();
    return result;
  }

 private:
  // MPI_Finalize is recorded when all ranks have come to it, and before the library ends: what is merged
  // there then holds it. Its time is that until all were there.
  template <Call C, class R, class... Args>
  static void record_end(std::uint32_t depth, Args... args) {
    using namespace capture;
    const Tick begin = Clock::now();
    mpi::leave_the_world(Lane::current());
    if (Process::current().settings().traces(info(C).layer)) {
      LibraryRecording<mpi::Mpi, C, R, Args...> recording(args...);
      if (Lane* const lane = Lane::current())
        recording.record(*lane, depth, begin, Clock::now(), MPI_SUCCESS);
      else
        Lane::count_lost();
    }
    mpi::merge_the_world();
    Process::current().watch_exit();
  }

  // A call of a layer that is left out. What the other layer names, communicators and requests, is followed.
  template <Call C, class Unseen, class... Args>
  static auto around_unrecorded(Unseen unseen, [[maybe_unused]] bool& completes_files, Args... args) {
    using namespace capture;
    using R = decltype(unseen(args...));
    constexpr bool matters = info(C).layer == Layer::mpi && !info(C).leaves &&
                             (info(C).agrees || info(C).closes || info(C).completes);
    if constexpr (matters) {
      if (Process::current().settings().traces(Layer::mpiio)) {
        LibraryRecording<mpi::Mpi, C, R, Args...> recording(args...);
        completes_files = recording.completes_files();
        const R result = std::apply(unseen, recording.passed());
        if (Lane* const lane = Lane::current()) recording.follow(*lane, result);
        return result;
      }
    }
    return unseen(args...);
  }
};

using Handler = MpiCaptureHandler;

}  // namespace weir
