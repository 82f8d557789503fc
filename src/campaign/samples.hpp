#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "stats/sample_file.hpp"
#include "stats/samples.hpp"

namespace weir::campaign {

// A store as input of models. query.column is a column of runs (throughput where it is empty, see
// run_columns.hpp); query.group names factors, "machine" or "campaign", and is by default every factor that
// varies, and the campaign where there are several. Failed and disturbed runs are left out and counted in the
// report, where a problem's line is the run's place in the order of starts; with_disturbed keeps the
// disturbed ones. query.strict makes a run without the value an Error; runs that are marked are no mistake of
// the input.
Result<stats::Samples> read_samples(const std::filesystem::path& store, const stats::SampleQuery& query,
                                    bool with_disturbed = false);

}  // namespace weir::campaign
