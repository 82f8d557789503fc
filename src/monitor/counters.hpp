#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::monitor {

// One number the storage system shows.
struct Counter {
  std::string source;  // "disk:sda", "nfs:/mnt/scratch", "lustre-llite:scratch", "ib:mlx4_0/1", "psi:io"
  std::string name;    // "write_bytes", "write_operations", "read_seconds", ...: the same word for the same
                       // thing everywhere
  double value = 0;
  bool total = true;  // grows from a start (differences are taken); false: a level (averages, maxima)
};

// What one text held. Lines that could not be read are skipped and counted.
struct Parsed {
  std::vector<Counter> counters;
  std::uint64_t damaged = 0;
  std::string first_damaged;  // cut to a readable length
};

}  // namespace weir::monitor
