#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "interference/degradation.hpp"
#include "trace/slice_file.hpp"

namespace weir::interference {

// What all processes of a program did, slice by slice.
struct ProgramSlices {
  std::string name;
  std::int64_t slice_ns = 0;
  std::size_t processes = 0;
  std::uint64_t lost = 0;
  std::vector<trace::ProcessSlice> slices;  // without gaps: those in which nothing happened are zeros
};

// Whether `weir interfere slices` may have made it: a directory with such a file.
bool holds_slices(const std::filesystem::path& directory);
// The processes of a directory that `weir interfere slices` made. Files that are damaged or of another length
// of slice are told in `notes` and left out; none at all is an Error.
Result<std::vector<trace::ProcessSlices>> read_process_slices(const std::filesystem::path& directory,
                                                              std::vector<std::string>& notes);
// Their sum.
Result<ProgramSlices> read_program_slices(const std::filesystem::path& directory,
                                          std::vector<std::string>& notes);

// What is looked at in a slice.
enum class Metric { written, read, closes };
std::string_view name(Metric metric);
std::optional<Metric> find_metric(std::string_view name);
double value_of(const trace::ProcessSlice& slice, Metric metric);

// A time in which the probe was below what it does while the signal is silent.
struct Dent {
  std::int64_t begin_ns = 0, end_ns = 0;
  double depth_percent = 0;  // below the median of silent slices
};

// A probe's slices beside a signal's, by the wall clock.
struct Joined {
  Metric metric = Metric::written;
  std::int64_t slice_ns = 0;
  std::vector<std::int64_t> begin_ns;  // where both ran
  std::vector<double> probe, signal;   // per slice
  std::vector<double> storage;         // bytes written to the device; empty without
  std::vector<bool> active;            // the signal was
  std::size_t active_slices = 0, silent_slices = 0;
  // Of the probe in slices with the signal active against those with it silent. The interval takes slices for
  // independent, which neighbours are not quite: it is too narrow rather than too wide.
  Degradation loss;
  std::vector<Dent> dents;
  std::size_t dents_in_step = 0;  // that overlap an active phase
  // Times without a break in which the signal was active, and those of them with a dent.
  std::size_t phases = 0, phases_with_dent = 0;
  std::vector<std::string> notes;
};

struct JoinOptions {
  std::optional<Metric> metric;  // bytes written where the probe's were seen, else files closed
  double active_above = 0.1;     // of the signal's busiest tenth of slices
  double dent_below = 0.5;       // of the median of silent slices
};

Result<Joined> join(const ProgramSlices& probe, const ProgramSlices& signal, const Json* storage,
                    const JoinOptions& options = {});

Json to_json(const ProgramSlices& program);
Json to_json(const Joined& joined);

}  // namespace weir::interference
