#include "interference/cells.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/json.hpp"
#include "interference/experiment.hpp"

namespace weir::interference {
namespace {

constexpr double kShortest = 1;       // seconds; throttles and caches let a burst through
constexpr double kMostCached = 0.1;   // of a run's bytes
constexpr double kMostVariation = 5;  // percent

struct Runs {
  campaign::Levels levels;
  std::vector<double> rates, whole_rates, durations, counted, cached, bytes, files;
  std::vector<std::vector<double>> sides;  // rates of the probe and of who was beside it, a run each
  std::size_t disturbed = 0, failed = 0;
};

template <class N>
N number_in(const std::string& text) {
  N value{};
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void add(Runs& runs, const campaign::RunRow& row, const CellOptions& options) {
  if (row.state == campaign::RunState::failed) {
    ++runs.failed;
    return;
  }
  if (row.state == campaign::RunState::disturbed) {
    ++runs.disturbed;
    if (!options.disturbed_too) return;
  }
  if (!row.throughput_together || !row.throughput) return;
  runs.rates.push_back(*row.throughput_together);
  runs.whole_rates.push_back(*row.throughput);
  runs.durations.push_back(row.duration_s.value_or(0));
  runs.bytes.push_back(row.bytes.value_or(0));
  const auto number = [&](const char* name, std::vector<double>& into) {
    const auto at = row.workers.find(name);
    if (at != row.workers.end() && at->is_number()) into.push_back(at->get<double>());
  };
  if (!row.workers.is_object()) return;
  number("counted_s", runs.counted);
  number("cached_bytes", runs.cached);
  number("files_per_second", runs.files);
  std::vector<double>& sides = runs.sides.emplace_back();
  for (const Json& rate : row.workers.value("rates", Json::array()))
    sides.push_back(rate.is_number() ? rate.get<double>() : std::numeric_limits<double>::quiet_NaN());
}

campaign::Levels alone_levels(const campaign::Levels& cell, bool of_signal) {
  return of_signal ? campaign::Levels{cell[1], kAlone, cell[3], "0", cell[5], "0", cell[6], "1"}
                   : campaign::Levels{cell[0], kAlone, cell[2], "0", cell[4], "0", cell[6], "1"};
}

std::size_t serialised_runs(const Runs& runs, const Runs& probe_alone, const Runs* signal_alone) {
  if (signal_alone == nullptr) return 0;
  const double probe = median(probe_alone.rates), signal = median(signal_alone->rates);
  std::size_t count = 0;
  for (const auto& sides : runs.sides)
    if (sides.size() == 2 && serialises(100 * (1 - sides[0] / probe), 100 * (1 - sides[1] / signal))) ++count;
  return count;
}

Alone alone_of(const Runs& runs) {
  Alone alone;
  alone.probe = runs.levels[0];
  alone.chunk = Bytes(number_in<std::uint64_t>(runs.levels[2]));
  alone.processes = number_in<std::uint32_t>(runs.levels[4]);
  alone.layout = runs.levels[6];
  alone.runs = runs.rates.size();
  alone.rate = median(runs.rates);
  alone.variation = variation_percent(runs.rates);
  alone.counted_s = median(runs.counted);
  alone.bytes = median(runs.bytes);
  if (!runs.cached.empty()) alone.cached = median(runs.cached);
  return alone;
}

Cell cell_of(const Runs& runs, const Runs& probe_alone, const Runs* signal_alone) {
  Cell cell;
  cell.probe = runs.levels[0];
  cell.signal = runs.levels[1];
  cell.chunk = Bytes(number_in<std::uint64_t>(runs.levels[2]));
  cell.signal_chunk = Bytes(number_in<std::uint64_t>(runs.levels[3]));
  cell.processes = number_in<std::uint32_t>(runs.levels[4]);
  cell.signal_processes = number_in<std::uint32_t>(runs.levels[5]);
  cell.layout = runs.levels[6];
  cell.signal_duty = number_in<double>(runs.levels[7]);
  cell.counted = degradation(probe_alone.rates, runs.rates);
  cell.whole = degradation(probe_alone.whole_rates, runs.whole_rates);
  cell.rate = median(runs.rates);
  cell.counted_s = median(runs.counted);
  cell.files = degradation(probe_alone.files, runs.files);
  if (!runs.cached.empty()) cell.cached = median(runs.cached);
  cell.dilation = 100 * (median(runs.durations) / median(probe_alone.durations) - 1);
  cell.serialised = serialised_runs(runs, probe_alone, signal_alone);
  cell.disturbed = runs.disturbed;
  cell.failed = runs.failed;
  return cell;
}

void warn_about(const Alone& alone, std::vector<std::string>& warnings) {
  const std::string who = fmt::format("{} of {} alone", alone.probe, format_bytes(alone.chunk));
  if (alone.runs == 0) {
    warnings.push_back(fmt::format("{}: no run counts", who));
    return;
  }
  if (alone.counted_s < kShortest)
    warnings.push_back(
        fmt::format("{} takes {:.2f} s: too short for slices of the monitors, and inside the burst that "
                    "throttles and caches let "
                    "through; try a longer --time or more --room",
                    who, alone.counted_s));
  if (alone.cached && *alone.cached > kMostCached * alone.bytes)
    warnings.push_back(
        fmt::format("{}: {} of {} were still in memory at its end: the cache was measured more than the "
                    "storage; try more --room",
                    who, format_bytes(Bytes(static_cast<std::uint64_t>(*alone.cached))),
                    format_bytes(Bytes(static_cast<std::uint64_t>(alone.bytes)))));
  if (alone.variation > kMostVariation)
    warnings.push_back(fmt::format(
        "{} varies by {:.1f} % from run to run: differences of that size mean little", who, alone.variation));
}

// What holds for single cells, summed up: a matrix has many.
void warn_about(const std::vector<Cell>& cells, std::vector<std::string>& warnings) {
  const auto few = [](const Cell& cell) {
    return cell.counted.beside < kRunsForInterval || cell.counted.alone < kRunsForInterval;
  };
  if (const auto count = std::ranges::count_if(cells, few); count > 0)
    warnings.push_back(
        fmt::format("{} of {} cells have fewer than {} runs that count: no interval of the median is known",
                    count, cells.size(), kRunsForInterval));
  const auto brief = [](const Cell& cell) { return cell.counted_s < kShortest; };
  if (const auto count = std::ranges::count_if(cells, brief); count > 0)
    warnings.push_back(
        fmt::format("{} of {} cells count less than {} s of programs side by side: too short for slices of "
                    "the monitors, and inside the burst that throttles and caches let through; try a longer "
                    "--time or more --room",
                    count, cells.size(), kShortest));
}

}  // namespace

Result<Cells> read_cells(const campaign::Store& store, std::int64_t number, const CellOptions& options) {
  const auto facts = store.campaign(number);
  if (!facts) return facts.error();
  if (facts->kind != "interference" || facts->factors != factor_names())
    return Error{Errc::usage,
                 fmt::format("campaign {} is of the kind {}, not interference", number, facts->kind)}
        .in(store.file().string())
        .with_remedy("name one that weir interfere matrix or sweep made");
  std::vector<Runs> all;
  std::map<campaign::Levels, std::size_t> places;
  const auto read =
      store.for_each_run(number, true, [&](const campaign::RunRow& row, const campaign::Levels& levels) {
        const auto [at, fresh] = places.try_emplace(levels, all.size());
        if (fresh) all.emplace_back().levels = levels;
        add(all[at->second], row, options);
      });
  if (!read) return read.error();
  const auto configurations = store.configurations(number);
  if (!configurations) return configurations.error();
  Cells cells;
  cells.seed = facts->seed;
  const auto find = [&](const campaign::Levels& levels) -> const Runs* {
    const auto at = places.find(levels);
    return at == places.end() ? nullptr : &all[at->second];
  };
  for (const campaign::Levels& levels : *configurations) {
    const Runs* const runs = find(levels);
    if (runs == nullptr) continue;
    cells.disturbed += runs->disturbed;
    cells.failed += runs->failed;
    if (levels[1] == kAlone) {
      cells.alone.push_back(alone_of(*runs));
      warn_about(cells.alone.back(), cells.warnings);
    } else if (const Runs* const alone = find(alone_levels(levels, false))) {
      cells.cells.push_back(cell_of(*runs, *alone, find(alone_levels(levels, true))));
    }
  }
  warn_about(cells.cells, cells.warnings);
  return cells;
}

}  // namespace weir::interference
