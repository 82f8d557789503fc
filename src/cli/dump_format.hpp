#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "trace/records.hpp"

namespace weir::cli {

// What `weir dump` makes of records, one after the other, in memory that does not grow with them.
class DumpFormat {
 public:
  virtual ~DumpFormat() = default;
  virtual void begin(fmt::memory_buffer& out) = 0;
  virtual void add(fmt::memory_buffer& out, const trace::Records::Item& item) = 0;
  virtual void end(fmt::memory_buffer& out) = 0;
};

// Columns of the text, in their order.
struct TextColumns {
  bool time = true;
  bool process = true;
  bool thread = true;
  bool duration = true;
  bool names = false;  // of arguments
};

std::unique_ptr<DumpFormat> text_format(const trace::TraceFile& trace, const TextColumns& columns);
// One object per line, the first about the trace: schema weir.dump/1.
std::unique_ptr<DumpFormat> json_format(const trace::TraceFile& trace);
std::unique_ptr<DumpFormat> csv_format(const trace::TraceFile& trace);
// Trace events as the viewers of Chrome and Perfetto read them.
std::unique_ptr<DumpFormat> perfetto_format(const trace::TraceFile& trace);

}  // namespace weir::cli
