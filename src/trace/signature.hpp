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
  // A word that processes have differently: a line in the rank, whose value at rank 0 stands in `words`, or a
  // word of the process's own.
  struct Varying {
    std::uint32_t word = 0;
    bool own = false;
    std::int64_t slope = 0;

    friend bool operator==(const Varying&, const Varying&) = default;
  };

  std::uint32_t function = 0;
  std::uint32_t depth = 0;
  std::uint32_t columns = 0;      // values each record brings
  std::uint32_t descriptors = 0;  // of these: numbers of new descriptors
  std::vector<std::uint64_t> words;
  std::vector<Part> parts;       // one per argument, then the result
  std::vector<Varying> varying;  // in the order of the words
};

// Calls free_word(i) for each word that is a plain number: the processes of a class may have it differently.
// Ids of handles, texts, names and errors are none: they make the class.
template <class FreeWord>
void for_each_free_word(const Signature& signature, FreeWord&& free_word) {
  for (const Signature::Part& part : signature.parts) {
    switch (part.encoding) {
      case Encoding::literal:
      case Encoding::distance:
      case Encoding::relative:
        free_word(part.word);
        break;
      case Encoding::path:
        for (std::uint32_t k = 1; k <= part.numbers; ++k) free_word(part.word + k);
        break;
      default:
        break;
    }
  }
}

// Calls column() or descriptor() for each value that a record brings, in their order.
template <class Column, class Descriptor>
void for_each_value(const Signature& signature, Column&& column, Descriptor&& descriptor) {
  for (const Signature::Part& part : signature.parts) {
    switch (part.encoding) {
      case Encoding::column:
        column();
        break;
      case Encoding::path_column:
        for (std::uint32_t k = 0; k < part.numbers; ++k) column();
        break;
      case Encoding::opened_pair:
        descriptor();
        [[fallthrough]];
      case Encoding::opened:
        descriptor();
        break;
      default:
        break;
    }
  }
}

// A signature as one process has it.
struct OwnSignature {
  const Signature* signature = nullptr;
  const std::uint64_t* words = nullptr;
  std::int64_t rank = 0;     // of the caller, in the communicator of the call
  std::uint32_t number = 0;  // among the trace's
};

// Checks everything that decoding relies on. `numbers_in` says how many numbers each template has.
Result<Signature> parse_signature(std::span<const std::uint64_t> words, std::span<const Function> functions,
                                  std::span<const std::uint32_t> numbers_in, std::size_t texts);

}  // namespace weir::trace
