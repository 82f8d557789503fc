#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "semantics/accesses.hpp"

namespace weir::semantics {

// How accesses follow each other: each begins where the one before ended, behind it, or elsewhere.
struct Sequence {
  std::uint64_t consecutive = 0;
  std::uint64_t monotonic = 0;
  std::uint64_t random = 0;

  std::uint64_t all() const { return consecutive + monotonic + random; }
  void add(const Sequence& more);
};

// Sizes of requests: bin i holds those of [2^i, 2^(i+1)) bytes.
struct Sizes {
  std::array<std::uint64_t, 64> bins{};
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  void add(std::uint64_t bytes_of_one);
  void add(const Sizes& more);
};

// In each phase the i-th process accesses `length` bytes at stride * i + first + phase * cycle.
struct Stride {
  std::int64_t first = 0;
  std::int64_t stride = 0;
  std::int64_t length = 0;
  std::uint64_t phases = 1;
  std::int64_t cycle = 0;  // with more than one phase

  bool cyclic() const { return phases > 1; }
};

struct FilePattern {
  std::size_t file = 0;
  bool writes = false;  // of the writes, else of the reads
  std::vector<std::uint32_t> processes;
  Sequence local;   // each process by itself
  Sequence global;  // all by time
  Sizes sizes;
  std::optional<Stride> stride;
};

// Files whose names differ in numbers only, and who accesses them: N all processes, M some, 1 one.
struct GroupPattern {
  std::string name;  // with '#' for numbers
  bool writes = false;
  std::uint64_t files = 0;
  std::uint64_t processes = 0;
  std::string pattern;  // "N-1"
  std::string shape;    // "consecutive", "strided", "strided cyclic", "monotonic", "random"
  std::uint64_t bytes = 0;
};

struct Patterns {
  std::uint64_t processes = 0;  // N: ranks, or all processes where there are none
  std::vector<FilePattern> files;
  std::vector<GroupPattern> groups;  // most bytes first
  Sequence local;
  Sequence global;
  Sizes reads;
  Sizes writes;
};

Patterns find_patterns(const Accesses& accesses);

}  // namespace weir::semantics
