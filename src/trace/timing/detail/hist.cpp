#include "trace/timing/detail/hist.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "trace/timing/detail/bits.hpp"

namespace weir::trace::detail {

namespace {

// Signatures with fewer records share one histogram: a table costs some ten bytes.
constexpr std::uint32_t kFewestForTable = 256;
constexpr unsigned kLargestK = 12;
constexpr unsigned kWidestSymbol = 32;

// The table of each local signature; 0 is the shared one.
std::vector<std::uint32_t> tables_of(const LocalSignatures& local, std::size_t& tables) {
  std::vector<std::uint32_t> of(local.size(), 0);
  tables = 1;
  for (std::size_t i = 0; i < local.size(); ++i)
    if (local.count[i] >= kFewestForTable) of[i] = static_cast<std::uint32_t>(tables++);
  return of;
}

// The frequent symbols, most frequent first, equally frequent ones in ascending order.
struct Table {
  std::vector<std::uint32_t> frequent;
  unsigned k = 0;          // bits of an index into them
  bool escapes = false;    // there are other symbols; then one bit more tells them apart
  unsigned rare_bits = 0;  // of such a symbol
};

struct Count {
  std::uint32_t symbol;
  std::uint64_t count;
};

// Counts of the symbols of one table; `symbols` is sorted on the way.
std::vector<Count> counts_of(std::vector<std::uint32_t>& symbols) {
  std::sort(symbols.begin(), symbols.end());
  std::vector<Count> counts;
  for (const std::uint32_t symbol : symbols) {
    if (counts.empty() || counts.back().symbol != symbol) counts.push_back({.symbol = symbol, .count = 0});
    ++counts.back().count;
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const Count& a, const Count& b) { return a.count > b.count; });
  return counts;
}

Table choose_table(std::vector<std::uint32_t>& symbols) {
  Table best;
  if (symbols.empty()) return best;
  const std::vector<Count> counts = counts_of(symbols);
  best.rare_bits = std::max(1u, static_cast<unsigned>(std::bit_width(symbols.back())));  // sorted
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t covered = 0;
  std::size_t entries = 0;
  for (unsigned k = 0; k <= kLargestK; ++k) {
    for (; entries < std::min(counts.size(), std::size_t{1} << k); ++entries)
      covered += counts[entries].count;
    const std::uint64_t others = symbols.size() - covered;
    const std::uint64_t bits = covered * k + others * best.rare_bits + (others > 0 ? symbols.size() : 0) +
                               std::uint64_t{entries} * 12;
    if (bits < least) {
      least = bits;
      best.k = k;
      best.escapes = others > 0;
    }
    if (others == 0) break;
  }
  for (std::size_t i = 0; i < std::min(counts.size(), std::size_t{1} << best.k); ++i)
    best.frequent.push_back(counts[i].symbol);
  return best;
}

void write_table(const Table& table, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(table.k | (table.escapes ? 0x80u : 0)));
  out.u8(static_cast<std::uint8_t>(table.rare_bits));
  out.varint(table.frequent.size());
  for (const std::uint32_t symbol : table.frequent) out.varint(symbol);
}

Result<Table> read_table(ByteReader& in) {
  Table table;
  const auto k = in.u8();
  if (!k) return k.error();
  table.k = *k & 0x7fu;
  table.escapes = (*k & 0x80u) != 0;
  const auto rare_bits = in.u8();
  if (!rare_bits) return rare_bits.error();
  table.rare_bits = *rare_bits;
  if (table.k > kLargestK || table.rare_bits > kWidestSymbol)
    return Error{Errc::bad_data, "a histogram too wide"};
  const auto count = in.count(1);
  if (!count) return count.error();
  if (*count > std::uint64_t{1} << table.k) return Error{Errc::bad_data, "a histogram with too many bins"};
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto symbol = in.varint();
    if (!symbol) return symbol.error();
    if (*symbol > std::numeric_limits<std::uint32_t>::max())
      return Error{Errc::bad_data, "a bin out of range"};
    table.frequent.push_back(static_cast<std::uint32_t>(*symbol));
  }
  return table;
}

