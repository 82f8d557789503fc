#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::trace {

// File names that differ only in numbers share one template: "ckpt_0001.dat" is "ckpt_", a number of four
// digits, ".dat", with the value 1. A number equal to the process id becomes a mark of its own, so that the
// names of many processes fall together.
//
// In a template byte 1 and a digit count ('0' + width, width 0 without leading zeros) stand for a number,
// byte 2 for the process id, and byte 3 before a byte of 1, 2 or 3 that the name itself holds.
class NameTemplate {
 public:
  static constexpr std::size_t kNumbers = 6;     // more digits than that stay text
  static constexpr std::size_t kLongest = 8192;  // names longer than PATH_MAX fail anyway; they are cut

  // Splits without allocating. `fixed_width` takes every number for one with leading zeros, as "1000" is
  // after "0999".
  void split(std::string_view name, std::int64_t process_id, bool fixed_width);

  std::string_view bytes() const { return {bytes_.data(), length_}; }
  std::span<const std::int64_t> numbers() const { return {numbers_.data(), count_}; }
  bool has_numbers_to_widen() const { return widenable_; }
  bool cut() const { return cut_; }

 private:
  void put(char c) { bytes_[length_++] = c; }

  std::array<char, 2 * kLongest + 2> bytes_;
  std::array<std::int64_t, kNumbers> numbers_;
  std::size_t length_ = 0;
  std::size_t count_ = 0;
  bool widenable_ = false;
  bool cut_ = false;
};

// Numbers in a template; an error if it is not one.
Result<std::size_t> count_numbers(std::string_view name_template);

// Appends the name to `out`. The template must have passed count_numbers().
void expand(std::string_view name_template, std::span<const std::int64_t> numbers, std::int64_t process_id,
            std::string& out);

}  // namespace weir::trace
