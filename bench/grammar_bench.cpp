// What run-length Sequitur costs per symbol, and how fast a grammar is read back.
//
// Reference for pushing: counting each pair of neighbouring symbols in a std::unordered_map over the same
// sequence. Reference for reading: copying the expanded symbols with memcpy. Each figure is the median of CPU
// time over repeats, measure and reference in turns within one run.
//
//   grammar_bench [REPEATS]
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/random.hpp"
#include "grammar/cursor.hpp"
#include "grammar/sequitur.hpp"

namespace {

using weir::grammar::Cursor;
using weir::grammar::Grammar;
using weir::grammar::Run;
using weir::grammar::Sequitur;
using weir::grammar::Symbol;
using Sequence = std::vector<Symbol>;

volatile std::uint64_t sink = 0;  // keeps what is measured from being optimised away

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
double nanoseconds_each(std::uint64_t count, const Work& work) {
  const double begin = cpu_seconds();
  work();
  return (cpu_seconds() - begin) * 1e9 / static_cast<double>(count);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

template <class SymbolAt>
Sequence sequence_of(std::size_t length, const SymbolAt& symbol_at) {
  Sequence sequence(length);
  for (std::size_t i = 0; i < length; ++i) sequence[i] = static_cast<Symbol>(symbol_at(i));
  return sequence;
}

struct Figures {
  std::vector<double> push, count_pairs, symbols, blocks, runs, copy;
};

void measure(std::string_view name, const Sequence& sequence, int repeats) {
  Sequitur sequitur;
  Sequence copied(sequence.size());
  Sequence block(4096);
  Figures ns;
  std::size_t memory = 0;
  Grammar grammar;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    ns.push.push_back(nanoseconds_each(sequence.size(), [&] {
      for (const Symbol symbol : sequence) sequitur.push(symbol);
    }));
    memory = sequitur.memory_bytes();
    grammar = sequitur.finish();
    ns.count_pairs.push_back(nanoseconds_each(sequence.size(), [&] {
      std::unordered_map<std::uint64_t, std::uint32_t> pairs;
      std::uint64_t last = 0;
      for (const Symbol symbol : sequence) {
        ++pairs[last << 32 | symbol];
        last = symbol;
      }
      sink = sink + pairs.size();
    }));
    ns.symbols.push_back(nanoseconds_each(sequence.size(), [&] {
      Cursor cursor(grammar);
      std::uint64_t sum = 0;
      for (Symbol symbol = 0; cursor.next(symbol);) sum += symbol;
      sink = sink + sum;
    }));
    ns.blocks.push_back(nanoseconds_each(sequence.size(), [&] {
      Cursor cursor(grammar);
      std::uint64_t sum = 0;
      while (cursor.read(block) != 0) sum += block[0];
      sink = sink + sum;
    }));
    ns.runs.push_back(nanoseconds_each(sequence.size(), [&] {
      Cursor cursor(grammar);
      std::uint64_t sum = 0;
      for (Run run; cursor.next_run(run);) sum += run.symbol * run.count;
      sink = sink + sum;
    }));
    ns.copy.push_back(nanoseconds_each(sequence.size(), [&] {
      std::memcpy(copied.data(), sequence.data(), sequence.size() * sizeof(Symbol));
      sink = sink + copied[copied.size() / 2];
    }));
  }
  const double push = median(ns.push);
  const double count_pairs = median(ns.count_pairs);
  const auto rate = [](const std::vector<double>& each) { return 1e3 / median(each); };
  fmt::print(
      "{:<24} {:>7.2f} {:>7.2f} {:>6.2f} {:>8} {:>9.1f} {:>7.0f} {:>7.0f} {:>9.0f} {:>7.0f} {:>6.3f}\n", name,
      push, count_pairs, push / count_pairs, grammar.run_count(), static_cast<double>(memory) / 1024,
      rate(ns.symbols), rate(ns.blocks), rate(ns.runs), rate(ns.copy), rate(ns.blocks) / rate(ns.copy));
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  if (repeats < 1) {
    fmt::print(stderr, "usage: grammar_bench [REPEATS]\n");
    return 2;
  }
  fmt::print("push: ns per symbol; pairs: the reference; read: million symbols per second\n");
  fmt::print("{:<24} {:>7} {:>7} {:>6} {:>8} {:>9} {:>7} {:>7} {:>9} {:>7} {:>6}\n", "", "push", "pairs",
             "ratio", "runs", "KiB", "next()", "read()", "next_run", "memcpy", "ratio");
  const std::size_t million = 1'000'000;
  measure("a^N", sequence_of(10 * million, [](std::size_t) { return 1; }), repeats);
  measure("a^50 b", sequence_of(10 * million, [](std::size_t i) { return i % 51 == 50 ? 2 : 1; }), repeats);
  measure("(ab)^N", sequence_of(4 * million, [](std::size_t i) { return i % 2; }), repeats);
  measure("100 symbols, N turns", sequence_of(4 * million, [](std::size_t i) { return i % 100; }), repeats);
  measure("Thue-Morse", sequence_of(4 * million, [](std::size_t i) { return std::popcount(i) % 2; }),
          repeats);
  for (const std::size_t length : {million / 100, million / 10, million}) {
    weir::Random random(1);
    measure(
        fmt::format("random of 64, {}", length),
        sequence_of(length, [&](std::size_t) { return random.below(64); }),
        static_cast<int>(static_cast<std::size_t>(repeats) * std::min<std::size_t>(20, million / length)));
  }
  return 0;
}
