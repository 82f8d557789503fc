#include "grammar/cursor.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace weir::grammar {

void Cursor::enter(std::uint32_t rule, std::uint64_t repeats) {
  const auto runs = grammar_->rule(rule);
  frames_.push_back({runs.data(), runs.data(), runs.data() + runs.size(), repeats});
}

void Cursor::seek(std::uint64_t position) {
  WEIR_CHECK(position <= grammar_->length(), "position {} of {}", position, grammar_->length());
  frames_.clear();
  left_ = 0;
  position_ = position;
  if (at_end()) return;
  std::uint32_t rule = 0;
  std::uint64_t repeats = 0;
  for (;;) {
    enter(rule, repeats);
    const Grammar::Place place = grammar_->find(rule, position);
    frames_.back().next += place.run + 1;
    const Run run = grammar_->rule(rule)[place.run];
    position -= place.begin;
    if (!is_rule(run.symbol)) {
      symbol_ = run.symbol;
      left_ = run.count - position;
      return;
    }
    rule = rule_number(run.symbol);
    const std::uint64_t length = grammar_->rule_length(rule);
    repeats = run.count - 1 - position / length;
    position %= length;
  }
}

// Finds the next run of terminals.
bool Cursor::advance() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next == frame.end) {
      if (frame.repeats == 0) {
        frames_.pop_back();
      } else {
        --frame.repeats;
        frame.next = frame.begin;
      }
      continue;
    }
    const Run& run = *frame.next++;
    if (!is_rule(run.symbol)) {
      symbol_ = run.symbol;
      left_ = run.count;
      return true;
    }
    enter(rule_number(run.symbol), run.count - 1);
  }
  return false;
}

std::size_t Cursor::read(std::span<Symbol> symbols) {
  std::size_t filled = 0;
  while (filled < symbols.size() && (left_ != 0 || advance())) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, symbols.size() - filled));
    std::fill_n(symbols.begin() + static_cast<std::ptrdiff_t>(filled), count, symbol_);
    left_ -= count;
    filled += count;
  }
  position_ += filled;
  return filled;
}

}  // namespace weir::grammar
