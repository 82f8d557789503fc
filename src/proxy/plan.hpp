#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/trace_file.hpp"

namespace weir::proxy {

// Something that happens in a stream beside its calls: proxy/runtime/world.hpp says what each kind does.
struct Action {
  std::uint64_t before = 0;  // the outer call of this number
  std::string kind = {};
  std::int64_t id = 0;
  std::int64_t part = 0;
  std::int64_t value = 0;
  std::string name = {};

  friend bool operator==(const Action&, const Action&) = default;
};

// One thread of the recorded program.
struct StreamPlan {
  std::size_t stream = 0;
  std::vector<std::uint32_t> grammars;                         // distinct ones, part by part
  std::map<std::uint32_t, std::vector<std::int64_t>> columns;  // by slot
  std::vector<Action> actions;
  std::uint64_t calls = 0;
};

struct ProcessPlan {
  std::size_t process = 0;  // in the trace
  std::vector<StreamPlan> streams;
};

// What a signature of the trace needs of each process: where its values stand that do not repeat, and its
// words that follow no rule.
struct Places {
  std::uint32_t first_column = 0;  // slots, in the order of the signature's columns
  std::uint32_t first_own = 0;     // likewise of its own words
  std::uint64_t calls = 0;
  std::int64_t gap_sum_ns = 0;  // between the end of the call before and the begin of this one
};

// A file, directory or link that is there before the program begins.
struct Need {
  enum class Kind : std::uint8_t { directory, file, link };
  Kind kind = Kind::file;
  std::int64_t size = 0;
  std::vector<std::int64_t> line_ends;
};

// All that a program needs to make the calls of a trace again.
struct Plan {
  const trace::TraceFile* trace = nullptr;
  std::vector<ProcessPlan> processes;
  std::vector<Places> places;  // by signature; those that are used have calls
  std::uint32_t column_slots = 0;
  std::uint32_t own_slots = 0;
  std::uint32_t handles = 0;
  std::uint32_t shared_handles = 0;  // the most of any process
  std::int64_t largest_write = 0;
  std::map<std::string, Need> needs;  // by absolute name
  std::vector<std::string> left_out;  // what the program will not do, for people
  std::set<std::string> libraries;    // whose calls it makes itself: hdf5, netcdf, pnetcdf
  std::set<std::string> headers;      // of those
  bool has_ranks = false;

  std::uint64_t calls() const;  // of the program itself
};

// The trace must outlive the plan.
Result<Plan> make_plan(const trace::TraceFile& trace);

// Why calls of this function are not made again; empty if they are.
std::string_view why_not(const trace::Function& function);

}  // namespace weir::proxy
