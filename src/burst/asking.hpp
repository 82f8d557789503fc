#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

#include "transport/fabric.hpp"
#include "transport/loop.hpp"

namespace weir::burst {

// For how long another server is asked.
struct Patience {
  std::chrono::steady_clock::time_point deadline;
  std::chrono::nanoseconds unreachable_for;  // so long after it was first out of reach it is given up
  std::chrono::nanoseconds again;            // without an answer by then it is asked a second time
};

struct Question {
  std::uint32_t to = 0;  // an end of the fabric
  transport::Bytes request;
  Patience patience;
  std::function<bool()> is_wanted;  // it is not asked again when nobody wants the answer any more
  transport::Fabric::Done done;     // once, as Fabric::call() does
};

// Asks other servers, again and again until they answer or the time is up: every request bears being asked
// twice. Late answers count, the pauses grow, and they begin at what the server has taken lately: who asks at
// a fixed pace and drops what comes after the next asking never hears a server that is slower, and gives it
// more to do than it can. In the loop's thread.
class Asker {
 public:
  explicit Asker(transport::Loop& loop) : loop_(loop) {}
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  // The fabric is the loop's, and ends before this.
  void ask(transport::Fabric& fabric, Question question);

 private:
  using Clock = std::chrono::steady_clock;
  class Asking;

  transport::Loop& loop_;
  std::map<std::uint32_t, Clock::duration> slowest_lately_;  // answers, by end
};

}  // namespace weir::burst
