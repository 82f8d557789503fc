#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/merge.hpp"

namespace CLI {
class App;
}

namespace weir::cli {

// How times are kept, for `trace` and `merge` alike.
struct TimingChoice {
  std::string mode = "lossless";
  std::vector<std::string> errors;  // "0.1", "fsync=0.01"
  bool unclustered = false;
};

void add_timing_options(CLI::App& app, TimingChoice& choice);
Result<void> apply(const TimingChoice& choice, trace::MergeOptions& options);

// One line on stderr about what was made, and one per thing that went wrong.
void tell(std::string_view command, const trace::MergeReport& report);

}  // namespace weir::cli
