#pragma once

#include <pthread.h>

namespace weir {

// While it lives this thread is not cancelled: what has begun comes to its end. Nested in another one it
// changes nothing.
class Uncancelled {
 public:
  // `begins`: false leaves that to begin().
  explicit Uncancelled(bool begins = true) {
    if (begins) begin();
  }
  // A thread that asks to be cancelled at any moment is cancelled here.
  ~Uncancelled() noexcept(false) {
    if (before_ == PTHREAD_CANCEL_ENABLE) ::pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before_);
  }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

  void begin() {
    if (before_ == PTHREAD_CANCEL_DISABLE) ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
  }

 private:
  int before_ = PTHREAD_CANCEL_DISABLE;
};

}  // namespace weir
