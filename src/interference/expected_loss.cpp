#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "interference/advice.hpp"
#include "interference/load.hpp"

namespace weir::interference {
namespace {

constexpr std::array kPatterns = {WritePattern::open_write_close, WritePattern::write_seek,
                                  WritePattern::aggregate_write};

double log_size(Bytes size) { return std::log2(static_cast<double>(std::max<std::uint64_t>(1, size.count))); }

Expected between(const Expected& a, const Expected& b, double share) {
  const auto mix = [share](double x, double y) { return x + share * (y - x); };
  return {mix(a.percent, b.percent), mix(a.low, b.low), mix(a.high, b.high)};
}

// Straight lines between points of a logarithmic size; beyond the ends, the ends.
Expected interpolate(const std::map<double, Expected>& points, double at) {
  const auto above = points.lower_bound(at);
  if (above == points.end()) return points.rbegin()->second;
  if (above == points.begin()) return above->second;
  const auto below = std::prev(above);
  return between(below->second, above->second, (at - below->first) / (above->first - below->first));
}

// As the cells call it: what appends and flushes is measured apart from what only appends, if it was.
std::string measured_name(const Cells& cells, WritePattern pattern, const Class& found) {
  constexpr std::string_view flushed = "aggregate_write_flushed";
  if (pattern == WritePattern::aggregate_write && found.flushed_share > 0.5 &&
      std::ranges::any_of(cells.cells, [&](const Cell& cell) { return cell.probe == flushed; }))
    return std::string(flushed);
  return std::string(name(pattern));
}

// Cells of one pair of patterns: by the probe's chunk, then by the signal's.
using Grid = std::map<double, std::map<double, Expected>>;

Grid grid_of(const Cells& cells, std::string_view probe, std::string_view signal) {
  Grid grid;
  for (const Cell& cell : cells.cells) {
    if (cell.probe != probe || cell.signal != signal || cell.signal_duty < 1 ||
        !std::isfinite(cell.counted.percent))
      continue;
    // Without an interval nothing is known but the bounds of a loss.
    const auto bound = [](double value, double otherwise) {
      return std::isfinite(value) ? value : otherwise;
    };
    grid[log_size(cell.chunk)].try_emplace(
        log_size(cell.signal_chunk),
        Expected{cell.counted.percent, bound(cell.counted.low, 0), bound(cell.counted.high, 100)});
  }
  return grid;
}

bool equal_chunks_only(const Grid& grid) {
  return std::ranges::all_of(
      grid, [](const auto& row) { return row.second.size() == 1 && row.second.begin()->first == row.first; });
}

Expected look_up(const Grid& grid, double chunk, double signal_chunk) {
  if (!equal_chunks_only(grid)) {
    std::map<double, Expected> column;
    for (const auto& [size, row] : grid) column[size] = interpolate(row, signal_chunk);
    return interpolate(column, chunk);
  }
  std::map<double, Expected> diagonal;
  for (const auto& [size, row] : grid) diagonal[size] = row.begin()->second;
  const Expected a = interpolate(diagonal, chunk), b = interpolate(diagonal, signal_chunk);
  return {(a.percent + b.percent) / 2, std::min(a.low, b.low), std::max(a.high, b.high)};
}

void note_range(const Grid& grid, const Program& program, std::vector<std::string>& notes) {
  const double at = log_size(program.found.chunk);
  if (at >= grid.begin()->first - 0.5 && at <= grid.rbegin()->first + 0.5) return;
  const auto size = [](double power) {
    return format_bytes(Bytes(static_cast<std::uint64_t>(std::exp2(power))));
  };
  std::string note =
      fmt::format("{} has chunks of {}; measured were {} to {}, and the nearest is taken", program.name,
                  format_bytes(program.found.chunk), size(grid.begin()->first), size(grid.rbegin()->first));
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
}

Result<Class> parse_class(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view rest = text.substr(colon + 1);
  const std::size_t second = rest.find(':');
  const auto load = pattern(text.substr(0, colon));
  if (!load) return load.error();
  Class made;
  for (const WritePattern each : kPatterns)
    if (name(each) == load->name) made.pattern = each;
  made.flushed_share = load->job.sync == workload::Sync::none ? 0 : 1;
  if (load->name == "aggregate_write_flushed") made.pattern = WritePattern::aggregate_write;
  if (made.pattern == WritePattern::none)
    return Error{Errc::usage, fmt::format("{} is no pattern that is advised on", load->name)}.with_remedy(
        "there are: open_write_close, write_seek, aggregate_write, aggregate_write_flushed");
  made.shares[static_cast<std::size_t>(made.pattern)] = 1;
  const auto chunk = parse_bytes(rest.substr(0, second));
  if (!chunk) return chunk.error();
  made.chunk = made.chunk_quarter = made.chunk_three_quarters = *chunk;
  if (second != std::string_view::npos) {
    const auto duty = parse_duty(rest.substr(second + 1));
    if (!duty) return duty.error();
    made.duty = *duty;
  }
  made.evidence.emplace_back("given on the command line");
  return made;
}

Result<Class> read_class(const std::string& file) {
  const auto text = read_text(file, std::size_t{16} << 20U);
  if (!text) return text.error();
  const auto json = parse_json(*text);
  if (!json) return json.error().in(file);
  if (!json->is_object() || !json->contains("class"))
    return Error{Errc::bad_data, "holds no class of a program"}.in(file).with_remedy(
        "make it by weir interfere classify TRACE --json");
  auto found = class_from_json((*json)["class"]);
  if (!found) return found.error().in(file);
  return found;
}

}  // namespace

Result<Program> parse_program(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return Error{Errc::usage, fmt::format("'{}' is no program", text)}.with_remedy(
        "write NAME=FILE with what classify --json wrote, or NAME=PATTERN:CHUNK[:DUTY], as sim=owc:1M:25%");
  Program program;
  program.name = text.substr(0, equals);
  const std::string what(text.substr(equals + 1));
  const bool spelled = what.find(':') != std::string::npos && !what.ends_with(".json");
  auto found = spelled ? parse_class(what) : read_class(what);
  if (!found) return found.error().in(program.name);
  program.found = *std::move(found);
  if (program.found.written.count == 0 && program.found.pattern == WritePattern::none)
    return Error{Errc::usage, "writes nothing: interference of writes cannot be told"}.in(program.name);
  return program;
}

Result<Expected> expected_loss(const Cells& cells, const Program& probe, const Program& signal,
                               std::vector<std::string>& notes) {
  Expected sum;
  for (const WritePattern p : kPatterns)
    for (const WritePattern s : kPatterns) {
      const double weight =
          probe.found.shares[static_cast<std::size_t>(p)] * signal.found.shares[static_cast<std::size_t>(s)];
      if (weight == 0) continue;
      const std::string p_name = measured_name(cells, p, probe.found);
      const std::string s_name = measured_name(cells, s, signal.found);
      const Grid grid = grid_of(cells, p_name, s_name);
      if (grid.empty())
        return Error{Errc::not_found, fmt::format("no cell of {} beside {} was measured", p_name, s_name)}
            .with_remedy("measure it: weir interfere matrix --patterns owc,ws,aw --db FILE");
      note_range(grid, probe, notes);
      note_range(grid, signal, notes);
      const Expected here = look_up(grid, log_size(probe.found.chunk), log_size(signal.found.chunk));
      const double part = weight * signal.found.duty;
      sum.percent += part * here.percent;
      sum.low += part * here.low;
      sum.high += part * here.high;
    }
  return sum;
}

}  // namespace weir::interference
