#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "burst/extent_map.hpp"

namespace weir::burst {

// Which bytes of an open file are to be mapped before they are read. A page of a mapped segment that is new
// to the process costs more to map than to copy: who reads large pieces one after the other has the next
// ones, and the second half of the first, mapped by another thread meanwhile.
class ReadAhead {
 public:
  // From where on reads are worth it, and how far ahead.
  static constexpr std::uint64_t kWorthIt = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kPieces = 8;
  static constexpr std::uint64_t kFarthest = std::uint64_t{64} << 20;
  // What is mapped of a file that will presumably be read from its beginning on.
  static constexpr std::uint64_t kAtOpen = std::uint64_t{16} << 20;

  static Span at_open(std::uint64_t size) { return {0, size < kWorthIt ? 0 : std::min(size, kAtOpen)}; }

  // After a read of a file that ends there: what to map; empty when nothing is.
  Span after(Span bytes, std::uint64_t size);
  // What of it has been taken in hand.
  void mapped_until(std::uint64_t end) { mapped_end_ = end; }
  // Whether the last read was the end of one from the file's beginning on, in large pieces; the last one is
  // as large as it is.
  bool has_read_whole() const { return has_read_whole_; }

 private:
  std::optional<std::uint64_t> read_end_;  // of the last read
  std::uint64_t mapped_end_ = 0;
  bool in_large_pieces_ = false;  // from the beginning up to there
  bool has_read_whole_ = false;
};

}  // namespace weir::burst
