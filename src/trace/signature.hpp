#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "trace/encoding.hpp"
#include "trace/record.hpp"

namespace weir::trace {

// A signature taken apart, so that decoding a record reads it front to back.
struct Signature {
  struct Part {
    Encoding encoding = Encoding::absent;
    std::uint32_t numbers = 0;  // of a path
    std::uint32_t word = 0;     // where its words begin
  };

  std::uint32_t function = 0;
  std::uint32_t depth = 0;
  std::uint32_t columns = 0;  // values each record brings
  std::vector<std::uint64_t> words;
  std::vector<Part> parts;  // one per argument, then the result
};

// Checks everything that decoding relies on. `numbers_in` says how many numbers each template has.
Result<Signature> parse_signature(std::span<const std::uint64_t> words, std::span<const Function> functions,
                                  std::span<const std::uint32_t> numbers_in, std::size_t texts);

}  // namespace weir::trace
