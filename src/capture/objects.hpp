#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "calls/role.hpp"
#include "capture/memory.hpp"

namespace weir::capture {

// Objects of MPI and HDF5 by what the library calls them: a symbolic id from a pool per kind, or the name of
// a predefined one. One table per process; takes no memory beyond what start() maps.
class Objects {
 public:
  struct Object {
    std::uint64_t bits = 0;
    const char* name = nullptr;  // of a predefined one; "" for the null handle
    std::uint32_t id = 0;
    std::int32_t rank = -1;  // of a communicator: the caller's own
    Role kind = Role::value;
    bool used = false;
    bool inter = false;  // an inter-communicator

    bool is_null() const { return name != nullptr && *name == '\0'; }
  };

  bool start();

  // What is known of it, until the thread asks again; `used` is false when nothing is. What a thread found
  // before, it finds without a lock as long as the table did not change.
  [[gnu::always_inline]] const Object& find(Role kind, std::uint64_t bits) const {
    Found& kept = found_before[(bits * 0x9E3779B97F4A7C15U) >> 60 & (kKept - 1)];
    const std::uint32_t now = changes_.load(std::memory_order_acquire);
    if (kept.object.bits == bits && kept.object.kind == kind && kept.changes == now && kept.table == this)
        [[likely]]
      return kept.object;
    kept.object = search(kind, bits);
    kept.changes = kept.object.used ? now : 0;
    kept.table = this;
    return kept.object;
  }
  // A new one, with the lowest id of its kind that is free. Replaces what was known under the same bits.
  Object add(Role kind, std::uint64_t bits);
  // A communicator, whose id its members agreed upon.
  void add_communicator(std::uint64_t bits, std::uint32_t id, std::int32_t rank, bool inter);
  void predefine(Role kind, std::uint64_t bits, const char* name, std::int32_t rank = -1);
  void remove(Role kind, std::uint64_t bits);

  // What a new communicator could be called: above all numbers in use here, and given to one asker only.
  std::uint32_t reserve_communicator() {
    const Spinning locked(lock_);
    return next_communicator_++;
  }

 private:
  struct Found {
    Object object;
    std::uint32_t changes = 0;  // as many there were; 0: nothing is kept
    const Objects* table = nullptr;
  };
  static constexpr std::size_t kKept = 16;
  [[gnu::tls_model("initial-exec")]] static thread_local constinit Found found_before[kKept];

  Object search(Role kind, std::uint64_t bits) const;

  static constexpr std::size_t kSlots = 1 << 16;
  static constexpr std::size_t kMost = kSlots / 2;  // beyond that nothing more is kept
  static constexpr std::uint32_t kIds = 1 << 15;    // per kind; the last one is shared by all beyond
  static constexpr std::size_t kKinds = kRoles.size();

  static std::size_t place_of(Role kind, std::uint64_t bits) {
    const std::uint64_t mixed = (bits ^ static_cast<std::uint64_t>(kind) << 56) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(mixed >> 48) % kSlots;
  }
  Object* look_up(Role kind, std::uint64_t bits) const;
  Object* make(Role kind, std::uint64_t bits);
  std::uint32_t take_id(Role kind);
  void give_back(Role kind, std::uint32_t id);

  Object* slots_ = nullptr;
  std::uint64_t* ids_in_use_ = nullptr;  // a bit each, kIds per kind
  std::size_t count_ = 0;
  std::uint32_t next_communicator_ = 1;
  std::atomic<std::uint32_t> changes_{1};
  mutable SpinLock lock_;
};

}  // namespace weir::capture
