#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "study/tree.hpp"

namespace weir::study {

// Runs in the program's own directory; all others are named after the consistency model under which they
// were on the burst-buffer file system.
inline constexpr std::string_view kOwn = "own";

// One measured run.
struct Run {
  std::uint64_t number = 0;  // in the order in which they ran, from 1
  std::string where{kOwn};
  double run_s = 0;    // from start to end of the program
  double io_s = 0;     // that the slowest process spent in calls on files of the directory
  double start_s = 0;  // before it: servers come up
  double flush_s = 0;  // after it: to the directory
  std::uint64_t calls = 0;
  std::uint64_t read_bytes = 0, written_bytes = 0;
  std::uint64_t processes = 0;          // that were counted
  std::vector<Difference> differences;  // of its results from those of the first run
  Json document;                        // of weir run; null for the own directory

  bool on_burst() const { return where != kOwn; }
};

Json to_json(const Run& run);
Result<Run> run_from_json(const Json& json);

// The samples that weir fit and weir plan read.
std::string runs_csv(const std::vector<Run>& runs);

// What the counters in a directory of slices say; fills in I/O time, calls and bytes.
Result<void> add_counters(const std::filesystem::path& slices, Run& run);

// The last document of a text that begins with what a program printed.
Result<Json> last_document(std::string_view text, std::string_view schema);

}  // namespace weir::study
