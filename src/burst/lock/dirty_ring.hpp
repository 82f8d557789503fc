#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"

namespace weir::burst::lock {

// Bytes of a file that a client has written under a token, and where they lie in its log.
struct DirtyRecord {
  std::uint64_t file = 0;
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint64_t segment = 0;
  std::uint64_t position = 0;
  std::uint64_t ticket = 0;
  bool operator==(const DirtyRecord&) const = default;
};

// What one client has written and its node's agent has not yet told the owners. It lies in memory that both
// map and that outlives both, so a client that is busy or dead keeps nobody waiting, and an agent that is
// killed forgets nothing. The client puts records in, the agent takes them out in any order: a record stays
// until it is retired, and its place is free once those before it are.
//
// One thread at a time on each side.
class DirtyRing {
 public:
  static constexpr std::size_t size_bytes(std::uint64_t records) {
    return sizeof(Header) + records * sizeof(Cell);
  }
  // On zeroed memory aligned to a cache line; as many records as fit.
  static Result<DirtyRing> create(std::span<std::byte> memory, std::uint64_t client);
  static Result<DirtyRing> open(std::span<std::byte> memory);

  std::uint64_t client() const { return header_->client.load(std::memory_order_relaxed); }
  std::uint64_t capacity() const { return capacity_; }

  // Of the client.

  std::uint64_t free() const;
  bool push(const DirtyRecord& record);  // false when it is full
  // While it lives the agent knows that records are coming. What is looked at next (whether the board is
  // closed) is looked at after it is known: the agent closes first and looks here then.
  class Pushing {
   public:
    explicit Pushing(DirtyRing& ring) : pushing_(ring.header_->pushing) { pushing_.store(1); }
    ~Pushing() { pushing_.store(0, std::memory_order_release); }
    Pushing(const Pushing&) = delete;
    Pushing& operator=(const Pushing&) = delete;

   private:
    std::atomic<std::uint64_t>& pushing_;
  };
  // One access more that its node's tokens served without a message.
  void count_local() { header_->local.store(local() + 1, std::memory_order_relaxed); }

  // Of the agent. Places count from zero without end.

  std::uint64_t begin() const { return header_->tail.load(std::memory_order_relaxed); }
  std::uint64_t end() const { return header_->head.load(std::memory_order_acquire); }
  DirtyRecord at(std::uint64_t place) const;  // file 0: retired
  void retire(std::uint64_t place);
  bool is_pushing() const { return header_->pushing.load() != 0; }
  std::uint64_t local() const { return header_->local.load(std::memory_order_relaxed); }

 private:
  using Number = std::atomic<std::uint64_t>;
  struct alignas(64) Header {
    Number magic;
    Number capacity;
    Number client;
    Number local;
    alignas(64) Number head;  // of the client
    Number pushing;
    alignas(64) Number tail;  // of the agent
  };
  struct Cell {
    Number file;
    Number begin;
    Number length;
    Number segment;
    Number position;
    Number ticket;
  };

  DirtyRing(std::span<std::byte> memory, std::uint64_t capacity);
  Cell& cell(std::uint64_t place) const { return cells_[place % capacity_]; }

  std::uint64_t capacity_;
  Header* header_;
  Cell* cells_;
};

}  // namespace weir::burst::lock
