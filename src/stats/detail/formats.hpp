#pragma once

#include "base/result.hpp"
#include "stats/detail/text_lines.hpp"
#include "stats/sample_file.hpp"

namespace weir::stats::detail {

// One function per text format. Each reads all lines and returns samples without a source name; at least
// one line has been looked ahead.
Result<Samples> read_delimited(TextLines& lines, const SampleQuery& query);
Result<Samples> read_json_lines(TextLines& lines, const SampleQuery& query);

}  // namespace weir::stats::detail
