#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::trace {

// How an argument or a result is written down in a call signature. The numbers are part of the format.
enum class Encoding : std::uint8_t {
  absent = 0,        // nothing is kept: the content of memory, an out pointer, a va_list (it was not null)
  null = 1,          // a null pointer
  literal = 2,       // the value itself
  handle = 3,        // the symbolic id of an open file, stream or directory
  distance = 4,      // an offset, counted from where the last access to the same handle ended
  text = 5,          // the number of a text
  path = 6,          // the number of a name template, then one difference per number in the name
  column = 7,        // a value of its own in each record, kept in the column and not in the signature
  full = 8,          // a result: all that was asked for
  failed = 9,        // a result: -1 or null, and errno
  opened = 10,       // a new handle: its symbolic id; the descriptor's number stands in the column
  opened_pair = 11,  // two new handles, as from pipe()
  unfinished = 12,   // a result: the call did not return (exec, _exit)
  path_column = 13,  // the number of a name template; its numbers stand in the column
  list = 14,         // the number of a text that holds the items (list_text.hpp)
  relative = 15,     // a rank, counted from the caller's own in the communicator of the call
};
inline constexpr std::size_t kEncodings = 16;  // four bits hold no more

// A text that holds a list (Encoding::list). Each item is a varint h; the lower two bits tell its kind. The
// numbers are part of the format.
enum class ListMark : std::uint8_t {
  number = 0,    // h >> 2 is its zigzag
  relative = 1,  // likewise, counted from the caller's own rank
  name = 2,      // h >> 2 is its length, the bytes follow
  nothing = 3,   // h >> 2 is 0; else the next (h >> 2) - 1 items are a list themselves
};

// Words of the signature that follow for it; a path has one more per number of its template.
constexpr std::size_t words_of(Encoding encoding) {
  constexpr std::array<std::uint8_t, kEncodings> words = {0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 2, 0, 1, 1, 1};
  return words[static_cast<std::size_t>(encoding)];
}

// Values of the column that each record brings for it; path_column has one per number of its template.
constexpr std::size_t columns_of(Encoding encoding) {
  constexpr std::array<std::uint8_t, kEncodings> columns = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 0, 0};
  return columns[static_cast<std::size_t>(encoding)];
}

// The first words of a signature: the function, how deep the call is nested, and the encoding of the result
// and of each argument, four bits each; ten fit into the first word, the rest go to further ones.
class Head {
 public:
  static constexpr std::uint32_t kFunctions = 1U << 12;
  static constexpr std::uint32_t kDeepest = 255;
  static constexpr std::size_t kArguments = 26;  // two words

  static constexpr std::size_t words(std::size_t arguments) { return arguments <= kInFirst ? 1 : 2; }

  static constexpr std::uint64_t first(std::uint32_t function, std::uint32_t depth) {
    return function | static_cast<std::uint64_t>(depth < kDeepest ? depth : kDeepest) << 12;
  }
  static constexpr std::uint32_t function(std::uint64_t first) { return first & (kFunctions - 1); }
  static constexpr std::uint32_t depth(std::uint64_t first) { return (first >> 12) & 0xff; }

  static constexpr std::uint64_t result_bits(Encoding encoding) {
    return static_cast<std::uint64_t>(encoding) << 20;
  }
  static constexpr Encoding result(std::uint64_t first) { return static_cast<Encoding>((first >> 20) & 15); }

  // Where the encoding of argument `index` stands: which word, and the shift in it.
  static constexpr std::size_t word_of(std::size_t index) { return index < kInFirst ? 0 : 1; }
  static constexpr unsigned shift_of(std::size_t index) {
    return static_cast<unsigned>(index < kInFirst ? 24 + 4 * index : 4 * (index - kInFirst));
  }

 private:
  static constexpr std::size_t kInFirst = 10;
};

}  // namespace weir::trace
