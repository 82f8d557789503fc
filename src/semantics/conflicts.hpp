#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "consistency/model.hpp"
#include "semantics/access.hpp"
#include "semantics/precedence.hpp"

namespace weir::semantics {

// Overlapping accesses of which the first writes: read-after-write and write-after-write, of one process with
// itself (s) or of two (d).
struct ConflictCounts {
  std::uint64_t waw_s = 0;
  std::uint64_t waw_d = 0;
  std::uint64_t raw_s = 0;
  std::uint64_t raw_d = 0;

  std::uint64_t own() const { return waw_s + raw_s; }
  std::uint64_t others() const { return waw_d + raw_d; }
  void add(const ConflictCounts& more);
  friend bool operator==(const ConflictCounts&, const ConflictCounts&) = default;
};

enum class PairKind : std::uint8_t { waw_s, waw_d, raw_s, raw_d, race };

// Two accesses in the way of a model. Of a race neither is known to be the first.
struct ConflictPair {
  PairKind kind = PairKind::race;
  std::uint32_t models = 0;  // bit i: conflicts under model i
  Access first;
  Access second;
};

// What two processes have to do with each other on a file.
struct ProcessPair {
  std::uint64_t overlaps = 0;  // of which one writes
  std::uint64_t races = 0;
  std::uint32_t models = 0;  // bit i: some conflict under model i
};

// All conflicting pairs of two members between the same sync points of both: one place to mend them.
struct Gap {
  std::uint64_t pairs = 0;
  std::uint32_t models = 0;  // bit i: conflicts under model i
  bool race = false;
  Access first;  // of the pair with the last write
  Access second;
};
struct GapKey {
  std::uint32_t first = 0;  // members, and how many of their sync points came before
  std::uint32_t first_syncs = 0;
  std::uint32_t second = 0;
  std::uint32_t second_syncs = 0;
  bool race = false;
  friend auto operator<=>(const GapKey&, const GapKey&) = default;
};

struct FileFindings {
  std::vector<ConflictCounts> conflicts;  // by model
  std::uint64_t races = 0;
  std::uint64_t overlaps = 0;          // pairs looked at
  std::vector<ConflictPair> examples;  // the first of each kind and set of models
  // Of members; the first the one that comes first, of a race the lower.
  std::map<std::pair<std::uint32_t, std::uint32_t>, ProcessPair> pairs;
  std::map<GapKey, Gap> gaps;  // the first 1000

  bool sufficient(std::size_t model, const consistency::Model& about) const {
    const ConflictCounts& counts = conflicts[model];
    return races == 0 && counts.others() == 0 && (about.own_order || counts.own() == 0);
  }
};

struct ConflictOptions {
  // Every pair of overlapping accesses is judged and counted, as in the source (its Algorithm 4.1): quadratic
  // where many overlap. Otherwise each access is judged against what last wrote its bytes and, if it writes,
  // who read them since: an access counts once for each kind. Whether a model suffices comes out the same.
  bool all_pairs = false;
  std::size_t examples = 3;  // of each kind and set of models
};

// At most 32 models.
FileFindings find_conflicts(const File& file, std::span<const consistency::Model> models,
                            const Precedence& precedence, const ConflictOptions& options = {});

}  // namespace weir::semantics
