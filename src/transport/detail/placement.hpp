#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "transport/detail/core.hpp"

namespace weir::transport::detail {

// On which core a worker runs. That is the kernel's choice, until the only client that calls waits for its
// worker and that for somebody else, another server mostly, and one of the two finds others on the core where
// it waits without sleeping. Then there are fewer cores than who waits, and the two share one: only one of
// them has work at a time, and whom it wakes on its own core it wakes at once, where another core takes many
// times as long. Whether there is room again is tried, more seldom each time. Used by the worker's thread;
// what clients tell is not believed, only followed.
class Placement {
 public:
  using Clock = std::chrono::steady_clock;
  struct Moves {
    std::function<bool(Core)> to;
    std::function<bool()> away;
  };

  // So many far calls make a client the only one that counts, so many near ones in between end that.
  static constexpr unsigned kEnough = 16;
  static constexpr std::chrono::milliseconds kSoon{1};  // a client calls again
  static constexpr std::chrono::milliseconds kFirstPause{1};
  static constexpr std::chrono::milliseconds kLongestPause{256};
  static constexpr std::chrono::milliseconds kCalm{100};  // after which pauses begin anew

  Placement() : Placement({move_to, move_away}) {}
  explicit Placement(Moves moves) : moves_(std::move(moves)) {}

  // A caller gave us the turn; its request waits for somebody else (a far call) or was answered at once (a
  // near one); the caller has the turn back, after a sleep or without. A caller is a slot: threads of a
  // client that call at the same time are several, those that take turns are one, followed to the core of
  // either.
  void asked(const void* caller);
  void asked_others(Seat from);
  void answered_at_once();
  void answered(Seat from, bool slept);
  // The last caller may be no more.
  void forget_caller();

  // We waited without sleeping, and others had this core meanwhile; once tells only who has just left its
  // client that there is no room. Whether we should rather sleep: nobody waits for us, and no client has
  // called since we last lost it, or we share it with one that computes.
  bool lost_core(bool often, Clock::time_point now = Clock::now());

  // Does what follows from all that; costs nothing when nothing does.
  void settle() {
    if (answered_here_ || join_ != 0) act(Clock::now());
  }
  void act(Clock::time_point now);

  // For clients: one on our core that shares it with us sleeps at once when it waits.
  Seat seat() const { return {this_core(), joined_ && !leaves_}; }

 private:
  void begin_anew();
  bool join(Core client, Clock::time_point now);
  void part(bool client_runs, Clock::time_point now);
  std::chrono::milliseconds next_pause(Clock::time_point now);

  Moves moves_;

  const void* caller_ = nullptr;  // the last one
  unsigned far_calls_ = 0;        // of it
  unsigned near_calls_ = 0;       // since its last far one
  Core waits_on_ = 0;             // the core on which it waits for us and we for others
  bool asked_ = false;            // since the core was last lost
  Clock::time_point asked_at_{};  // when that was noticed

  Core join_ = 0;  // since the last act(), as the next two
  bool answered_here_ = false;
  bool answered_awake_ = false;

  bool joined_ = false;
  bool leaves_ = false;  // as soon as the client is awake
  Clock::time_point join_from_{}, part_from_{}, leaves_until_{}, left_at_{};
  std::chrono::milliseconds pause_ = kFirstPause;
};

}  // namespace weir::transport::detail
