#include "trace/timing/detail/cfg.hpp"

#include <fmt/format.h>

#include "grammar/cursor.hpp"
#include "grammar/sequitur.hpp"

namespace weir::trace::detail {

namespace {

void write_sequence(std::span<const std::uint32_t> symbols, ByteWriter& out) {
  grammar::Sequitur sequitur;
  for (const std::uint32_t symbol : symbols) sequitur.push(symbol);
  sequitur.finish().serialize(out);
}

Result<std::vector<std::uint32_t>> read_sequence(ByteReader& in, std::size_t length) {
  const auto parsed = grammar::Grammar::parse(in);
  if (!parsed) return parsed.error();
  if (parsed->length() != length)
    return Error{Errc::bad_data, fmt::format("a grammar of {} times for {}", parsed->length(), length)};
  std::vector<std::uint32_t> symbols(length);
  grammar::Cursor cursor(*parsed);
  cursor.read(symbols);
  return symbols;
}

}  // namespace

void encode_cfg(const BinnedTimes& binned, ByteWriter& out) {
  binned.write_steps(out);
  write_sequence(binned.durations, out);
  write_sequence(binned.intervals, out);
}

Result<BinnedTimes> decode_cfg(ByteReader& in, std::size_t records) {
  BinnedTimes binned;
  if (auto done = binned.read_steps(in, records); !done) return done.error();
  auto durations = read_sequence(in, records);
  if (!durations) return durations.error();
  auto intervals = read_sequence(in, records - 1);
  if (!intervals) return intervals.error();
  binned.durations = *std::move(durations);
  binned.intervals = *std::move(intervals);
  return binned;
}

}  // namespace weir::trace::detail
