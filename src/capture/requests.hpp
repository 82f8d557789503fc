#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "capture/objects.hpp"

namespace weir::capture {

// Requests that were started and not yet completed. Each gets the lowest free number of a pool that belongs
// to the signature of the call which started it, so that completing in another order changes no number. A
// library may give one handle to several requests that are complete already (MPICH does): the oldest is found
// first.
class Requests {
 public:
  struct Request {
    std::uint64_t bits = 0;
    std::uint32_t id = 0;     // pool times kPerPool, plus its number there
    std::uint32_t order = 0;  // of its birth, and never 0
    bool receives = false;    // its status tells who sent
    bool persistent = false;
    bool of_file = false;  // it moves data of a file
    bool shared = false;   // there were others with the same bits when it was found

    bool known() const { return order != 0; }
  };
  static constexpr std::uint32_t kPerPool = 4096;

  bool start();

  Request add(std::uint64_t bits, std::uint64_t signature, bool receives, bool persistent,
              bool of_file = false);
  // The oldest with these bits, passing over so many of them; not known when there is none.
  Request find(std::uint64_t bits, std::uint32_t passing_over = 0) const;
  void remove(const Request& request);

 private:
  static constexpr std::size_t kSlots = 1 << 16;
  static constexpr std::size_t kMost = kSlots / 2;
  static constexpr std::uint32_t kPools = 4096;  // the last one is shared by all beyond

  static std::size_t place_of(std::uint64_t bits) {
    return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15U) >> 48) % kSlots;
  }
  std::uint32_t pool_of(std::uint64_t signature);

  Request* slots_ = nullptr;
  std::uint64_t* in_use_ = nullptr;       // a bit per number, kPerPool per pool
  std::uint64_t* pool_hashes_ = nullptr;  // 2 * kPools slots: signature, then pool + 1
  std::uint32_t pools_ = 0;
  std::uint32_t births_ = 0;
  std::size_t count_ = 0;
  mutable SpinLock lock_;
};

}  // namespace weir::capture
