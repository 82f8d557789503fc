#include <algorithm>
#include <functional>
#include <future>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "cli/communication.hpp"
#include "cli/report.hpp"
#include "cli/stat.hpp"
#include "cli/trace_options.hpp"
#include "semantics/access_map.hpp"
#include "semantics/accesses.hpp"
#include "semantics/communication.hpp"
#include "semantics/timeline.hpp"

namespace weir::cli {
namespace {

using semantics::AccessMap;
using semantics::Timeline;

constexpr std::size_t kTop = 50;
// Beyond that the accesses of a trace do not fit into the memory of small machines (60 bytes each).
constexpr std::uint64_t kMostForAccesses = 100'000'000;

template <class Row, class Field>
Json column(const std::vector<Row>& rows, Field field) {
  Json made = Json::array();
  for (const Row& row : rows) made.push_back(row.*field);
  return made;
}

Json row_json(const Timeline::Row& row) {
  Json made = {{"processes", row.processes}, {"kinds", Json::object()}};
  for (std::size_t k = 0; k < semantics::kCallKinds; ++k) {
    const auto& cells = row.of_kinds[k];
    if (cells.empty()) continue;
    made["kinds"][std::string(name(static_cast<semantics::CallKind>(k)))] = {
        {"bin", column(cells, &Timeline::Cell::bin)},
        {"calls", column(cells, &Timeline::Cell::calls)},
        {"time_ns", column(cells, &Timeline::Cell::time_ns)},
        {"bytes", column(cells, &Timeline::Cell::bytes)}};
  }
  return made;
}

Json timeline_json(const Timeline& timeline) {
  Json made = {{"begin_ns", timeline.begin_ns}, {"bin_ns", timeline.bin_ns}, {"bins", timeline.bins}};
  made["rows"] = Json::array();
  for (const Timeline::Row& row : timeline.rows) made["rows"].push_back(row_json(row));
  return made;
}

Json access_map_json(const AccessMap& map) {
  return {{"name", map.name},
          {"readers", map.readers},
          {"writers", map.writers},
          {"accesses", map.accesses},
          {"begin_ns", map.begin_ns},
          {"time_bin_ns", map.time_bin_ns},
          {"offset_bin_bytes", map.offset_bin_bytes},
          {"time_bins", map.time_bins},
          {"offset_bins", map.offset_bins},
          {"time", column(map.cells, &AccessMap::Cell::time)},
          {"offset", column(map.cells, &AccessMap::Cell::offset)},
          {"process", column(map.cells, &AccessMap::Cell::process)},
          {"cell_accesses", column(map.cells, &AccessMap::Cell::accesses)},
          {"read_bytes", column(map.cells, &AccessMap::Cell::read_bytes)},
          {"written_bytes", column(map.cells, &AccessMap::Cell::written_bytes)}};
}

// What comes of following every process through its records.
struct Followed {
  Result<Json> access_maps = Json();
  Result<Json> communication = Json();
};

Result<Json> communication_of(const trace::TraceFile& trace, bool salvage) {
  const auto found = semantics::find_communication(trace, salvage);
  if (!found) return found.error();
  return communication_json(trace, *found);
}

Followed follow(const trace::TraceFile& trace, bool salvage,
                const std::function<void(std::uint64_t)>& advance) {
  Followed made;
  const bool ranks = std::any_of(trace.processes().begin(), trace.processes().end(),
                                 [](const trace::ProcessInfo& one) { return one.rank >= 0; });
  made.communication = communication_json(trace, {});
  if (trace.records() > kMostForAccesses) {
    made.access_maps = Error{Errc::too_big, "the trace has too many calls for a map of accesses"};
    if (ranks) made.communication = communication_of(trace, salvage);
    return made;
  }
  semantics::MessageCounter messages(trace);
  semantics::RebuildOptions how;
  how.salvage = salvage;
  how.advance = advance;
  how.ordered = false;
  if (ranks)
    how.also = [&](std::uint32_t process, const trace::Record& record) { messages.see(process, record); };
  const auto accesses = semantics::rebuild({&trace}, how);
  if (!accesses) {
    made.access_maps = made.communication = accesses.error();
    return made;
  }
  if (ranks) made.communication = communication_json(trace, messages.take());
  Json maps = Json::array();
  for (const AccessMap& map : semantics::access_maps(*accesses)) maps.push_back(access_map_json(map));
  made.access_maps = std::move(maps);
  return made;
}

}  // namespace

Result<Json> trace_view_json(const std::string& path, bool salvage) {
  const auto trace = open_trace({path, salvage});
  if (!trace) return trace.error();
  Progress progress("reading " + path, 2 * trace->records());
  const auto advance = [&](std::uint64_t records) { progress.advance(records); };
  // Processes are followed one by one, and what is added up is read in any order: the two go side by side, so
  // that a trace of one process has two cores at work too.
  auto followed = std::async(std::launch::async, [&] { return follow(*trace, salvage, advance); });
  semantics::TimelineMaker timeline(*trace, {});
  trace::SummaryOptions how;
  how.salvage = salvage;
  how.advance = advance;
  how.beside = [&](const trace::Stretch& stretch) { return timeline.onlooker(stretch); };
  const auto summary = summarize(*trace, how);
  if (!summary) return summary.error().with_remedy("show what is readable with --salvage");

  Json document = json_document("trace-view");
  document["stat"] = stat_json({*trace, *summary, kTop});
  document["facts"] = trace->facts();
  document["timeline"] = timeline_json(timeline.take());
  document["problems"] = Json::array();
  const auto part = [&](const char* name, Result<Json> made) {
    document[name] = nullptr;
    if (!made)
      document["problems"].push_back({{"part", name}, {"reason", made.error().text()}});
    else
      document[name] = *std::move(made);
  };
  Followed parts = followed.get();
  part("communication", std::move(parts.communication));
  part("access_maps", std::move(parts.access_maps));
  if (const auto stopped = check_interrupt(); !stopped) return stopped.error();
  return document;
}

}  // namespace weir::cli
