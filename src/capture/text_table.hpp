#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::capture {

// Numbers for the texts of one lane, in the order they were added. Only hashes are kept: 64 bits, so that
// with the most texts a table holds two of them clash once in 10^10 tables.
class TextTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMostTexts = 16 * 1024;

  struct Storage {
    std::uint64_t hashes[2 * kMostTexts];
    std::uint32_t numbers[2 * kMostTexts];
  };

  void use(Storage* storage) { storage_ = storage; }

  std::uint32_t find(std::string_view text) const;
  bool full() const { return size_ == kMostTexts; }
  std::uint32_t add(std::string_view text);  // must not be there, and the table not full
  std::uint32_t size() const { return size_; }
  void clear();

 private:
  std::uint32_t slot_of(std::uint64_t hash) const;

  Storage* storage_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace weir::capture
