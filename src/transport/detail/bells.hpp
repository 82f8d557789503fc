#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/detail/layout.hpp"
#include "transport/detail/memory.hpp"

namespace weir::transport::detail {

// How a worker of a host sleeps and is woken: a word for each in a page that clients can read says that it
// sleeps, and an eventfd wakes it.
class Bells {
 public:
  static Result<Bells> make(unsigned workers);

  int page_descriptor() const { return page_fd_.get(); }
  int descriptor(unsigned worker) const { return bells_[worker].get(); }

  void say_asleep(unsigned worker) { word(worker).store(1); }
  void say_awake(unsigned worker);  // also silences the bell
  void ring_if_asleep(unsigned worker);
  void say_seat(unsigned worker, Seat seat) {
    std::atomic<std::uint32_t>& word = page_.as<HostMemory>().workers[worker].seat;
    if (word.load(std::memory_order_relaxed) != seat.word())
      word.store(seat.word(), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t>& word(unsigned worker) {
    return page_.as<HostMemory>().workers[worker].sleeping;
  }

  UniqueFd page_fd_;
  Mapping page_;
  std::vector<UniqueFd> bells_;
};

}  // namespace weir::transport::detail
