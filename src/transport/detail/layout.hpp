#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/detail/core.hpp"

// The memory that a client and its host share. Made and sealed by the host, so that nobody can shrink it
// under the other; what it holds is untrusted on both sides: every word is read once and checked.
namespace weir::transport::detail {

constexpr unsigned kSlots = 32;  // calls of one client at a time; more threads wait
constexpr unsigned kMostWorkers = 64;
constexpr std::size_t kSlotBytes = std::size_t{64} << 10U;
constexpr std::size_t kPage = 4096;
static_assert(kSlots <= 64, "a set of slots is one word");

// Whose turn it is in a slot. Who gives the turn away touches the slot no more until it comes back.
enum Turn : std::uint32_t {
  kClientsTurn = 0,
  kServersTurn = 1,
  kServersTurnWaited = 2,  // the client sleeps on the word: wake it
};

enum class Frame : std::uint32_t {
  request = 1,  // client: a message of `total` bytes begins
  next,         // client: it goes on
  more,         // server: send the next part
  answer,       // server: the answer, of `total` bytes, or its next part
  take,         // client: send the next part
  failed,       // server: there will be no answer
};

struct SlotHead {
  std::atomic<std::uint32_t> turn;
  std::atomic<std::uint32_t> frame;   // a Frame
  std::atomic<std::uint32_t> length;  // of this part
  std::atomic<std::uint32_t> seat;    // a Seat: where the client gave the turn away
  std::atomic<std::uint64_t> total;   // of the whole message
  std::uint64_t unused2;
};

// The head and the beginning of a message share a cache line: a short message costs one transfer.
struct alignas(64) Slot {
  SlotHead head;
  std::byte bytes[kSlotBytes - sizeof(SlotHead)];
};
static_assert(sizeof(Slot) == kSlotBytes && sizeof(SlotHead) == 32);
constexpr std::size_t kFrameBytes = sizeof(Slot::bytes);

struct alignas(64) ReadySlots {
  std::atomic<std::uint64_t>
      set;  // slots in which it is this worker's turn; set by the client, taken by the worker
};

// One client's memory; its private area follows.
struct ClientMemory {
  ReadySlots ready[kMostWorkers];
  Slot slots[kSlots];
};
static_assert(sizeof(ClientMemory) % kPage == 0);

struct alignas(64) WorkerWord {
  std::atomic<std::uint32_t> sleeping;  // ring its bell, an eventfd
  std::atomic<std::uint32_t> seat;      // a Seat: where it was when last awake
};
// Written by the host, read by all clients.
struct HostMemory {
  WorkerWord workers[kMostWorkers];
};
static_assert(sizeof(HostMemory) % kPage == 0);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace weir::transport::detail
