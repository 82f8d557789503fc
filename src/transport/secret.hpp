#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::transport {

// What the members of a job know and nobody else: 256 random bits.
class Secret {
 public:
  static constexpr std::size_t kBytes = 32;
  std::array<std::byte, kBytes> bytes{};

  static Secret make();                               // from the system's source of randomness
  static Result<Secret> parse(std::string_view hex);  // what hex() gave; the error does not repeat it
  std::string hex() const;

  // In a time that does not tell where they differ.
  bool equals(const Secret& other) const;
};

}  // namespace weir::transport
