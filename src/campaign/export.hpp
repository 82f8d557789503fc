#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/store.hpp"

namespace weir::campaign {

// Takes text as it is made; its first Error ends the export.
using TextSink = std::function<Result<void>(std::string_view)>;

// All runs of these campaigns (of all where none is named) as CSV (RFC 4180, lines end in LF), a row a run in
// the order of their starts, a campaign after the other: campaign, machine, a column per factor, repeat,
// started (UTC, ISO 8601), then numbers in SI units, state and reason. What is missing is empty. A factor
// whose name is another column's appears as factor_NAME. Returns the number of runs.
Result<std::uint64_t> export_csv(const Store& store, const std::vector<std::int64_t>& campaigns,
                                 const TextSink& out);

}  // namespace weir::campaign
