#include "capture/mpi/messages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>

#include <sched.h>

#include "base/clock.hpp"
#include "capture/mpi/constants.hpp"
#include "capture/mpi/pmpi.hpp"

namespace weir::capture::mpi {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kChunk = std::size_t{16} << 20;  // ints of one message

enum class End { done, failed, late };

// Many ranks may share a core: who waits lets others work.
End wait(MPI_Request& request, Limit limit) {
  constexpr int kBusy = 1000;
  const Nanoseconds begin = Clock::monotonic();
  for (int round = 0;; ++round) {
    int done = 0;
    if (WEIR_PMPI(Test)(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return End::failed;
    if (done != 0) return End::done;
    if (round < kBusy) {
      sched_yield();
      continue;
    }
    if (limit == Limit::patience && (Clock::monotonic() - begin).count / 1'000'000'000 >= kPatience)
      return End::late;
    const timespec moment{0, 100'000};
    nanosleep(&moment, nullptr);
  }
}

bool completes(MPI_Request& request) {
  const End end = wait(request, Limit::patience);
  if (end == End::late) WEIR_PMPI(Cancel)(&request);
  return end == End::done;
}

using Ints = std::vector<int>;

// Memory that a message may still be written to or read from is not given back.
void leave(Ints&& ints) { static_cast<void>(std::make_unique<Ints>(std::move(ints)).release()); }

bool send_ints(MPI_Comm comm, int to, Ints&& ints) {
  for (std::size_t at = 0; at < ints.size(); at += kChunk) {
    MPI_Request request{};
    const auto count = static_cast<int>(std::min(kChunk, ints.size() - at));
    if (WEIR_PMPI(Isend)(ints.data() + at, count, the_int(), to, kTag, comm, &request) != MPI_SUCCESS)
      return false;
    if (completes(request)) continue;
    leave(std::move(ints));
    return false;
  }
  return true;
}

bool receive_ints(MPI_Comm comm, int from, Ints& ints) {
  for (std::size_t at = 0; at < ints.size(); at += kChunk) {
    MPI_Request request{};
    const auto count = static_cast<int>(std::min(kChunk, ints.size() - at));
    if (WEIR_PMPI(Irecv)(ints.data() + at, count, the_int(), from, kTag, comm, &request) != MPI_SUCCESS)
      return false;
    if (completes(request)) continue;
    leave(std::move(ints));
    return false;
  }
  return true;
}

constexpr std::size_t kLengthInts = sizeof(std::uint64_t) / sizeof(int);

}  // namespace

bool all_came(MPI_Request& request, Limit limit) { return wait(request, limit) == End::done; }

bool send_bytes(MPI_Comm comm, int to, ByteSpan bytes) {
  const std::uint64_t length = bytes.size();
  Ints head(kLengthInts);
  std::memcpy(head.data(), &length, sizeof length);
  Ints body((bytes.size() + sizeof(int) - 1) / sizeof(int));
  if (!bytes.empty()) std::memcpy(body.data(), bytes.data(), bytes.size());
  return send_ints(comm, to, std::move(head)) && send_ints(comm, to, std::move(body));
}

std::optional<std::vector<std::byte>> receive_bytes(MPI_Comm comm, int from, std::size_t most) {
  std::uint64_t length = 0;
  Ints head(kLengthInts);
  if (!receive_ints(comm, from, head)) return std::nullopt;
  std::memcpy(&length, head.data(), sizeof length);
  if (length > most) return std::nullopt;
  Ints body((length + sizeof(int) - 1) / sizeof(int));
  if (!receive_ints(comm, from, body)) return std::nullopt;
  std::vector<std::byte> bytes(length);
  if (length > 0) std::memcpy(bytes.data(), body.data(), length);
  return bytes;
}

}  // namespace weir::capture::mpi
