#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/accesses.hpp"

namespace weir::semantics {

// Where in a file, when and by whom it was read and written, in bins of time and of offset.
struct AccessMap {
  struct Cell {
    std::uint32_t time = 0;  // bins
    std::uint32_t offset = 0;
    std::uint32_t process = 0;   // that moved most bytes of it
    std::uint64_t accesses = 0;  // that touch it
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
  };

  std::string name;
  std::uint32_t readers = 0;
  std::uint32_t writers = 0;
  std::uint64_t accesses = 0;
  std::int64_t begin_ns = 0;
  std::int64_t time_bin_ns = 1;
  std::int64_t offset_bin_bytes = 1;
  std::size_t time_bins = 0;
  std::size_t offset_bins = 0;
  std::vector<Cell> cells;  // by time, then by offset; those with something in them
};

struct AccessMapOptions {
  std::size_t files = 12;
  std::size_t time_bins = 160;
  std::size_t offset_bins = 96;
};

// Of the files with most bytes moved, most first.
std::vector<AccessMap> access_maps(const Accesses& accesses, const AccessMapOptions& options = {});

}  // namespace weir::semantics
