#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace weir::capture {

// What slices know of a descriptor, to tell write patterns apart without keeping calls. Threads that use one
// descriptor at the same time may blur it; nothing worse. All zero is a descriptor of which nothing is known.
class Descriptor {
 public:
  enum Kind : std::uint32_t { unknown, file, other };

  Kind kind() const { return static_cast<Kind>(kind_.load(std::memory_order_relaxed)); }
  void is(Kind kind) { kind_.store(kind, std::memory_order_relaxed); }

  // A write of `size` at its own position (at < 0) or elsewhere. True when it does not begin where the one
  // before it ended.
  bool wrote(std::int64_t at, std::uint64_t size) {
    const std::int64_t begin = at < 0 ? get(position_) : at;
    const std::int64_t end = begin + static_cast<std::int64_t>(size);
    const std::uint64_t before = get(writes_);
    const bool jump = before > 0 && begin != get(end_);
    if (at < 0) put(position_, end);
    put(end_, end);
    put(writes_, before + 1);
    put(bytes_, get(bytes_) + size);
    put(last_, size);
    if (jump) put(jumps_, get(jumps_) + 1);
    return jump;
  }
  // A read at its own position.
  void read(std::uint64_t size) { put(position_, get(position_) + static_cast<std::int64_t>(size)); }
  void sought(std::int64_t position) { put(position_, position); }
  std::int64_t position() const { return get(position_); }
  // Bytes of the last write, once.
  std::uint64_t flushed() {
    const std::uint64_t size = get(last_);
    put(last_, std::uint64_t{0});
    return size;
  }

  bool jumped() const { return get(jumps_) > 0; }
  std::uint64_t writes() const { return get(writes_); }
  std::uint64_t bytes() const { return get(bytes_); }
  // Not more than half of the writes began elsewhere; the first begins by itself.
  bool in_one_go() const { return get(jumps_) == 0 || 2 * (get(jumps_) + 1) <= get(writes_); }

  void forget() {
    is(unknown);
    put(position_, std::int64_t{0});
    put(end_, std::int64_t{0});
    put(writes_, std::uint64_t{0});
    put(jumps_, std::uint64_t{0});
    put(bytes_, std::uint64_t{0});
    put(last_, std::uint64_t{0});
  }

 private:
  template <class T>
  static T get(const std::atomic<T>& from) {
    return from.load(std::memory_order_relaxed);
  }
  template <class T>
  static void put(std::atomic<T>& to, T value) {
    to.store(value, std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> position_{0}, end_{0};
  std::atomic<std::uint64_t> writes_{0}, jumps_{0}, bytes_{0}, last_{0};
  std::atomic<std::uint32_t> kind_{0};
};

inline constexpr int kMostDescriptors = 4096;
using Descriptors = std::array<Descriptor, kMostDescriptors>;

}  // namespace weir::capture
