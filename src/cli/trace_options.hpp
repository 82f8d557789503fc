#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/trace_file.hpp"

namespace CLI {
class App;
}

namespace weir::cli {

// Which trace a command reads: declared once, worded alike everywhere.
struct TraceOptions {
  std::string path;
  bool salvage = false;
};

void add_trace_argument(CLI::App& app, TraceOptions& options);
void add_salvage_flag(CLI::App& app, TraceOptions& options);

// Opens it and says on stderr what is damaged, where that is allowed.
Result<trace::TraceFile> open_trace(const TraceOptions& options);

// A list of texts among what is said about how the trace was made; empty where it is not there.
std::vector<std::string> fact_texts(const trace::TraceFile& trace, const char* fact);
// What was amiss when the trace was made: what it lacks, or keeps in part.
std::vector<std::string> told_when_merged(const trace::TraceFile& trace);
// The same on stderr, for who works from what the trace holds; the first ones of many.
void warn_of_gaps(const trace::TraceFile& trace);
// The options of weir trace that made it leave calls out; empty where none did.
std::string narrowing_of(const trace::TraceFile& trace);

// What could not be read, on stderr; the first ones of many.
void warn_left_out(const std::vector<std::string>& damage);

}  // namespace weir::cli
