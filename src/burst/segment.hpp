#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir::burst {

// A segment of a client's log: a file of fixed size, one page that says what it is, then the client's bytes.
// Written once from front to back, never again; docs/formats/burst-segment.md.
inline constexpr std::uint64_t kSegmentHeader = 4096;
inline constexpr std::uint64_t kSmallestSegment = std::uint64_t{64} << 10;

struct SegmentHeader {
  std::string job;         // at most 255 bytes
  std::uint32_t node = 0;  // of the agent that made it
  std::uint32_t number = 0;
  std::uint64_t client = 0;
  std::uint64_t bytes = 0;  // of the file, this page included
  bool operator==(const SegmentHeader&) const = default;
};

std::array<std::byte, kSegmentHeader> encode_segment_header(const SegmentHeader& header);
Result<SegmentHeader> decode_segment_header(ByteSpan page);
Result<SegmentHeader> read_segment_header(const std::filesystem::path& path);

std::string segment_name(std::uint64_t client, std::uint32_t number);  // its file's name

// When a segment takes its space from the device.
enum class Reserve {
  now,     // all of it before anybody writes: later writes are faster and cannot fail for want of space
  lazily,  // as it is written; refused at once only where the device has not got so much
};
// 0 or errno: ENOSPC where the device is full, EEXIST where it is there. Nothing is left behind on an error.
int create_segment(const std::filesystem::path& path, const SegmentHeader& header, Reserve reserve);

}  // namespace weir::burst
