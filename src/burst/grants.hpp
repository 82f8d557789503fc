#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "burst/collector.hpp"
#include "burst/job.hpp"
#include "burst/segment_store.hpp"
#include "transport/loop.hpp"
#include "transport/respond.hpp"

namespace weir::burst {

// Segments for the clients of a node. Where there is no room for one, space is got back first; where that
// does not help in time, the segment lies in the backing directory or the client gets ENOSPC, as the job
// says. One thread only, that of the collector.
class Grants {
 public:
  Grants(const Job& job, SegmentStore& store, Collector& collector, transport::Loop& loop)
      : job_(job), store_(store), collector_(collector), loop_(loop) {}

  void ask(std::uint64_t client, const GrantSegment& request, transport::Respond respond);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::uint64_t client = 0;
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;
    Clock::time_point until;
    transport::Respond respond;
  };

  Reclaim how_far() const { return job_.when_full == WhenFull::spill ? Reclaim::all : Reclaim::flushed; }
  void wait_for_room(const std::shared_ptr<Waiting>& waiting);
  void give_up_waiting(Waiting& waiting);
  static void answer(Waiting& waiting, const Outcome<GrantedSegment>& granted);

  const Job& job_;
  SegmentStore& store_;
  Collector& collector_;
  transport::Loop& loop_;
};

}  // namespace weir::burst
