#include <fmt/format.h>

#include "base/json.hpp"
#include "interference/cells.hpp"

namespace weir::interference {
namespace {

std::string cell_number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : ""; }

}  // namespace

Json to_json(const Cell& cell) {
  return {{"probe", cell.probe},
          {"signal", cell.signal},
          {"chunk_bytes", cell.chunk.count},
          {"signal_chunk_bytes", cell.signal_chunk.count},
          {"processes", cell.processes},
          {"signal_processes", cell.signal_processes},
          {"layout", cell.layout},
          {"signal_duty", cell.signal_duty},
          {"degradation_percent", json_number(cell.counted.percent)},
          {"low", json_number(cell.counted.low)},
          {"high", json_number(cell.counted.high)},
          {"best_of_five_percent", json_number(cell.counted.best_of_five)},
          {"whole_degradation_percent", json_number(cell.whole.percent)},
          {"dilation_percent", json_number(cell.dilation)},
          {"file_close_degradation_percent", json_number(cell.files.percent)},
          {"bytes_per_second", json_number(cell.rate)},
          {"counted_s", json_number(cell.counted_s)},
          {"cached_bytes", cell.cached ? json_number(*cell.cached) : Json(nullptr)},
          {"runs", cell.counted.beside},
          {"serialised_runs", cell.serialised},
          {"serialises", cell.serialises()},
          {"disturbed", cell.disturbed},
          {"failed", cell.failed}};
}

Json to_json(const Alone& alone) {
  return {{"probe", alone.probe},
          {"chunk_bytes", alone.chunk.count},
          {"processes", alone.processes},
          {"layout", alone.layout},
          {"runs", alone.runs},
          {"bytes_per_second", json_number(alone.rate)},
          {"variation_percent", json_number(alone.variation)},
          {"counted_s", json_number(alone.counted_s)},
          {"bytes", json_number(alone.bytes)},
          {"cached_bytes", alone.cached ? json_number(*alone.cached) : Json(nullptr)}};
}

std::string to_csv(const Cells& cells) {
  std::string text =
      "probe,signal,chunk_bytes,signal_chunk_bytes,processes,signal_processes,layout,signal_duty,"
      "degradation_percent,low,high,best_of_five_percent,whole_degradation_percent,dilation_percent,"
      "file_close_degradation_percent,runs,serialised_runs,bytes_per_second,cached_bytes\n";
  for (const Cell& cell : cells.cells)
    text += fmt::format("{},{},{},{},{},{},{},{:g},{},{},{},{},{},{},{},{},{},{},{}\n", cell.probe,
                        cell.signal, cell.chunk.count, cell.signal_chunk.count, cell.processes,
                        cell.signal_processes, cell.layout, cell.signal_duty,
                        cell_number(cell.counted.percent), cell_number(cell.counted.low),
                        cell_number(cell.counted.high), cell_number(cell.counted.best_of_five),
                        cell_number(cell.whole.percent), cell_number(cell.dilation),
                        cell_number(cell.files.percent), cell.counted.beside, cell.serialised,
                        cell_number(cell.rate), cell.cached ? fmt::format("{:.0f}", *cell.cached) : "");
  return text;
}

}  // namespace weir::interference
