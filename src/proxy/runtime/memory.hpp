#pragma once

#include <map>

#include "proxy/runtime/world.hpp"

namespace weir_proxy {

// Where the memory is that was mapped at a recorded address.
inline void map_address(i64 recorded, i64 real) {
  const std::lock_guard guard(world.lock);
  world.mappings.push_back({recorded, real});
}
inline i64 real_address(i64 recorded) {
  const std::lock_guard guard(world.lock);
  i64 best = -1;
  i64 found = 0;
  for (const auto& one : world.mappings)
    if (one[0] <= recorded && one[0] >= best) {
      best = one[0];
      found = one[1] + (recorded - one[0]);
    }
  return found;
}

// Objects by the number they had in the recorded program.
template <class T>
class Pool {
 public:
  explicit Pool(T none) : none_(none) {}
  T& operator()(i64 id) {
    const std::lock_guard guard(lock_);
    return objects_.try_emplace(id, none_).first->second;
  }

 private:
  T none_;
  std::mutex lock_;
  std::map<i64, T> objects_;  // its places stay where they are
};

// In place of a function of the recorded program: takes what it is given and answers with nothing.
struct IgnoredFunction {
  template <class R, class... Args>
  using Pointer = R (*)(Args...);
  template <class R, class... Args>
  operator Pointer<R, Args...>() const {  // NOLINT(google-explicit-constructor): it stands for any of them
    return [](Args...) -> R { return R(); };
  }
};

// Where nothing is.
inline void* bad_address() { return reinterpret_cast<void*>(8); }

// What fcntl and ioctl are given: numbers as they were; in place of an address one where nothing is asked
// for.
inline long argument_of_command(Stream& stream, int argument, i64 recorded) {
  if (recorded > -(i64{1} << 32) && recorded < (i64{1} << 32)) return recorded;
  auto* const lock = stream.out_object<struct flock>(argument, {});
  lock->l_type = F_UNLCK;
  return reinterpret_cast<long>(lock);
}

}  // namespace weir_proxy
