#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::monitor {

// One number the storage system shows. The same word stands for the same thing in every format, in SI units:
//   read_bytes, read_operations, read_seconds    moved between storage and its user at that level: a disk, an
//   (write_, discard_, flush_)                   NFS or Lustre RPC, a brick. Seconds are summed over
//   requests. application_read_bytes, ...                  asked for by programs, answered from caches too
//   (NFS, Lustre's
//                                                llite, GPFS)
//   <call>_operations, <call>_seconds            other calls by their name: open, fsync, getattr, statfs
//   sent_bytes, received_bytes, ..._packets      on a network
//   busy_seconds, queue_seconds                  time with requests in flight; the same, times their number
//   some_seconds, full_seconds                   pressure: some task, all tasks waited
//   steal_seconds, idle_seconds, all_seconds     processor time, summed over processors
struct Counter {
  std::string source;  // "disk:sda", "nfs:/mnt/scratch", "lustre-llite:scratch", "ib:mlx4_0/1", "psi:io"
  std::string name;
  double value = 0;
  bool total = true;    // grows from a start (differences are taken); false: a level (averages, maxima)
  double wraps_at = 0;  // where a total starts again at 0; 0: it does not
};

// What one text held. Lines that could not be read are skipped and counted.
struct Parsed {
  std::vector<Counter> counters;
  std::uint64_t damaged = 0;
  std::string first_damaged;  // cut to a readable length
};

}  // namespace weir::monitor
