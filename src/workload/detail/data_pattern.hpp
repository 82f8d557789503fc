#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace weir::workload::detail {

// Whether a byte was there before the measured time or was written within it.
enum class Generation : std::uint8_t { prepared, written };

struct Mismatch {
  std::uint64_t offset;  // of the first byte that differs
  std::uint8_t expected;
  std::uint8_t found;
};

// What the files of a job hold: the 64-bit word w of a file is key + w * an odd constant, so that no two
// words of a file are equal, words of different files and generations differ, and a compiler makes vectors of
// it.
class DataPattern {
 public:
  DataPattern(std::uint64_t seed, std::uint64_t file, Generation generation);

  // What belongs at `offset`.
  void fill(std::span<std::byte> bytes, std::uint64_t offset) const;
  std::optional<Mismatch> compare(std::span<const std::byte> bytes, std::uint64_t offset) const;

  // Makes every 4 KiB of a filled buffer differ from all others of the file for the price of a store each:
  // storage that folds equal blocks must not be faster than storage that does not.
  void stamp(std::span<std::byte> bytes, std::uint64_t offset) const;

 private:
  std::uint64_t word(std::uint64_t index) const;
  std::byte byte_at(std::uint64_t offset) const;

  std::uint64_t key_;
};

}  // namespace weir::workload::detail
