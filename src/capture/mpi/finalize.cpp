#include "capture/mpi/finalize.hpp"

#include <csignal>
#include <cstdint>
#include <ctime>
#include <optional>
#include <type_traits>

#include <cxxabi.h>
#include <signal.h>

#include "capture/mpi/constants.hpp"
#include "capture/mpi/library.hpp"
#include "capture/mpi/messages.hpp"
#include "capture/mpi/pmpi.hpp"
#include "capture/process.hpp"
#include "trace/part.hpp"

namespace weir::capture::mpi {
namespace {

// A write beyond the program's limit on file sizes fails like one on a full disk, without the signal.
class NoSignalForLongFiles {
 public:
  NoSignalForLongFiles() {
    sigemptyset(&long_files_);
    sigaddset(&long_files_, SIGXFSZ);
    sigset_t pending{};
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &long_files_, &before_);
  }
  ~NoSignalForLongFiles() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&long_files_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSignalForLongFiles(const NoSignalForLongFiles&) = delete;
  NoSignalForLongFiles& operator=(const NoSignalForLongFiles&) = delete;

 private:
  sigset_t long_files_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

// Of one message. A world that has more to say in its tables is left to weir merge.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

// Whether all ranks want to: one that does not know of it would be waited for.
bool all_agree(bool willing) {
  const int against = willing ? 0 : 1;
  int any_against = 1;
  MPI_Request request{};
  return WEIR_PMPI(Iallreduce)(&against, &any_against, 1, the_int(), the_maximum(), world(), &request) ==
             MPI_SUCCESS &&
         all_came(request, Limit::none) && any_against == 0;
}

// Rank 0 settles it. A clock of length 0 says that it could not.
std::optional<trace::RunClock> agree_on_clock(MPI_Comm comm, int rank, const Process& process) {
  // Where it may still come to when it is not waited for any longer.
  static trace::RunClock clock{0, 0, 0};
  if (rank == 0)
    if (const auto settled =
            trace::settle_run_clock(process.settings().directory(), process.start_tick().count,
                                    static_cast<std::uint64_t>(process.number())))
      clock = *settled;
  static_assert(std::is_trivially_copyable_v<trace::RunClock>);
  MPI_Request request{};
  if (WEIR_PMPI(Ibcast)(&clock, sizeof clock / sizeof(int), the_int(), 0, comm, &request) != MPI_SUCCESS ||
      !all_came(request, Limit::patience))
    return std::nullopt;
  if (clock.nanoseconds_per_tick <= 0) return std::nullopt;
  return clock;
}

trace::RunPart own_part(const Process& process, const trace::RunClock& clock) {
  trace::MergeOptions options;
  if (!trace::take_timing_text(process.settings().merging(), options)) return {};
  auto part = trace::RunPart::of_process(process.settings().directory(), process.start_tick().count,
                                         static_cast<std::uint64_t>(process.number()), options, clock);
  return part ? std::move(*part) : trace::RunPart();
}

// In round k who has bit k in its rank gives all it has to the one without, and is done.
void merge_in_pairs(MPI_Comm comm, int rank, int size, const Process& process) {
  const auto clock = agree_on_clock(comm, rank, process);
  if (!clock) return;
  trace::RunPart part = own_part(process, *clock);
  for (int bit = 1; bit < size; bit *= 2) {
    if ((rank & bit) != 0) {
      const auto bytes = part.bytes();
      static_cast<void>(
          send_bytes(comm, rank - bit, bytes.size() <= kMostBytes ? ByteSpan(bytes) : ByteSpan()));
      return;
    }
    if (rank + bit >= size) continue;
    const auto bytes = receive_bytes(comm, rank + bit, kMostBytes);
    if (!bytes) continue;
    if (auto other = trace::RunPart::parse(*bytes)) part.join(std::move(*other));
    if (bit > INT32_MAX / 2) break;
  }
  static_cast<void>(part.write(process.settings().directory(), process.start_tick().count,
                               static_cast<std::uint64_t>(process.number())));
}

}  // namespace

void merge_the_world() {
  const Process& process = Process::current();
  const int size = library().size;
  const int rank = library().rank.load();
  if (rank < 0 || !all_agree(process.settings().merging()[0] != '\0')) return;
  // Of our own, so that no message of the program's is met; MPI_Finalize frees it, as some ranks may have
  // given up by then.
  MPI_Comm comm{};
  MPI_Request request{};
  if (WEIR_PMPI(Comm_idup)(world(), &comm, &request) != MPI_SUCCESS || !all_came(request, Limit::none))
    return;
  WEIR_PMPI(Comm_set_errhandler)(comm, errors_return());
  const NoSignalForLongFiles quiet;
  try {
    merge_in_pairs(comm, rank, size, process);
    // What the library does at its end begins with waiting for all, in its own way.
    if (WEIR_PMPI(Ibarrier)(comm, &request) == MPI_SUCCESS)
      static_cast<void>(all_came(request, Limit::patience));
  } catch (abi::__forced_unwind&) {
    throw;  // the thread is cancelled
  } catch (...) {
    // No memory, most likely: the lanes are merged later.
  }
}

}  // namespace weir::capture::mpi
