#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "cli/output.hpp"
#include "trace/summary.hpp"
#include "trace/trace_file.hpp"

namespace weir::cli {

// What `weir stat` shows, for people and for machines.
struct StatView {
  const trace::TraceFile& trace;
  const trace::Summary& summary;
  std::size_t top;  // files and processes to list

  std::uint64_t span_ns() const;  // from the first call to the end of the last
  std::uint64_t lost() const;
  std::uint64_t ranks() const;          // processes that have one
  std::uint64_t process_bytes() const;  // of the trace: what goes with their number
  std::uint64_t unseen() const;
  std::uint64_t changed() const;
  // What a reader must know before believing the numbers.
  std::vector<std::string> warnings() const;
  // The files with the most bytes or the most time, in that order.
  std::vector<const trace::FileTally*> files_by_bytes() const;
  std::vector<const trace::FileTally*> files_by_time() const;
};

Json stat_json(const StatView& view);
void print_stat(const StatView& view, Output& out);

}  // namespace weir::cli
