#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

// What one process did in slices of the wall clock: counters only, no calls. A program writes it through a
// shared mapping, so that what it counted survives its death. docs/formats/slices.md has every byte.
namespace weir::trace {

namespace slices {

// The file is an array of little-endian words of 64 bits: the head, then records.
inline constexpr std::uint64_t kMagic = 0x3153434c53524957;  // "WIRSLCS1"
inline constexpr std::uint64_t kVersion = 2;
inline constexpr std::size_t kHeadWords = 64;
enum Head : std::size_t {
  magic,
  version,
  slice_ns,
  started_ns,
  process,
  parent,
  used,
  lost,
  capacity,
  host = 16,
  command = 24
};
inline constexpr std::size_t kHostBytes = 64, kCommandBytes = 256;
inline constexpr std::size_t kRecordWords = 88;

enum class Layer : std::uint8_t { posix, stdio, mpiio };
inline constexpr std::size_t kLayers = 3;
// The last three tell the write pattern, and have no time of their own:
//   jump          writes that do not begin where the one before ended; bytes up to the next of them
//   whole         files that were closed after they were written in one go, or nearly
//   whole_write   the writes into those
// The bytes of a sync are those of the write just before it on the same descriptor.
enum class Operation : std::uint8_t { read, write, open, close, sync, names, jump, whole, whole_write };
inline constexpr std::size_t kOperations = 9;

// In a record: its begin on the wall clock, then calls, bytes and nanoseconds of each layer and operation.
constexpr std::size_t place(Layer layer, Operation operation) {
  return 1 + 3 * (static_cast<std::size_t>(layer) * kOperations + static_cast<std::size_t>(operation));
}
static_assert(place(Layer::mpiio, Operation::whole_write) + 3 <= kRecordWords);

inline constexpr std::string_view kSuffix = ".slices";
std::string_view name(Layer layer);
std::string_view name(Operation operation);

}  // namespace slices

struct SliceCount {
  std::uint64_t calls = 0, bytes = 0, time_ns = 0;

  SliceCount& operator+=(const SliceCount& other);
};

struct ProcessSlice {
  std::int64_t begin_ns = 0;  // since 1970; a whole multiple of the slice's length
  std::array<std::array<SliceCount, slices::kOperations>, slices::kLayers> counts{};

  // Of the C library's layers: what MPI-IO does comes down to their calls and would count twice.
  SliceCount of(slices::Operation operation) const;
};

struct ProcessSlices {
  std::int64_t slice_ns = 0, started_ns = 0;
  std::uint64_t process = 0, parent = 0;
  std::uint64_t lost = 0;  // calls that found no room
  std::string host, command;
  std::vector<ProcessSlice> slices;  // ascending; those in which nothing happened are not there
};

// A file that is cut short gives the slices it holds; one of another kind is an Error.
Result<ProcessSlices> read_slices(const std::filesystem::path& file);

}  // namespace weir::trace
