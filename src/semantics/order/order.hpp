#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "semantics/event.hpp"
#include "semantics/order/clock_skew.hpp"
#include "semantics/order/line_place.hpp"
#include "semantics/order/unmatched.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

class Reading;

struct OrderOptions {
  bool salvage = false;  // processes with damaged blocks are left unordered instead of being an error
  unsigned threads = 0;  // 0: one per core; what comes out is the same
};

// What happened before what in a traced program, whatever the speed of its processes: proven from its calls,
// not from times. Program order is per thread; between threads and processes it takes messages, collectives,
// one-sided epochs, fork, exec and wait, and making and joining threads. Only what MPI's standard guarantees
// counts (docs/design/0013-order.md). Safe to ask from any number of threads.
class Order {
 public:
  static Result<Order> of(const trace::TraceFile& trace, const OrderOptions& options = {});
  // With what somebody has read already; used up.
  static Result<Order> of(Reading& reading);
  Order(Order&&) noexcept;
  Order& operator=(Order&&) noexcept;
  ~Order();

  // Whether `first` has completed, in every run that takes the same messages, when `second` starts. `thread`
  // of an event is the stream of its process. A call is not before those made inside it, nor after them. The
  // record behind the last one of a stream stands for the end of its process, of which no time is known.
  bool before(Event first, Event second) const;
  // The calls that prove it: first, then in turns where an edge leaves (a send) and where it arrives (the
  // receive or what completed it), and second. Empty when it is not before, or when time stamps say so.
  std::vector<Event> proof(Event first, Event second) const;

  // Where the call stands in a line of all calls that agrees with before().
  LinePlace place(Event event) const;

  // False when no process calls MPI: then time stamps serve, as far as they are exact.
  bool is_proven() const;
  // Likewise for two processes: one that has no rank takes part in no message, and is ordered only if a rank
  // forked it.
  bool is_proven(std::uint32_t process, std::uint32_t other) const;
  // Whether time stamps are exact, so that they can serve.
  bool has_times() const;
  const ClockSkew& skew() const;

  // Calls without a partner, in the order of their events; the first 10 000 of unmatched_count().
  const std::vector<Unmatched>& unmatched() const;
  std::uint64_t unmatched_count() const;
  // Ranks of the world that left nothing in the trace.
  const std::vector<std::int64_t>& missing_ranks() const;
  // What else keeps an order from being known, as sentences.
  const std::vector<std::string>& notes() const;

  std::uint64_t mpi_calls() const;
  std::uint64_t edges() const;
  std::uint64_t bytes() const;  // of memory

 private:
  class State;
  explicit Order(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace weir::semantics
