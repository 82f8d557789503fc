#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "transport/detail/layout.hpp"

namespace weir::transport::detail {

// Which slots a client's threads use; known to this process only.
class SlotPool {
 public:
  explicit SlotPool(ClientMemory& memory) : memory_(memory) {}

  // A free one, waiting until `deadline` if need be.
  std::optional<unsigned> take(std::chrono::steady_clock::time_point deadline);
  // After use. When it is still the server's turn there, nobody gets it until that has come back.
  void give_back(unsigned slot);

 private:
  static std::uint64_t bit(unsigned slot) { return std::uint64_t{1} << slot; }
  std::optional<unsigned> try_take();
  void reclaim();
  void free(unsigned slot);

  ClientMemory& memory_;
  std::atomic<std::uint64_t> free_ = kSlots == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << kSlots) - 1;
  std::atomic<std::uint64_t> abandoned_ = 0;
  std::atomic<std::uint32_t> waiting_ = 0;
  std::atomic<std::uint32_t> freed_ = 0;  // counts; what waiting threads sleep on
};

// A slot in use.
class SlotUse {
 public:
  SlotUse(SlotPool& pool, unsigned slot) : pool_(pool), slot_(slot) {}
  SlotUse(const SlotUse&) = delete;
  SlotUse& operator=(const SlotUse&) = delete;
  ~SlotUse() { pool_.give_back(slot_); }

 private:
  SlotPool& pool_;
  unsigned slot_;
};

}  // namespace weir::transport::detail
