#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"

namespace weir::interference {

// What was written to one target of a storage (a disk, a server's target, a brick), slice by slice.
struct TargetCourse {
  std::string name;
  std::vector<double> bytes;
};
struct Targets {
  std::int64_t slice_ns = 0;
  std::vector<std::int64_t> begin_ns;  // of the slices, ascending
  std::vector<TargetCourse> courses;
};

// From the storage's slices that `weir interfere slices --dir` kept: the targets of a parallel file system
// where its counters are there, else the disks of the directories. An Error where nothing was written.
Result<Targets> targets_in(const Json& seen);

struct TargetEnd {
  std::string name;
  double bytes = 0;
  double end_s = 0;  // since the first write to any
  double rate = 0;   // bytes a second up to its end
  bool straggler = false;
};

// How evenly a storage's targets were at work.
struct Balance {
  std::vector<TargetEnd> targets;  // those that were written to
  double whole_s = 0;
  // The tail: after the first target had nothing more to do.
  double tail_s = 0, tail_share = 0;  // share of all bytes
  double imbalance = 0;               // how much longer the last takes than the median target, in percent
};

// A straggler ends a quarter later than the median target, and two slices at least.
Balance balance_of(const Targets& targets);

Json to_json(const Balance& balance);

}  // namespace weir::interference
