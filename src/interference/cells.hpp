#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/store.hpp"
#include "interference/degradation.hpp"

namespace weir::interference {

// A program alone.
struct Alone {
  std::string probe;
  Bytes chunk;
  std::uint32_t processes = 0;
  std::string layout;
  std::size_t runs = 0;          // that count
  double rate = 0;               // bytes a second, median; files a second times the chunk for metadata
  double variation = 0;          // coefficient, in percent
  double counted_s = 0;          // median
  double bytes = 0;              // of a run
  std::optional<double> cached;  // of them not on the storage at the end, median
};

// A program beside another.
struct Cell {
  std::string probe, signal;
  Bytes chunk, signal_chunk;
  std::uint32_t processes = 0, signal_processes = 0;
  std::string layout;
  double signal_duty = 1;
  Degradation counted;           // by the source's rule
  Degradation whole;             // over the whole of each program
  double rate = 0;               // median beside the signal
  double counted_s = 0;          // median
  Degradation files;             // of files closed a second, where a command's were counted
  std::optional<double> cached;  // bytes not on the storage at the probe's end, median
  double dilation = 0;         // of the time from start to end, in percent of the time alone; of the medians
  std::size_t serialised = 0;  // runs in which one of the two almost stopped
  std::size_t disturbed = 0, failed = 0;
  // As many runs as not: the source names such pairs.
  bool serialises() const { return serialised > 0 && 2 * serialised >= counted.beside; }
};

struct Cells {
  std::vector<Alone> alone;
  std::vector<Cell> cells;
  std::size_t disturbed = 0, failed = 0;  // rows
  std::uint64_t seed = 0;                 // of the order of runs
  std::vector<std::string> warnings;      // what a reader must know before believing the numbers
};

struct CellOptions {
  bool disturbed_too = false;  // count runs that others disturbed
};

// From the rows of a campaign of the kind "interference"; another kind is an Error.
Result<Cells> read_cells(const campaign::Store& store, std::int64_t number, const CellOptions& options);

Json to_json(const Cell& cell);
Json to_json(const Alone& alone);
// A line per cell.
std::string to_csv(const Cells& cells);

}  // namespace weir::interference
