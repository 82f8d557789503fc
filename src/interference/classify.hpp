#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "semantics/accesses.hpp"
#include "trace/slice_file.hpp"

namespace weir::interference {

// The source's three patterns, and programs in which none has most of the bytes.
enum class WritePattern { open_write_close, write_seek, aggregate_write, mixed, none };
std::string_view name(WritePattern pattern);

struct ClassifyOptions {
  std::string under;   // only files below this directory; all without
  double clear = 0.7;  // share of the bytes that makes a pattern the program's
};

// What a program writes like, with what speaks for it.
struct Class {
  WritePattern pattern = WritePattern::none;
  std::array<double, 3> shares{};  // of the written bytes, by pattern
  // Bytes that belong together in the pattern: what is written between open and close, between two seeks, by
  // one call. Half of the pattern's bytes are in chunks of at most the middle one; a quarter below the first.
  Bytes chunk, chunk_quarter, chunk_three_quarters;
  std::uint64_t processes = 0;  // that write
  std::uint64_t files = 0;      // that are written
  Bytes written, read;
  double duration_s = 0;      // from the first to the last call on a file
  double metadata_per_s = 0;  // opens, closes, names made, removed or looked up
  double flushed_share = 0;   // of the written bytes that a flush follows before the next write
  double shared_share = 0;    // of the written bytes in files that several processes write
  // Phases of writing: apart when the pause is longer than a hundredth of the whole.
  std::uint64_t bursts = 0;
  std::optional<double> period_s;  // from one to the next, median
  double duty = 1;                 // share of the time from the first write to the last in which it writes
  std::vector<std::string> evidence;
};

// Files that nothing was written to count for metadata and reads only.
Class classify(const semantics::Accesses& accesses, const ClassifyOptions& options = {});

// The same from counters in time slices: sums stand for distributions, so that chunks are means over bytes of
// a pattern, shared files are not seen, and rhythms only where they are longer than a few slices.
Class classify(const std::vector<trace::ProcessSlices>& processes, const ClassifyOptions& options = {});

Json to_json(const Class& found);
Result<Class> class_from_json(const Json& json);

}  // namespace weir::interference
