#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "workload/detail/lane.hpp"
#include "workload/detail/memory.hpp"

namespace weir::workload::detail {

// Bytes moved by all workers at one moment.
struct Snapshot {
  Tick when;
  std::uint64_t bytes = 0;
};

// Where the workers of one machine, threads or processes, meet: the start signal, the sign to stop, a lane
// for each, and two looks at all lanes: when the last worker begins and when the first one ends.
class Board {
 public:
  static Result<Board> make(std::uint32_t workers);

  std::uint32_t workers() const { return workers_; }
  Lane& lane(std::uint32_t worker) const { return lanes_[worker]; }

  // By a worker: waits until all are let go; false when that will not happen.
  bool ready_and_wait() const;
  void begin(Lane& lane) const;
  void end(Lane& lane) const;

  // By who runs them. Both return after `at_most` if nothing happened.
  void wait_for_ready(Nanoseconds at_most) const;
  void wait_for_end(Nanoseconds at_most) const;
  bool all_ready() const;
  bool all_ended() const;
  void let_go() const;
  void stop() const;  // also before let_go()

  Tick started() const { return shared_->started; }
  const Snapshot& last_begin() const { return shared_->last_begin; }
  const Snapshot& first_end() const { return shared_->first_end; }

 private:
  enum class Gate : std::uint32_t { closed, open, never };
  struct Shared {
    alignas(kCacheLine) std::atomic<std::uint32_t> stop{0};  // alone: all read it all the time
    alignas(kCacheLine) std::atomic<std::uint32_t> gate{0};
    std::atomic<std::uint32_t> ready{0};
    std::atomic<std::uint32_t> begun{0};
    std::atomic<std::uint32_t> ended{0};
    std::atomic<std::uint32_t> first{0};
    Tick started;
    Snapshot last_begin, first_end;
  };

  Snapshot look() const;
  void set_gate(Gate gate) const;  // once and for all

  Memory memory_;
  Shared* shared_ = nullptr;
  Lane* lanes_ = nullptr;
  std::uint32_t workers_ = 0;
};

}  // namespace weir::workload::detail
