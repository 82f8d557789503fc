#pragma once

#include <cstdint>

#include "intercept/guard.hpp"

namespace weir::burst::preload {

// Library code that the program, or the C library for it, calls: nothing it does is intercepted. Inside a
// handler, where that holds already, it changes nothing.
class OwnWork {
 public:
  OwnWork() : guard_(Guard::current()), entered_(!guard_.in_own_work()) {
    if (entered_) before_ = guard_.open(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
  }
  ~OwnWork() {
    if (entered_) guard_.close(before_);
  }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  Guard& guard_;
  const bool entered_;
  std::uint32_t before_ = 0;
};

}  // namespace weir::burst::preload
