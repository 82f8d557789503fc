#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/result.hpp"

struct ZSTD_CCtx_s;  // of zstd.h

namespace weir::trace {

// Writes blocks of mode lossless in memory given to it once: it allocates nothing, throws nothing and
// calls nothing of the system, so that the recorder can use it inside an application.
class LosslessEncoder {
 public:
  static std::size_t workspace_bytes(std::size_t max_records);
  // The most bytes a block of `records` records takes.
  static std::size_t bound(std::size_t records);

  LosslessEncoder() = default;  // encodes nothing
  // `workspace` has workspace_bytes(max_records), is aligned to 8 and outlives the encoder.
  LosslessEncoder(std::span<std::byte> workspace, std::size_t max_records);

  // Writes one block, mode byte included, and gives its size. 0 when there are more than max_records
  // records, the spans differ in length, or `out` is shorter than bound(); nothing else can fail.
  std::size_t encode(std::span<const std::int64_t> start, std::span<const std::uint64_t> duration,
                     std::span<std::byte> out);

 private:
  class Output;
  void put_column(Output& out, std::size_t records, std::uint64_t all);
  void put_plane(Output& out, std::size_t records);

  std::size_t max_records_ = 0;
  std::uint64_t* values_ = nullptr;  // max_records of them
  std::byte* plane_ = nullptr;       // likewise
  ZSTD_CCtx_s* zstd_ = nullptr;
};

// What follows the mode byte of such a block.
Result<void> decode_lossless(ByteReader& in, std::span<std::int64_t> start,
                             std::span<std::uint64_t> duration);

}  // namespace weir::trace
