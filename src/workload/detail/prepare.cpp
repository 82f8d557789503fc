#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "workload/detail/files.hpp"
#include "workload/detail/memory.hpp"

namespace weir::workload::detail {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20U;

// Calls use(chunk, offset) for a span, a chunk of the buffer at a time.
template <class Use>
Result<void> in_chunks(std::span<std::byte> buffer, std::uint64_t begin, std::uint64_t end, Use use) {
  for (std::uint64_t at = begin; at < end;) {
    if (auto fine = check_interrupt(); !fine) return fine;
    const auto chunk = buffer.first(std::min<std::uint64_t>(buffer.size(), end - at));
    if (auto fine = use(chunk, at); !fine) return fine;
    at += chunk.size();
  }
  return {};
}

Result<void> read_chunk(int fd, std::span<std::byte> chunk, std::uint64_t at, const Opening& opening) {
  for (std::size_t done = 0; done < chunk.size();) {
    const ssize_t got = ::pread(fd, chunk.data() + done, chunk.size() - done, static_cast<off_t>(at + done));
    if (got == 0) return error_of({Trouble::Kind::ends_early, false, 0, at, {}}, opening);
    if (got < 0 && errno != EINTR) return error_of({Trouble::Kind::failed, false, errno, at, {}}, opening);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return {};
}

Result<void> write_chunk(int fd, std::span<const std::byte> chunk, std::uint64_t at, const Opening& opening) {
  for (std::size_t done = 0; done < chunk.size();) {
    const ssize_t put = ::pwrite(fd, chunk.data() + done, chunk.size() - done, static_cast<off_t>(at + done));
    if (put < 0 && errno != EINTR) return error_of({Trouble::Kind::failed, true, errno, at, {}}, opening);
    if (put > 0) done += static_cast<std::size_t>(put);
  }
  return {};
}

// Opens for what is not measured: through the cache, whatever the job says.
Result<UniqueFd> open_plain(Opening& opening, Moves moves, bool create) {
  opening.moves = moves;
  opening.create = create;
  opening.sync = Sync::none;
  auto fd = open_for(opening);
  if (!fd) return fd.error();
  return UniqueFd(*fd);
}

}  // namespace

Result<void> prepare(const Task& task) {
  const Shape shape = shape_of(task.job.mode);
  Opening opening = opening_of(task);
  opening.record_size = kChunk;
  if (!shape.existing) {
    // A mapping cannot make a shared file grow without taking part of it from the others.
    if (engine_of(task.job) != Engine::mmap || task.job.layout != Layout::shared) return {};
    const auto fd = open_plain(opening, Moves::write, true);
    if (!fd) return fd.error();
    if (::ftruncate(fd->get(), static_cast<off_t>(task.extent() * task.job.count)) != 0)
      return error_of(errno, "cannot give it its size", opening);
    return {};
  }
  auto buffer = Memory::allocate(kChunk);
  if (!buffer) return buffer.error();
  const auto fd = open_plain(opening, Moves::both, true);
  if (!fd) return fd.error();
  const DataPattern pattern = task.pattern(Generation::prepared);
  auto done = in_chunks(buffer->span(), opening.begin, opening.end, [&](auto chunk, std::uint64_t at) {
    pattern.fill(chunk, at);
    return write_chunk(fd->get(), chunk, at, opening);
  });
  if (!done) return done;
  // Otherwise the kernel would write it out while something else is measured.
  if (::fsync(fd->get()) != 0) return error_of(errno, "cannot make it durable", opening);
  if (task.job.mode != Mode::reread) return {};
  return in_chunks(buffer->span(), opening.begin, opening.end,
                   [&](auto chunk, std::uint64_t at) { return read_chunk(fd->get(), chunk, at, opening); });
}

Result<void> read_back(const Task& task) {
  const Shape shape = shape_of(task.job.mode);
  if (shape.moves == Moves::read) return {};
  auto buffer = Memory::allocate(std::max<std::size_t>(kChunk, aligned_up(task.job.record_size.count)));
  if (!buffer) return buffer.error();
  Opening opening = opening_of(task);
  const std::uint64_t files = task.job.mode == Mode::open_write_close ? task.records() : 1;
  const Coin coin = task.coin();
  const std::uint64_t size = task.job.record_size.count;
  for (std::uint64_t file = 0; file < files; ++file) {
    opening.file = task.file_of(file);
    const auto fd = open_plain(opening, Moves::read, false);
    if (!fd) return fd.error();
    const DataPattern prepared = task.pattern(Generation::prepared, file);
    const DataPattern written = task.pattern(Generation::written, file);
    // Whole records: in `mixed` a record was either written or left alone.
    const auto records = buffer->span().first(buffer->span().size() / size * size);
    auto fine =
        in_chunks(records, opening.begin, opening.end, [&](auto chunk, std::uint64_t at) -> Result<void> {
          if (auto read = read_chunk(fd->get(), chunk, at, opening); !read) return read;
          for (std::size_t from = 0; from < chunk.size(); from += size) {
            const std::uint64_t record = (at + from - opening.begin) / size;
            const bool left_alone = shape.moves == Moves::both && coin.reads(record);
            const auto found =
                (left_alone ? prepared : written).compare(chunk.subspan(from, size), at + from);
            if (found) return error_of({Trouble::Kind::differs, false, 0, at, *found}, opening);
          }
          return {};
        });
    if (!fine) return fine;
  }
  return {};
}

}  // namespace weir::workload::detail
