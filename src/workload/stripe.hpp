#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace weir::workload {

// One file written synchronously in stripes over m targets, all targets at once: target i gets the stripes i,
// i+m,
// ... in a file of its own. With one target that is itself a striped file system, the parts cannot be seen.
struct StripeJob {
  std::vector<std::filesystem::path> targets;  // directories
  Bytes size{512U << 20U};                     // of the whole file
  Bytes stripe{1U << 20U};
  bool direct = false;  // O_DIRECT besides O_SYNC
  bool keep = false;
  std::uint64_t run = 0;  // names the files
};

struct StripePart {
  Nanoseconds open, write, close;
  Bytes bytes;
};

struct StripeOutcome {
  std::int64_t started_ns = 0;  // wall clock, since 1970
  Nanoseconds total;        // T: the slowest part's write time; the write itself where there is one target
  Nanoseconds open, close;  // the slowest part's
  std::vector<StripePart> parts;  // S_i is parts[i].write; empty where the file system does the striping
};

// Partial writes are continued; a target that fails is an Error naming it; files are removed unless kept.
Result<StripeOutcome> write_striped(const StripeJob& job);

}  // namespace weir::workload
