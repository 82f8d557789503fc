#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/store.hpp"

namespace weir::campaign {

// Runs that another benchmark made, before they become a campaign.
struct ForeignRun {
  std::vector<std::pair<std::string, std::string>> options;  // become factors and levels
  RunRow row;                                                // without configuration and repeat
};
struct ForeignResults {
  std::string kind;  // "fio" or "ior"
  std::vector<ForeignRun> runs;
};

// fio 3: the output of --output-format=json (or json+), a run per job; warnings that fio prints before it are
// passed over. Throughput is read and write (and trim) together, latencies are completion latencies. IOR 3.3
// and later: the output of -O summaryFormat=JSON, a run per access and repetition. IOR tells no latencies.
// Which of the two it is shows in the text. `machine` names the machine where the file does not.
Result<ForeignResults> parse_foreign(std::string_view text, const std::string& machine);

struct Imported {
  std::int64_t campaign = 0;
  std::uint64_t configurations = 0;
  std::uint64_t runs = 0;
};

// All files as one new campaign of kind "fio" or "ior". Runs with the same options are repeats of one
// configuration, in the order of files; an option that a run does not have is the level "". File names,
// directories and the like are no factors and go to the notes.
Result<Imported> import_results(Store& store, const std::string& name,
                                const std::vector<std::filesystem::path>& files, const std::string& machine);

}  // namespace weir::campaign
