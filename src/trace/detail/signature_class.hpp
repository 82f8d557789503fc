#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weir::trace::detail {

// What a word of a signature is, when those of processes are compared.
enum class WordKind : std::uint8_t {
  fixed,  // as it is: encodings, ids of handles, errors
  text,   // the number of a text
  name,   // the number of a template
  free,   // a number that processes may have differently
};

// The signatures of processes that agree in all but numbers, by the own numbers that they have in each of
// them. What becomes of a number follows from the values of all members alone, in whatever order they came:
// the same everywhere, or a line in the rank with an integer slope, or else each member's own.
struct SignatureClass {
  struct Line {
    std::uint32_t word = 0;
    std::int64_t slope = 0;
  };
  struct Own {
    std::uint32_t word = 0;
    std::vector<std::uint64_t> values;  // by member
  };

  bool ranked = false;     // without ranks there is nothing to compare: only what is the same is a class
  std::uint64_t hash = 0;  // of all that must be the same, texts and templates by their bytes
  std::vector<std::uint32_t> begins;  // where each signature begins
  std::vector<std::uint64_t> words;   // one signature after the other; of a line the value at rank 0
  std::vector<WordKind> kinds;        // of the words
  std::vector<Line> lines;            // by word
  std::vector<Own> owns;              // by word
  std::vector<std::uint32_t> members;
  std::vector<std::int64_t> ranks;  // of the members

  std::span<const std::uint64_t> signature(std::size_t number) const {
    const std::size_t end = number + 1 < begins.size() ? begins[number + 1] : words.size();
    return std::span(words).subspan(begins[number], end - begins[number]);
  }
};

// Whether the processes of both are of one class. Texts and templates must have the same numbers in both.
bool is_same_class(const SignatureClass& a, const SignatureClass& b);

// Takes the members of `b`, a part of the same class, into `a`.
void absorb(SignatureClass& a, const SignatureClass& b);

}  // namespace weir::trace::detail
