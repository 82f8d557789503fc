#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"

namespace weir::workload {

// What the workers do: the thirteen modes of IOzone's throughput tests, and the write patterns of studies of
// interference.
enum class Mode {
  initial_write,
  rewrite,
  read,
  reread,
  random_read,
  random_write,
  mixed,
  reverse_read,
  stride_read,
  fwrite,
  fread,
  pwrite,
  pread,
  open_write_close,
  write_seek,
  aggregate_write,
  metadata,  // makes, closes, looks at and removes a file for every record; no byte is moved
};

// How a record is moved.
enum class Engine { posix, stdio, mmap, uring, mpiio };
// What a worker is.
enum class Workers { threads, processes, mpi };
enum class Layout { per_worker, shared };
// What makes written records durable: nothing, fsync after each, O_SYNC, O_DIRECT.
enum class Sync { none, fsync, osync, direct };
enum class Cache { warm, cold };
// When aggregate_write flushes what it has gathered: never, by fsync, or by closing and opening again.
enum class Flush { none, fsync, reopen };

// "random_read" and so on; the names grids and stores use.
std::string_view name(Mode mode);
std::string_view name(Engine engine);
std::string_view name(Workers workers);
std::string_view name(Layout layout);
std::string_view name(Sync sync);
std::string_view name(Cache cache);
std::string_view name(Flush flush);

// One run of one workload. Every worker moves `file_size` bytes in records of `record_size`: in a file of
// its own, or in its own part of a shared one.
struct Job {
  Mode mode = Mode::initial_write;
  std::optional<Engine> engine;  // the mode's own when not said: stdio for fwrite and fread, else posix
  Workers workers = Workers::threads;
  std::uint32_t count = 1;  // of workers
  Bytes file_size{1U << 20U};
  Bytes record_size{4096};
  Layout layout = Layout::per_worker;
  Sync sync = Sync::none;
  Cache cache = Cache::warm;
  Flush flush = Flush::none;
  Bytes flush_every;          // aggregate_write; 0: once, at the end
  std::uint32_t stride = 17;  // of stride_read, in records; IOzone's
  std::uint32_t depth = 1;    // requests in flight per worker, uring only
  double read_share = 0.5;    // of mixed
  Nanoseconds period;         // with it, workers move records in the first `duty` of every period only
  double duty = 1;            // a period begins at whole multiples of it on the wall clock
  bool sync_at_end = true;    // an fsync of written files inside the measured time
  bool verify = false;        // what is read is what was written; written files are read back afterwards
  bool keep = false;          // leave the files
  std::uint64_t seed = 1;     // of random offsets and of the data
  std::filesystem::path directory = ".";
};

// The engine that will be used.
Engine engine_of(const Job& job);

// The first thing about the job that makes no sense (a record larger than the file, O_DIRECT with stdio,
// ...), with the remedy; or an engine this build lacks.
Result<void> check(const Job& job);

// Sets one field by name and text as a grid or a command line gives it: "record_size", "64k". Unknown names
// and unparsable values are errors that list what would do.
Result<void> set_field(Job& job, std::string_view field, std::string_view value);

Json to_json(const Job& job);
Result<Job> job_from_json(const Json& json);

}  // namespace weir::workload
