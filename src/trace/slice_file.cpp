#include "trace/slice_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.hpp"

namespace weir::trace {
namespace {

// Up to `size` bytes from a place; fewer where the file ends.
Result<std::string> read_at(int fd, std::size_t size, std::size_t at) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, bytes.data() + done, size - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::from_errno(errno, "cannot read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

std::uint64_t word(std::string_view bytes, std::size_t index) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

std::string text(std::string_view bytes, std::size_t index, std::size_t length) {
  const std::string_view all = bytes.substr(index * sizeof(std::uint64_t), length);
  return std::string(all.substr(0, all.find('\0')));
}

}  // namespace

namespace slices {

std::string_view name(Layer layer) {
  constexpr std::array kNames = {"posix", "stdio", "mpiio"};
  return kNames[static_cast<std::size_t>(layer)];
}

std::string_view name(Operation operation) {
  constexpr std::array kNames = {"read",  "write", "open",  "close",      "sync",
                                 "names", "jump",  "whole", "whole_write"};
  return kNames[static_cast<std::size_t>(operation)];
}

}  // namespace slices

SliceCount& SliceCount::operator+=(const SliceCount& other) {
  calls += other.calls;
  bytes += other.bytes;
  time_ns += other.time_ns;
  return *this;
}

SliceCount ProcessSlice::of(slices::Operation operation) const {
  SliceCount sum;
  for (const slices::Layer layer : {slices::Layer::posix, slices::Layer::stdio})
    sum += counts[static_cast<std::size_t>(layer)][static_cast<std::size_t>(operation)];
  return sum;
}

Result<ProcessSlices> read_slices(const std::filesystem::path& file) {
  using namespace slices;
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Error::from_errno(errno, "cannot open").in(file.string());
  // The file is sparse and long: only what is used is read.
  const auto bytes = read_at(fd.get(), kHeadWords * sizeof(std::uint64_t), 0);
  if (!bytes) return bytes.error().in(file.string());
  if (bytes->size() < kHeadWords * sizeof(std::uint64_t) || word(*bytes, magic) != kMagic)
    return Error{Errc::bad_data, "is no file of slices"}.in(file.string());
  if (word(*bytes, version) != kVersion)
    return Error{Errc::unsupported,
                 fmt::format("slices of version {}; this Weir reads {}", word(*bytes, version), kVersion)}
        .in(file.string());
  ProcessSlices found;
  found.slice_ns = static_cast<std::int64_t>(word(*bytes, slice_ns));
  if (found.slice_ns <= 0) return Error{Errc::bad_data, "slices of no length"}.in(file.string());
  found.started_ns = static_cast<std::int64_t>(word(*bytes, started_ns));
  found.process = word(*bytes, process);
  found.parent = word(*bytes, parent);
  found.lost = word(*bytes, lost);
  found.host = text(*bytes, host, kHostBytes);
  found.command = text(*bytes, command, kCommandBytes);
  constexpr std::size_t kRecordBytes = kRecordWords * sizeof(std::uint64_t);
  struct stat seen {};
  if (::fstat(fd.get(), &seen) != 0) return Error::from_errno(errno, "cannot look at it").in(file.string());
  const std::uint64_t there = (static_cast<std::uint64_t>(seen.st_size) - bytes->size()) / kRecordBytes;
  const auto records = read_at(fd.get(), std::min(word(*bytes, used), there) * kRecordBytes, bytes->size());
  if (!records) return records.error().in(file.string());
  for (std::size_t i = 0; i < records->size() / kRecordBytes; ++i) {
    const std::size_t at = i * kRecordWords;
    ProcessSlice slice;
    slice.begin_ns = static_cast<std::int64_t>(word(*records, at));
    for (std::size_t layer = 0; layer < kLayers; ++layer)
      for (std::size_t operation = 0; operation < kOperations; ++operation) {
        const std::size_t from = at + place(static_cast<Layer>(layer), static_cast<Operation>(operation));
        slice.counts[layer][operation] = {word(*records, from), word(*records, from + 1),
                                          word(*records, from + 2)};
      }
    found.slices.push_back(slice);
  }
  std::ranges::stable_sort(found.slices, {}, &ProcessSlice::begin_ns);
  return found;
}

}  // namespace weir::trace
