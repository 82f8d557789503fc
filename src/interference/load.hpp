#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "workload/job.hpp"

namespace weir::interference {

// What one side of a measurement runs: a pattern of the workload room, or any command of the user.
struct Load {
  std::string name;     // as results call it: "open_write_close"
  std::string command;  // for the shell; empty: a pattern
  workload::Job job;    // of a pattern, but for sizes, count and directory

  bool is_command() const { return !command.empty(); }
};

// A pattern by its name or short name: open_write_close (owc), write_seek (ws), aggregate_write (aw),
// aggregate_write_flushed (awf), read, metadata.
Result<Load> pattern(std::string_view name);
std::vector<std::string> pattern_names();
// "NAME=COMMAND", as --command takes it.
Result<Load> command_load(std::string_view text);
// "25%" as 0.25, the share of the time in which a program is active.
Result<double> parse_duty(std::string_view text);

Json to_json(const Load& load);
Result<Load> load_from_json(const Json& json);

// How one side runs in one experiment.
struct Side {
  Load load;
  Bytes chunk{1U << 20U};
  std::uint32_t processes = 1;
  workload::Layout layout = workload::Layout::per_worker;
  double duty = 1;       // below 1: only in this share of every period
  Nanoseconds period;    // from whole multiples of it on the wall clock
  Bytes size;            // that a process moves; calibrated, or the user's
  bool endless = false;  // goes on until the other side has ended
  // A command's: a library that counts its files in slices (`weir-slices-posix`); not counted if empty.
  std::filesystem::path counters;
  std::filesystem::path directory;  // where it runs; with the others if empty

  workload::Job job(const std::filesystem::path& directory) const;
};

}  // namespace weir::interference
