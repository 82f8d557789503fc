#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "semantics/accesses.hpp"
#include "semantics/conflicts.hpp"

namespace weir::semantics {

struct FileVerdict {
  std::size_t file = 0;  // of Accesses::files
  FileFindings findings;
  // The weakest model that suffices, of those that are in order; none where there are races.
  std::optional<std::size_t> weakest;
};

struct Verdict {
  std::vector<consistency::Model> models;  // the first `ordered` from strong to weak
  std::size_t ordered = 0;
  std::vector<FileVerdict> files;         // as in Accesses::files
  std::vector<ConflictCounts> conflicts;  // by model, of all files
  std::uint64_t races = 0;
  std::uint64_t overlaps = 0;
  std::vector<bool> sufficient;  // by model, for data
  std::optional<std::size_t> weakest;
};

struct VerdictOptions {
  ConflictOptions conflicts;
  unsigned threads = 0;
  std::function<void(std::uint64_t accesses)> advance;  // from any thread
};

// Holds all files against the built-in models and, behind them, `others`.
Verdict judge(const Accesses& accesses, const std::vector<consistency::Model>& others,
              const Precedence& precedence, const VerdictOptions& options = {});

}  // namespace weir::semantics
