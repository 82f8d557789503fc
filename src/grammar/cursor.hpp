#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/grammar.hpp"

namespace weir::grammar {

// Reads the sequence of a grammar from any place, run by run or symbol by symbol, without expanding it:
// memory goes with the depth of the rules. The grammar must outlive it.
class Cursor {
 public:
  explicit Cursor(const Grammar& grammar) : grammar_(&grammar) { seek(0); }

  // Where the next symbol lies, up to length().
  std::uint64_t position() const { return position_; }
  bool at_end() const { return position_ == grammar_->length(); }
  // Goes to a position, length() at most, in the time of a search in each rule on the way down.
  void seek(std::uint64_t position);

  // The next symbols that are equal as far as one run of a rule says; false at the end. Neighbouring runs may
  // have the same symbol, where rules meet.
  bool next_run(Run& run) {
    if (left_ == 0 && !advance()) return false;
    run = {symbol_, left_};
    position_ += left_;
    left_ = 0;
    return true;
  }
  // The next symbol; false at the end.
  bool next(Symbol& symbol) {
    if (left_ == 0 && !advance()) return false;
    symbol = symbol_;
    --left_;
    ++position_;
    return true;
  }
  // Fills `symbols` as far as there are any; how many it wrote.
  std::size_t read(std::span<Symbol> symbols);

 private:
  struct Frame {
    const Run* next;
    const Run* begin;
    const Run* end;
    std::uint64_t repeats;  // of the rule after this time
  };

  bool advance();
  void enter(std::uint32_t rule, std::uint64_t repeats);

  const Grammar* grammar_;
  std::vector<Frame> frames_;
  std::uint64_t position_ = 0;
  Symbol symbol_ = 0;
  std::uint64_t left_ = 0;  // of symbol_
};

}  // namespace weir::grammar
