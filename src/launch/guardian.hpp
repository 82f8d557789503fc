#pragma once

#include <functional>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace weir::launch {

// A process that outlives this one by a moment: when this process ends without dismissing it, by kill -9 as
// well, it does what has to be done and ends. For what must not be left behind: changed settings, mounted
// devices.
class Guardian {
 public:
  // `if_we_die` runs in the other process, with the memory as it is now.
  static Result<Guardian> start(const std::function<void()>& if_we_die);
  Guardian(Guardian&& other) noexcept;
  Guardian& operator=(Guardian&& other) noexcept;
  ~Guardian();  // dismisses it

  void dismiss();

 private:
  Guardian(UniqueFd pipe, int pid) : pipe_(std::move(pipe)), pid_(pid) {}

  UniqueFd pipe_;
  int pid_ = -1;
};

}  // namespace weir::launch
