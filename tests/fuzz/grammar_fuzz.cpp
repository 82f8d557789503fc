// Feeds arbitrary bytes to the room grammar. The first byte chooses what they are: a grammar, merged
// grammars, or symbols to compress, which must come back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grammar/cursor.hpp"
#include "grammar/merge.hpp"
#include "grammar/sequitur.hpp"

namespace {

using namespace weir::grammar;

constexpr std::uint64_t kLongest = 1 << 16;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// Reads forwards, from the middle and the last symbol, and compares.
void read(const Grammar& grammar) {
  std::vector<Symbol> symbols(static_cast<std::size_t>(std::min(grammar.length(), kLongest)));
  Cursor cursor(grammar);
  require(cursor.read(symbols) == symbols.size());
  require(cursor.at_end() == (grammar.length() == symbols.size()));
  if (grammar.empty()) return;
  Symbol symbol = 0;
  cursor.seek(symbols.size() / 2);
  require(cursor.next(symbol) && symbol == symbols[symbols.size() / 2]);
  cursor.seek(grammar.length() - 1);
  require(cursor.next(symbol) && !cursor.next(symbol));
}

void read_grammar(weir::ByteSpan bytes) {
  weir::ByteReader in(bytes);
  const auto grammar = Grammar::parse(in);
  if (!grammar) return;
  read(*grammar);
  weir::ByteWriter out;
  grammar->serialize(out);
  weir::ByteReader again(out.view());
  const auto back = Grammar::parse(again);
  require(back.has_value() && *back == *grammar);
}

void read_merged(weir::ByteSpan bytes) {
  weir::ByteReader in(bytes);
  const auto merged = MergedGrammars::parse(in);
  if (!merged) return;
  const auto few = static_cast<std::uint32_t>(std::min<std::size_t>(merged->distinct_count(), 16));
  Merger merger;
  for (std::uint32_t i = 0; i < few; ++i) {
    read(merged->distinct(i));
    merger.add(merged->distinct(i));
  }
  const MergedGrammars again = merger.finish();
  require(again.size() == few);
  for (std::uint32_t i = 0; i < few; ++i) require(again.member(i) == merged->distinct(i));
  if (merged->size() > 0) require(merged->distinct_of(merged->size() - 1) < merged->distinct_count());
}

// A byte is a symbol of 3 bits and a count of 5, so that short inputs reach deep grammars.
void compress(std::span<const std::uint8_t> bytes) {
  Sequitur sequitur;
  std::vector<Symbol> symbols;
  for (const std::uint8_t byte : bytes) {
    const std::uint64_t count = 1 + (byte >> 3);
    sequitur.push(byte & 7u, count);
    symbols.insert(symbols.end(), static_cast<std::size_t>(count), byte & 7u);
  }
  const Grammar grammar = sequitur.finish();
  std::vector<Symbol> back(symbols.size());
  require(grammar.length() == symbols.size());
  require(Cursor(grammar).read(back) == back.size() && back == symbols);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      read_grammar(std::as_bytes(rest));
      break;
    case 1:
      read_merged(std::as_bytes(rest));
      break;
    default:
      compress(rest);
      break;
  }
  return 0;
}
