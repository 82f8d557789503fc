#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.hpp"
#include "workload/detail/data_pattern.hpp"
#include "workload/detail/mode_shape.hpp"
#include "workload/detail/record_order.hpp"
#include "workload/job.hpp"

namespace weir::workload::detail {

// What one worker has to do: its part of a job and the file it is in.
struct Task {
  Job job;
  std::uint32_t worker = 0;
  std::filesystem::path file;  // modes with a file for every record add its number

  bool file_a_record() const { return job.mode == Mode::open_write_close || job.mode == Mode::metadata; }
  std::uint64_t records() const { return job.file_size.count / job.record_size.count; }
  // Bytes its part takes in its file, and where they begin.
  std::uint64_t extent() const {
    const bool one_record = job.mode == Mode::write_seek || file_a_record();
    return one_record ? job.record_size.count : job.file_size.count;
  }
  std::uint64_t begin() const { return job.layout == Layout::shared ? worker * extent() : 0; }

  std::uint64_t seed() const { return mix(job.seed, worker); }
  template <Order O>
  RecordOrder<O> order() const {
    return RecordOrder<O>(records(), job.stride, seed());
  }
  Coin coin() const { return Coin(job.read_share, mix(seed(), 1)); }

  DataPattern pattern(Generation generation, std::uint64_t record = 0) const {
    if (job.mode == Mode::open_write_close) return {job.seed, worker * records() + record, generation};
    return {job.seed, job.layout == Layout::shared ? 0 : worker, generation};
  }
  std::filesystem::path file_of(std::uint64_t record) const {
    if (!file_a_record()) return file;
    return file.string() + "." + std::to_string(record);
  }
};

// How an engine opens its file.
struct Opening {
  std::filesystem::path file;
  std::uint64_t position = 0;  // where the stream begins
  std::uint64_t end = 0;       // one past the last byte that will be touched
  std::uint64_t begin = 0;     // the first byte that will be touched
  Moves moves = Moves::read;
  bool create = false;
  bool shared = false;
  Sync sync = Sync::none;
  std::uint64_t record_size = 0;
};
Opening opening_of(const Task& task);

// open(2)'s flags for it.
int open_flags(const Opening& opening);
// Opens it, or says what the file system has against it.
Result<int> open_for(const Opening& opening);

// Why an operation did not do what it should; plain, because a mapping's fault may jump out of the loop.
struct Trouble {
  enum class Kind : std::uint8_t { none, failed, ends_early, differs, fault };
  Kind kind = Kind::none;
  bool writing = false;
  int error = 0;             // failed: errno
  std::uint64_t offset = 0;  // of the record
  Mismatch mismatch{};       // differs

  explicit operator bool() const { return kind != Kind::none; }
};
// An engine's answer for an operation: 0, an errno, or this when a file ends too soon.
inline constexpr int kEndsEarly = -1;

Error error_of(const Trouble& trouble, const Opening& opening);
// For what is not an operation on a record: opening, syncing, closing.
Error error_of(int error, std::string_view what, const Opening& opening);

}  // namespace weir::workload::detail
