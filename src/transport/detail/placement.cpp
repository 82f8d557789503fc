#include "transport/detail/placement.hpp"

#include <algorithm>
#include <utility>

#include <sched.h>

namespace weir::transport::detail {

void Placement::asked(const void* caller) {
  asked_ = true;
  if (std::exchange(caller_, caller) != caller) begin_anew();
}

void Placement::asked_others(Seat from) {
  waits_on_ = from.core;
  ++far_calls_;
  near_calls_ = 0;
  if (from.is_crowded) join_ = from.core;
}

void Placement::answered(Seat from, bool slept) {
  waits_on_ = 0;
  if (!joined_ || from.core != this_core()) return;
  answered_here_ = true;
  answered_awake_ |= !slept;
}

void Placement::answered_at_once() {
  if (++near_calls_ == kEnough) begin_anew();
}

void Placement::forget_caller() {
  caller_ = nullptr;
  asked_ = false;
  begin_anew();
}

void Placement::begin_anew() {
  waits_on_ = 0;
  far_calls_ = 0;
  joined_ = leaves_ = false;
}

bool Placement::lost_core(bool often, Clock::time_point now) {
  if (!often) {
    if (now < left_at_ + kFirstPause) join_ = waits_on_;
    return false;
  }
  join_ = waits_on_;
  if (std::exchange(asked_, false)) asked_at_ = now;
  return waits_on_ == 0 && (joined_ || now > asked_at_ + kSoon);
}

void Placement::act(Clock::time_point now) {
  const bool answered_here = std::exchange(answered_here_, false);
  const bool answered_awake = std::exchange(answered_awake_, false);
  if (const Core core = std::exchange(join_, 0); core != 0 && join(core, now)) return;
  if (!answered_here) return;
  part(answered_awake, now);
  ::sched_yield();
}

bool Placement::join(Core client, Clock::time_point now) {
  const bool is_here = client == this_core();
  if (far_calls_ < kEnough || now < join_from_ || (is_here && joined_)) return false;
  join_from_ = part_from_ = now + next_pause(now);
  if (!is_here && !moves_.to(client)) return false;
  joined_ = true;
  leaves_ = false;
  return true;
}

// In two steps, since a client that sleeps would be woken where we go; one that goes on sleeping keeps us.
// Where leaving was a mistake, joining again is allowed at once.
void Placement::part(bool client_runs, Clock::time_point now) {
  if (now < part_from_) return;
  if (!leaves_) {
    leaves_ = true;
    leaves_until_ = now + kFirstPause;
  } else if (client_runs) {
    moves_.away();
    joined_ = leaves_ = false;
    join_from_ = left_at_ = now;
  } else if (now >= leaves_until_) {
    leaves_ = false;
    part_from_ = now + next_pause(now);
  }
}

std::chrono::milliseconds Placement::next_pause(Clock::time_point now) {
  if (now > part_from_ + kCalm) pause_ = kFirstPause;
  return std::exchange(pause_, std::min(2 * pause_, kLongestPause));
}

}  // namespace weir::transport::detail
