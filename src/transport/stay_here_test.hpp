#pragma once

#include <sched.h>

// For tests only.
namespace weir::transport {

// The test's thread, and those that it starts meanwhile, stay on one core as long as this lives. False where
// that cannot be had: not allowed, or more cores are possible than a cpu_set_t has room for.
class StayHere {
 public:
  StayHere() {
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    stays_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~StayHere() {
    if (stays_) ::sched_setaffinity(0, sizeof before_, &before_);
  }
  StayHere(const StayHere&) = delete;
  StayHere& operator=(const StayHere&) = delete;
  explicit operator bool() const { return stays_; }

 private:
  cpu_set_t before_;
  bool stays_ = false;
};
constexpr auto kMayNotStay = "a thread cannot be kept on one core here";

}  // namespace weir::transport
