#include "workload/job.hpp"

#include <fmt/format.h>

#include "workload/detail/mode_shape.hpp"

namespace weir::workload {
namespace {

using detail::Moves;
using detail::Shape;

// A record is one system call and one buffer per request in flight.
constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 30U;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 60U;
constexpr std::uint32_t kMostWorkers = 65'536;
constexpr std::uint32_t kDeepest = 4096;
constexpr std::uint64_t kMostFiles = 10'000'000;
constexpr std::uint64_t kDirectUnit = 512;
constexpr std::int64_t kShortestPeriod = 1'000'000;

Error senseless(std::string message, std::string_view remedy) {
  return Error{Errc::usage, std::move(message)}.with_remedy(remedy);
}

Result<void> check_sizes(const Job& job) {
  if (job.count == 0) return senseless("count is 0", "give at least one worker");
  if (job.count > kMostWorkers)
    return Error{Errc::too_big, fmt::format("count is {}, more than {} workers", job.count, kMostWorkers)};
  if (job.record_size.count == 0) return senseless("record_size is 0", "write for example 4k");
  if (job.record_size.count > kLargestRecord)
    return Error{Errc::too_big,
                 fmt::format("record_size is {}, more than 1 GiB", format_bytes(job.record_size))};
  if (job.file_size < job.record_size)
    return senseless(fmt::format("a record of {} is larger than the file of {}", job.record_size.count,
                                 job.file_size.count),
                     "make record_size at most file_size");
  if (job.file_size.count % job.record_size.count != 0)
    return senseless(fmt::format("file_size {} is no multiple of record_size {}", job.file_size.count,
                                 job.record_size.count),
                     "choose sizes that divide");
  if (job.file_size.count > kLargestFile / job.count)
    return Error{Errc::too_big,
                 fmt::format("{} files of {} are more than 1 EiB", job.count, format_bytes(job.file_size))};
  return {};
}

Result<void> check_engine(const Job& job, const Shape& shape) {
  const Engine engine = engine_of(job);
#ifndef WEIR_HAVE_URING
  if (engine == Engine::uring)
    return Error{Errc::lacking, "this build of Weir has no io_uring"}.with_remedy(
        "install liburing-dev and build again, or use engine posix");
#endif
  if (engine == Engine::mpiio && job.workers != Workers::mpi)
    return senseless("engine mpiio needs MPI ranks", "set workers to mpi");
  if ((job.mode == Mode::fwrite || job.mode == Mode::fread) && engine != Engine::stdio)
    return senseless(fmt::format("mode {} is done with stdio, not with {}", name(job.mode), name(engine)),
                     "leave the engine out, or use modes initial_write and read");
  if (shape.placing == detail::Placing::explicit_offset &&
      (engine == Engine::stdio || engine == Engine::mmap))
    return senseless(fmt::format("engine {} has no {}", name(engine), name(job.mode)),
                     "use posix, uring or mpiio");
  if (job.mode == Mode::metadata && (engine != Engine::posix || job.sync != Sync::none || job.verify))
    return senseless("mode metadata moves no bytes: it has engine posix, sync none and nothing to verify",
                     "leave engine, sync and verify out");
  if (engine == Engine::mmap && job.mode == Mode::aggregate_write)
    return senseless("a mapped file has its size from the start: nothing can be appended",
                     "use another engine for aggregate_write");
  if (job.depth == 0) return senseless("depth is 0", "give at least one request in flight");
  if (job.depth > kDeepest)
    return Error{Errc::too_big, fmt::format("depth is {}, more than {}", job.depth, kDeepest)};
  if (job.depth > 1 && engine != Engine::uring)
    return senseless(fmt::format("engine {} has one request in flight, depth is {}", name(engine), job.depth),
                     "use engine uring, or depth 1");
  if (job.depth > 1 && job.mode == Mode::open_write_close)
    return senseless("open_write_close writes one record a file: depth stays 1", "use another mode");
  return {};
}

Result<void> check_sync(const Job& job, const Shape& shape) {
  const Engine engine = engine_of(job);
  if (job.sync == Sync::fsync && shape.moves == Moves::read)
    return senseless(fmt::format("mode {} writes nothing that fsync could make durable", name(job.mode)),
                     "set sync to none");
  const bool by_flag = job.sync == Sync::osync || job.sync == Sync::direct;
  if (by_flag && (engine == Engine::mmap || engine == Engine::mpiio))
    return senseless(fmt::format("sync {} does nothing with engine {}", name(job.sync), name(engine)),
                     "use fsync (msync and MPI_File_sync there), or engine posix");
  if (job.sync != Sync::direct) return {};
  if (engine == Engine::stdio)
    return senseless("O_DIRECT needs aligned buffers, which stdio does not promise",
                     "use engine posix or uring");
  if (job.record_size.count % kDirectUnit != 0)
    return senseless(
        fmt::format("record_size {} is no multiple of 512, which O_DIRECT needs", job.record_size.count),
        "use 512, 4k or a multiple");
  return {};
}

Result<void> check_pace(const Job& job) {
  if (!(job.duty > 0 && job.duty <= 1))
    return senseless(fmt::format("duty is {}", job.duty), "give a share above 0 and up to 1");
  if (job.period.count < 0) return senseless("period is negative", "give a time such as 2s");
  if (job.duty < 1 && job.period.count == 0)
    return senseless("duty is given without a period", "give a period such as 2s");
  if (job.period.count > 0 && job.period.count < kShortestPeriod)
    return senseless("period is shorter than 1 ms", "give a time such as 2s");
  if (job.duty < 1 && engine_of(job) == Engine::uring)
    return senseless("engine uring knows no silent phases", "use engine posix, or duty 1");
  return {};
}

Result<void> check_mode(const Job& job) {
  if (!(job.read_share >= 0 && job.read_share <= 1))
    return senseless(fmt::format("read_share is {}", job.read_share), "give a number from 0 to 1");
  if (job.stride == 0) return senseless("stride is 0", "give at least 1 record; IOzone's is 17");
  if (job.mode == Mode::open_write_close || job.mode == Mode::metadata) {
    if (job.layout == Layout::shared && (job.mode == Mode::metadata || engine_of(job) != Engine::posix))
      return senseless(fmt::format("{} with engine {} makes a file for every record of every worker: it "
                                   "cannot be shared",
                                   name(job.mode), name(engine_of(job))),
                       "set layout to per_worker, or use open_write_close with engine posix");
    const std::uint64_t files = job.file_size.count / job.record_size.count;
    if (files > kMostFiles / job.count)
      return Error{Errc::too_big, fmt::format("{} would make {} files for each of {} workers", name(job.mode),
                                              files, job.count)}
          .with_remedy("make file_size smaller or record_size larger");
  }
  const bool flushes = job.flush != Flush::none || job.flush_every.count != 0;
  if (flushes && job.mode != Mode::aggregate_write)
    return senseless(fmt::format("flush belongs to aggregate_write, not to {}", name(job.mode)),
                     "use sync and sync_at_end");
  if (job.flush == Flush::none && job.flush_every.count != 0)
    return senseless("flush_every is given and flush is none", "set flush to fsync or reopen");
  if (job.flush_every.count % job.record_size.count != 0)
    return senseless(fmt::format("flush_every {} is no multiple of record_size {}", job.flush_every.count,
                                 job.record_size.count),
                     "flush after whole records");
  return {};
}

}  // namespace

Engine engine_of(const Job& job) {
  if (job.engine) return *job.engine;
  return job.mode == Mode::fwrite || job.mode == Mode::fread ? Engine::stdio : Engine::posix;
}

Result<void> check(const Job& job) {
  const Shape shape = detail::shape_of(job.mode);
  if (auto fine = check_sizes(job); !fine) return fine;
  if (auto fine = check_mode(job); !fine) return fine;
  if (auto fine = check_engine(job, shape); !fine) return fine;
  if (auto fine = check_pace(job); !fine) return fine;
  if (auto fine = check_sync(job, shape); !fine) return fine;
  if (job.directory.empty()) return senseless("no directory is given", "name one, or '.'");
  return {};
}

}  // namespace weir::workload
