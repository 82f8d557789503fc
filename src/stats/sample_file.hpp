#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stats/samples.hpp"

namespace weir::stats {

// What to take from a file of measurements.
struct SampleQuery {
  std::string column = {};              // name, or number from 1; may be empty where there is only one column
  std::vector<std::string> group = {};  // columns whose distinct values make the groups
  // Columns named WIDE001, WIDE_002_unit, ...: each row is one group, its values in column order. An empty
  // cell means fewer runs there and is no problem. Without `group`, all other columns make the key.
  std::string wide = {};
  // Only the groups count: no column is read, and each row is worth a 1.
  bool keys_only = false;
  char delimiter = 0;   // 0: found from the first lines; ' ' stands for any run of blanks
  bool strict = false;  // the first problem ends reading with an Error instead of being counted
};

// Reads delimited text (comma, semicolon, tab, bar or blanks; quoted fields; a header or none), one number
// per line, or JSON lines; any of them compressed with zstd; "-" is standard input. Lines that begin with
// '#' and empty lines are passed over. Uses a little over 8 bytes per value, also at the peak.
// A row that cannot be used is skipped and counted in the report; what makes the whole file unusable
// (no such column, truncated compression, binary content, not one value) is an Error that names the
// file and, where there is one, line and column.
Result<Samples> read_samples(const std::string& path, const SampleQuery& query);

// The same for bytes in memory; `name` stands for the file in messages.
Result<Samples> parse_samples(std::string_view bytes, const std::string& name, const SampleQuery& query);

}  // namespace weir::stats
