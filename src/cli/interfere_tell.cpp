#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "cli/bench.hpp"
#include "cli/interfere.hpp"

namespace weir::cli {
namespace {

using interference::Alone;
using interference::Cell;
using interference::Cells;

std::string percent(double value) { return std::isfinite(value) ? fmt::format("{:.0f}", value) : "-"; }

std::string with_interval(const interference::Degradation& loss) {
  if (!std::isfinite(loss.percent)) return "-";
  if (!std::isfinite(loss.low) || !std::isfinite(loss.high)) return percent(loss.percent);
  return fmt::format("{} [{}, {}]", percent(loss.percent), percent(loss.low), percent(loss.high));
}

std::string marks(const Cell& cell) { return cell.serialises() ? " serialised" : ""; }

template <class T, class Of>
std::vector<T> distinct(const std::vector<Cell>& cells, Of of) {
  std::vector<T> found;
  for (const Cell& cell : cells)
    if (const T value = of(cell); std::ranges::find(found, value) == found.end()) found.push_back(value);
  return found;
}

void print_alone(const Cells& cells, Output& out) {
  Table table({{"alone"},
               {"chunk", Table::right},
               {"processes", Table::right},
               {"layout"},
               {"rate", Table::right},
               {"varies by", Table::right},
               {"counted", Table::right},
               {"still cached", Table::right},
               {"runs", Table::right}});
  for (const Alone& alone : cells.alone)
    table.row({alone.probe, format_bytes(alone.chunk), fmt::to_string(alone.processes), alone.layout,
               rate_text(alone.rate),
               std::isfinite(alone.variation) ? fmt::format("{:.1f} %", alone.variation) : "-",
               std::isfinite(alone.counted_s) ? fmt::format("{:.2f} s", alone.counted_s) : "-",
               alone.cached ? format_bytes(Bytes(static_cast<std::uint64_t>(*alone.cached))) : "-",
               fmt::to_string(alone.runs)});
  out.table(table);
}

// One table a setting: what the probe of the row loses beside the signal of the column.
void print_matrices(const Cells& cells, Output& out) {
  const auto probes = distinct<std::string>(cells.cells, [](const Cell& cell) { return cell.probe; });
  const auto signals = distinct<std::string>(cells.cells, [](const Cell& cell) { return cell.signal; });
  const auto chunks = distinct<Bytes>(cells.cells, [](const Cell& cell) { return cell.chunk; });
  for (const Bytes chunk : chunks) {
    out.print(
        "\nChunks of {}: what a probe loses beside a signal, in percent [95 % interval], best of five\n\n",
        format_bytes(chunk));
    std::vector<Table::Column> columns = {{"probe"}};
    for (const std::string& signal : signals) columns.push_back({signal, Table::right});
    Table table(columns);
    for (const std::string& probe : probes) {
      std::vector<std::string> row = {probe};
      for (const std::string& signal : signals) {
        const auto at = std::ranges::find_if(cells.cells, [&](const Cell& cell) {
          return cell.probe == probe && cell.signal == signal && cell.chunk == chunk;
        });
        row.push_back(at == cells.cells.end() ? "-"
                                              : fmt::format("{}, {}{}", with_interval(at->counted),
                                                            percent(at->counted.best_of_five), marks(*at)));
      }
      table.row(std::move(row));
    }
    out.table(table);
  }
}

void print_list(const Cells& cells, Output& out) {
  Table table({{"probe"},
               {"signal"},
               {"chunk", Table::right},
               {"signal's", Table::right},
               {"processes", Table::right},
               {"layout"},
               {"duty", Table::right},
               {"loses %", Table::right},
               {"best of 5", Table::right},
               {"whole", Table::right},
               {"longer %", Table::right},
               {"files %", Table::right},
               {"runs", Table::right},
               {"", Table::shrinks}});
  for (const Cell& cell : cells.cells)
    table.row({cell.probe, cell.signal, format_bytes(cell.chunk), format_bytes(cell.signal_chunk),
               fmt::format("{} + {}", cell.processes, cell.signal_processes), cell.layout,
               fmt::format("{:.0f} %", 100 * cell.signal_duty), with_interval(cell.counted),
               percent(cell.counted.best_of_five), percent(cell.whole.percent), percent(cell.dilation),
               percent(cell.files.percent), fmt::to_string(cell.counted.beside),
               cell.serialises() ? "serialised" : ""});
  out.write("\n");
  out.table(table);
}

}  // namespace

Result<int> tell(const MeasureOptions& options, const Measured& measured, std::string_view what,
                 bool as_matrix, Output& out) {
  const Cells& cells = measured.cells;
  if (!options.csv.empty())
    if (const auto written = replace_file(options.csv, as_bytes(interference::to_csv(cells))); !written)
      return written.error();
  if (options.json) {
    Json document = json_document(what);
    document["store"] = measured.store.empty() ? Json(nullptr) : Json(measured.store);
    document["campaign"] = measured.campaign;
    document["testbed"] = options.testbed.empty() ? Json(nullptr) : Json(options.testbed);
    document["seed"] = cells.seed;
    document["disturbed_runs"] = cells.disturbed;
    document["failed_runs"] = cells.failed;
    document["warnings"] = cells.warnings;
    document["alone"] = Json::array();
    for (const Alone& alone : cells.alone) document["alone"].push_back(to_json(alone));
    document["cells"] = Json::array();
    for (const Cell& cell : cells.cells) document["cells"].push_back(to_json(cell));
    out.measured_json(document);
  } else {
    print_alone(cells, out);
    if (as_matrix)
      print_matrices(cells, out);
    else
      print_list(cells, out);
    if (!measured.store.empty()) out.print("\nruns are in {}#{}\n", measured.store, measured.campaign);
  }
  for (const std::string& warning : cells.warnings) warn("{}", warning);
  if (measured.interrupted)
    return Error{Errc::interrupted, "stopped"}.with_remedy(measured.store.empty()
                                                               ? "with --db FILE, --resume could go on"
                                                               : "--resume with the same options goes on");
  return 0;
}

}  // namespace weir::cli
