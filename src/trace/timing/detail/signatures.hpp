#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::trace::detail {

// The signatures of a block numbered 0, 1, 2, ... in order of their first record. Encoder and decoder
// derive the same numbers, so that tables per signature need no keys.
struct LocalSignatures {
  explicit LocalSignatures(std::span<const std::uint32_t> signature);

  std::size_t size() const { return global.size(); }

  std::vector<std::uint32_t> of_record;  // the local number of each record
  std::vector<std::uint32_t> global;     // the signature with each local number
  std::vector<std::uint32_t> count;      // its records
};

}  // namespace weir::trace::detail
