#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/stretch.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {

// What a number of calls come to.
struct Tally {
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t shortest_ns = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t longest_ns = 0;

  void add(const Tally& other);
};

struct FunctionTally {
  std::string name;
  std::string layer;
  Tally tally;
  std::map<std::int64_t, std::uint64_t> errors;  // by errno
  std::uint64_t inside_ns = 0;                   // of its time, that of recorded calls made inside it
  std::uint64_t signatures = 0;                  // distinct ones: how well its calls compress
};

// Calls of `callee` made inside calls of `caller`: HDF5 that calls MPI-IO that calls the C library.
struct PairTally {
  std::string caller;
  std::string callee;
  std::uint64_t calls = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t bytes = 0;  // read and written
};

struct LayerTally {
  Tally tally;
  std::uint64_t inside_ns = 0;  // of its time, that of recorded calls of other layers made inside
};

struct FileTally {
  std::string name;
  Tally tally;
};

struct ProcessTally {
  Tally tally;
  std::uint64_t threads = 0;
};

// All records of a trace added up.
struct Summary {
  Tally total;  // bytes once, time of the program's own calls only: not of those inside others
  std::vector<FunctionTally> functions;  // most time first, then most calls
  std::map<std::string, LayerTally> layers;
  std::vector<PairTally> pairs;         // most time first, then most calls
  std::vector<FileTally> files;         // by name
  std::vector<ProcessTally> processes;  // as in the trace
  std::vector<std::string> damage;      // what was left out
};

struct SummaryOptions {
  bool salvage = false;
  unsigned threads = 0;                                // 0: one per core
  std::function<void(std::uint64_t records)> advance;  // from any thread
  // Who else looks at the records of a stretch, or null; from any thread.
  std::function<std::unique_ptr<Onlooker>(const Stretch& stretch)> beside = nullptr;
};

// Reads every record, streams and their blocks side by side. An error at the first damage, unless it is to be
// salvaged. Memory goes with the number of files, not of records.
Result<Summary> summarize(const TraceFile& trace, const SummaryOptions& options);

}  // namespace weir::trace