// `symbols` belong to the records from `first` on.
void write_sequence(std::span<const std::uint32_t> symbols, std::size_t first, const LocalSignatures& local,
                    ByteWriter& out) {
  std::size_t count = 0;
  const std::vector<std::uint32_t> table_of = tables_of(local, count);
  const auto table_at = [&](std::size_t i) { return table_of[local.of_record[first + i]]; };
  std::vector<std::vector<std::uint32_t>> of_table(count);
  for (std::size_t i = 0; i < symbols.size(); ++i) of_table[table_at(i)].push_back(symbols[i]);
  struct Code {
    std::uint32_t symbol;
    std::uint32_t index;
  };
  std::vector<Table> tables;
  std::vector<std::vector<Code>> codes;  // by symbol
  for (auto& of : of_table) {
    tables.push_back(choose_table(of));
    write_table(tables.back(), out);
    std::vector<Code>& code = codes.emplace_back();
    for (const std::uint32_t symbol : tables.back().frequent)
      code.push_back({.symbol = symbol, .index = static_cast<std::uint32_t>(code.size())});
    std::sort(code.begin(), code.end(), [](const Code& a, const Code& b) { return a.symbol < b.symbol; });
  }
  BitWriter bits;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Table& table = tables[table_at(i)];
    const std::vector<Code>& code = codes[table_at(i)];
    const auto found =
        std::lower_bound(code.begin(), code.end(), symbols[i],
                         [](const Code& a, std::uint32_t symbol) { return a.symbol < symbol; });
    const bool frequent = found != code.end() && found->symbol == symbols[i];
    if (table.escapes) bits.put(frequent ? 0 : 1, 1);
    if (frequent)
      bits.put(found->index, table.k);
    else
      bits.put(symbols[i], table.rare_bits);
  }
  const ByteSpan bytes = bits.finish();
  out.varint(bytes.size());
  out.bytes(bytes);
}

Result<std::vector<std::uint32_t>> read_sequence(ByteReader& in, std::size_t first,
                                                 const LocalSignatures& local) {
  std::size_t count = 0;
  const std::vector<std::uint32_t> table_of = tables_of(local, count);
  std::vector<Table> tables;
  for (std::size_t i = 0; i < count; ++i) {
    auto table = read_table(in);
    if (!table) return table.error();
    tables.push_back(*std::move(table));
  }
  const auto size = in.varint();
  if (!size) return size.error();
  const auto bytes = in.bytes(*size);
  if (!bytes) return bytes.error();
  BitReader bits(*bytes);
  std::vector<std::uint32_t> symbols(local.of_record.size() - first);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Table& table = tables[table_of[local.of_record[first + i]]];
    if (table.escapes && bits.get(1) != 0) {
      symbols[i] = bits.get(table.rare_bits);
      continue;
    }
    const std::uint32_t index = bits.get(table.k);
    if (index >= table.frequent.size()) return Error{Errc::bad_data, "a bin that is not in the histogram"};
    symbols[i] = table.frequent[index];
  }
  if (bits.overrun()) return Error{Errc::bad_data, "fewer bits than the records take"};
  return symbols;
}

}  // namespace

void encode_hist(const BinnedTimes& binned, const LocalSignatures& local, ByteWriter& out) {
  binned.write_steps(out);
  write_sequence(binned.durations, 0, local, out);
  write_sequence(binned.intervals, 1, local, out);
}

Result<BinnedTimes> decode_hist(ByteReader& in, const LocalSignatures& local) {
  BinnedTimes binned;
  if (auto done = binned.read_steps(in, local.of_record.size()); !done) return done.error();
  auto durations = read_sequence(in, 0, local);
  if (!durations) return durations.error();
  auto intervals = read_sequence(in, 1, local);
  if (!intervals) return intervals.error();
  binned.durations = *std::move(durations);
  binned.intervals = *std::move(intervals);
  return binned;
}

}  // namespace weir::trace::detail
