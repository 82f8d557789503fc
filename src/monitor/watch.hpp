#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
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
  // Programs with their arguments whose output is parsed (mmpmon -p, gluster volume profile), each run at
  // most once a second beside the slices. Their counters change in the slice in which the output arrives.
  std::vector<std::vector<std::string>> commands;
};

// Where the directories lie.
struct Storage {
  std::vector<std::string> devices;    // sources of their disks: "disk:sda"
  std::vector<std::string> beneath;    // disks under those (loop files, device-mapper)
  std::vector<std::string> elsewhere;  // "/dev/shm: tmpfs, no block device"
};

// What changed in one slice.
struct Slice {
  std::int64_t begin_ns = 0;    // wall clock, since 1970
  std::vector<double> changes;  // by counter, in the order of Seen::counters: difference, or level at the end
                                // (not a number where it could not be read)
};

// What was seen between start and stop. Differences are never negative: where a counter falls (a device that
// was reset, a new mount) the slice counts nothing and `absent` says so.
struct Seen {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::vector<Counter> counters;  // differences over the whole time; levels as their mean
  // The first begins before begin_ns and the last ends at end_ns. A slice that came too late holds the
  // differences of those before it too, and begins where the first of them did.
  std::vector<Slice> slices;
  std::vector<std::string>
      absent;                 // "lustre: no /proc/fs/lustre", one a kind; also what went during the watch
  std::uint64_t damaged = 0;  // lines; one that is damaged in every slice counts once
  std::string first_damaged;
  std::uint64_t missed = 0;  // slices that came too late
  Storage storage;

  // The difference summed over sources that begin with `source` ("disk:"), or 0.
  double sum(std::string_view source, std::string_view name) const;
};

// Reads all counters in a thread of its own, a slice at a time.
class Watch {
 public:
  // The first reading is done when this returns. Nothing that is absent is an Error; a slice under 1 ms is.
  static Result<Watch> start(const WatchOptions& options);
  // The last reading is done when this returns. Once only.
  Seen stop();
  ~Watch();
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;

 private:
  struct State;
  explicit Watch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Bytes between processes and block devices.
struct Traffic {
  Bytes read, written;
  // What was asked for by read and write calls, whatever answered: caches, pipes, sockets.
  Bytes asked_to_read{}, asked_to_write{};

  // What was moved after `earlier`.
  Traffic since(const Traffic& earlier) const;
};

// The kernel's count for this process, its children that have ended and been waited for, and those that still
// run: taken before and after a run, the difference is the run's own. Which bytes these are, and when they
// are counted, is told in own_traffic.cpp.
Result<Traffic> own_traffic(const std::filesystem::path& root = "/");
// The same of another process and its children; one that has ended and was not waited for yet still tells.
Result<Traffic> traffic_of(int process, const std::filesystem::path& root = "/");

// What a run is judged by.
struct Limits {
  double external_share = 0.10;  // traffic of others, as a share of the program's own
  double cpu_pressure = 0.10;    // share of the time in which some task waited for a processor
  double steal = 0.02;           // share of processor time taken by the hypervisor
  // Processor time is told in whole ticks, so that a difference may be wrong by one on each processor (Linux
  // USER_HZ, 100 everywhere). What such an error could explain is not held against a run: two ticks in a run
  // of 0.2 s on two processors look like 5 %, and may be nearly nothing.
  double processor_tick = 0.01;  // seconds

  Bytes external_least{1U << 20U};  // less than this is never worth a word
  // File systems write journals and inodes that no process is charged with: on ext4 1 to 14 KiB for each
  // flush of the device's cache were measured, five times the data of a program that syncs every 4 KiB. So
  // much a flush is not taken for somebody's traffic.
  Bytes metadata_per_flush{16U << 10U};
};

struct Verdict {
  bool clean = true;
  std::vector<std::string>
      reasons;                     // "others moved 31 % as much through disk:sda (12.4 MiB beside 40.0 MiB)"
  std::vector<std::string> notes;  // what could not be judged, and why
};

// own_read, own_written: what the program itself moved to and from storage (the kernel's count for its
// processes where there is one, see own_traffic()), not what it asked for. Traffic is judged on the disks of
// the watched directories; where none were named, on every disk by itself.
Verdict judge(const Seen& seen, Bytes own_read, Bytes own_written, const Limits& limits);

// {"begin_ns": ..., "end_ns": ..., "missed": 0, "damaged": 0, "absent": ["lustre: no ..."],
//  "counters": {"disk:sda": {"write_bytes": 4096}, "disk:sdb": {}},
//  "slices": {"begin_ns": [...], "disk:sda": {"write_bytes": [0, 4096]}}}
// Counters in which nothing happened are left out, so that an idle source is an empty object. With slices,
// one array per counter, a number for each slice; null where it could not be read.
Json to_json(const Seen& seen);

}  // namespace weir::monitor
