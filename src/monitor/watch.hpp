#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "monitor/counters.hpp"

namespace weir::monitor {

struct WatchOptions {
  std::filesystem::path root = "/";  // of /proc and /sys; another in tests
  std::vector<std::filesystem::path>
      directories;                 // the storage that matters: its devices and mounts are watched
  bool everything = false;         // all devices and mounts, not just those
  Nanoseconds slice{100'000'000};  // slices begin at whole multiples of this on the wall clock
  std::vector<std::vector<std::string>> commands;  // programs whose output is parsed, such as mmpmon -p
};

// What changed in one slice.
struct Slice {
  std::int64_t begin_ns = 0;    // wall clock, since 1970
  std::vector<double> changes;  // by counter, in the order of Seen::counters: difference, or level at the end
};

// What was seen between start and stop.
struct Seen {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::vector<Counter> counters;  // differences over the whole time; levels as their mean
  std::vector<Slice> slices;
  std::vector<std::string> absent;  // "lustre: no /proc/fs/lustre", one a kind
  std::uint64_t damaged = 0;
  std::uint64_t missed = 0;  // slices that came too late

  // The difference summed over sources that begin with `source` ("disk:"), or 0.
  double sum(std::string_view source, std::string_view name) const;
};

// Reads all counters in a thread of its own, a slice at a time.
class Watch {
 public:
  static Result<Watch> start(const WatchOptions& options);
  Seen stop();
  ~Watch();
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;

 private:
  struct State;
  explicit Watch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a run is judged by.
struct Limits {
  double external_share = 0.10;  // traffic of others, as a share of the program's own
  double cpu_pressure = 0.10;    // share of the time in which some task waited for a processor
  double steal = 0.02;           // share of processor time taken by the hypervisor
};

struct Verdict {
  bool clean = true;
  std::vector<std::string>
      reasons;  // "others moved 31 % as much through disk:sda (12.4 MiB beside 40.0 MiB)"
};

// own_read, own_written: what the program itself moved to and from storage (the kernel's count for its
// processes where there is one, see own_traffic()), not what it asked for.
Verdict judge(const Seen& seen, Bytes own_read, Bytes own_written, const Limits& limits);

Json to_json(const Seen& seen);

}  // namespace weir::monitor
