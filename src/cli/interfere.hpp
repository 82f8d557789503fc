#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/command.hpp"
#include "interference/cells.hpp"
#include "interference/experiment.hpp"

namespace weir::cli {

// The parts of `weir interfere`.
extern const Command kInterfereMatrix, kInterfereSweep, kInterfereSlices, kInterfereClassify,
    kInterfereAdvise, kInterfereBalance;

// In a directory of slices: those of the storage.
inline constexpr const char* kStorageFile = "storage.json";

// What matrix and sweep have in common: where to measure, how long, how often, and what to do with it.
struct MeasureOptions {
  std::string directory, testbed, db, from, csv, size, machine;
  std::string time = "4s", period = "2s", room = "2G", rate = "200M", dirty = "32M";
  std::vector<std::string> commands;
  std::uint32_t runs = 9;
  std::uint64_t seed = 1;
  bool resume = false, disturbed_too = false, no_monitors = false, count_files = false, json = false;
};
void add_measure_options(CLI::App& app, MeasureOptions& options);

// Takes the experiment's common fields from the options.
Result<void> apply(const MeasureOptions& options, interference::Experiment& experiment);
// The commands of the options, then patterns by name; one that is neither is an Error.
Result<std::size_t> load_named(const std::string& name, interference::Experiment& experiment);

struct Measured {
  interference::Cells cells;
  std::string store;  // empty where nothing is kept
  std::int64_t campaign = 0;
  bool interrupted = false;
};
// Runs the experiment, or reads what --from names.
Result<Measured> measure(const MeasureOptions& options, interference::Experiment experiment);

// JSON document or tables, the CSV file, and the exit status. `what` is the document's name.
Result<int> tell(const MeasureOptions& options, const Measured& measured, std::string_view what,
                 bool as_matrix, Output& out);

// "1M,16M" as sizes and the like; errors name the flag.
Result<std::vector<Bytes>> sizes_in(const std::vector<std::string>& texts, const std::string& flag);

}  // namespace weir::cli
