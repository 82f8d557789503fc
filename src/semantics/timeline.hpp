#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/stretch.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

// What a call is for, coarsely.
enum class CallKind : std::uint8_t { read, write, metadata, communication, other };
inline constexpr std::size_t kCallKinds = 5;
std::string_view name(CallKind kind);
CallKind kind_of(const trace::Function& function);

// What processes did over time, added up in bins: as long for ten million calls as for ten thousand.
struct Timeline {
  struct Cell {
    std::uint32_t bin = 0;
    std::uint64_t calls = 0;    // that began in it
    std::uint64_t time_ns = 0;  // of the program's own calls that lies in it, over all threads
    std::uint64_t bytes = 0;    // read or written by calls that began in it
  };
  struct Row {
    std::vector<std::uint32_t> processes;                // of the trace
    std::array<std::vector<Cell>, kCallKinds> of_kinds;  // by time; those with something in them
  };

  std::int64_t begin_ns = 0;  // on the clock of rank 0
  std::int64_t bin_ns = 1;
  std::size_t bins = 0;
  std::vector<Row> rows;            // by rank, then those without one
  std::vector<std::string> damage;  // what was left out
};

struct TimelineOptions {
  bool salvage = false;
  unsigned threads = 0;  // 0: one per core
  std::function<void(std::uint64_t records)> advance = nullptr;
  std::size_t most_rows = 128;       // more processes share rows
  std::size_t most_bins = 8192;      // as many as most_cells allows
  std::size_t most_cells = 100'000;  // of all rows and kinds
};

// Makes a timeline of records that somebody else reads. A trace without times has no bins.
class TimelineMaker {
 public:
  // The trace must outlive it.
  TimelineMaker(const trace::TraceFile& trace, const TimelineOptions& options);
  ~TimelineMaker();
  TimelineMaker(const TimelineMaker&) = delete;
  TimelineMaker& operator=(const TimelineMaker&) = delete;

  // For a stretch of the trace, from any thread; null where there is nothing to see. Every one ends before
  // take().
  std::unique_ptr<trace::Onlooker> onlooker(const trace::Stretch& stretch);
  Timeline take();

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Reads every record.
Result<Timeline> make_timeline(const trace::TraceFile& trace, const TimelineOptions& options = {});

}  // namespace weir::semantics
