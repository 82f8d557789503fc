#include "campaign/run_columns.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.hpp"

namespace weir::campaign {

const std::array<RunColumn, 12> kRunColumns = {{
    {"duration_s", "duration", [](const RunRow& run) { return run.duration_s; }},
    {"throughput_bytes_per_s", "throughput", [](const RunRow& run) { return run.throughput; }},
    {"throughput_together_bytes_per_s", "throughput_together",
     [](const RunRow& run) { return run.throughput_together; }},
    {"bytes", "bytes", [](const RunRow& run) { return run.bytes; }},
    {"read_p50_s", "read_p50", [](const RunRow& run) { return run.read.p50_s; }},
    {"read_p99_s", "read_p99", [](const RunRow& run) { return run.read.p99_s; }},
    {"read_p999_s", "read_p999", [](const RunRow& run) { return run.read.p999_s; }},
    {"read_max_s", "read_max", [](const RunRow& run) { return run.read.max_s; }},
    {"write_p50_s", "write_p50", [](const RunRow& run) { return run.write.p50_s; }},
    {"write_p99_s", "write_p99", [](const RunRow& run) { return run.write.p99_s; }},
    {"write_p999_s", "write_p999", [](const RunRow& run) { return run.write.p999_s; }},
    {"write_max_s", "write_max", [](const RunRow& run) { return run.write.max_s; }},
}};

Result<const RunColumn*> find_run_column(std::string_view name) {
  std::vector<std::string> names;
  for (const RunColumn& column : kRunColumns) {
    if (column.name == name || column.short_name == name) return &column;
    names.emplace_back(column.short_name);
  }
  const auto meant = nearest(name, names);
  return Error{Errc::not_found, fmt::format("runs have no column '{}'", name)}.with_remedy(
      meant ? fmt::format("did you mean '{}'?", *meant)
            : fmt::format("they have {}", fmt::join(names, ", ")));
}

}  // namespace weir::campaign
