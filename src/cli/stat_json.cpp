#include "base/json.hpp"
#include "cli/stat.hpp"
#include "cli/trace_options.hpp"
#include "trace/rank_gaps.hpp"
#include "trace/spelling.hpp"

namespace weir::cli {
namespace {

Json tally_json(const trace::Tally& tally, bool timed) {
  Json made;
  made["calls"] = tally.calls;
  made["failed"] = tally.failed;
  made["read_bytes"] = tally.read_bytes;
  made["written_bytes"] = tally.written_bytes;
  made["time_ns"] = timed ? Json(tally.time_ns) : Json(nullptr);
  return made;
}

Json files_json(const std::vector<const trace::FileTally*>& files, bool timed) {
  Json list = Json::array();
  for (const trace::FileTally* file : files) {
    Json one = tally_json(file->tally, timed);
    one["name"] = file->name;
    list.push_back(std::move(one));
  }
  return list;
}

std::string error_name(std::string_view layer, std::int64_t number) {
  fmt::memory_buffer text;
  trace::append_error(text, layer, number);
  return to_string(text);
}

}  // namespace

Json stat_json(const StatView& view) {
  const trace::TraceFile& trace = view.trace;
  const trace::Summary& summary = view.summary;
  const bool timed = trace.timing() != trace::TimingMode::off;
  Json document = json_document("stat");
  document["trace"] = trace.path().string();
  document["facts"] = trace.facts();
  document["records"] = trace.records();
  document["processes"] = trace.processes().size();
  document["trace_bytes"] = trace.file_bytes();
  document["timing"] = name(trace.timing());
  document["timing_bytes"] = trace.timing_bytes();
  document["section_bytes"] = trace.section_bytes();
  document["process_bytes"] = view.process_bytes();
  document["ranks"] = view.ranks();
  const trace::RankGaps gaps = trace::rank_gaps(trace.processes());
  document["missing_ranks"] = gaps.missing;
  document["unfinished_ranks"] = gaps.unfinished;
  document["classes"] = trace.classes().size();
  document["communicators"] = trace.communicators().size();
  document["signatures"] = trace.tables().signatures.size();
  document["grammars"] = trace.pattern_count();
  document["grammar_shapes"] = trace.grammars().distinct_count();
  document["grammar_rules"] = trace.grammars().pool_rules();
  document["names"] = trace.tables().templates.size();
  document["span_ns"] = timed ? Json(view.span_ns()) : Json(nullptr);
  document["calls"] = summary.total.calls;
  document["failed"] = summary.total.failed;
  document["read_bytes"] = summary.total.read_bytes;
  document["written_bytes"] = summary.total.written_bytes;
  document["time_ns"] = timed ? Json(summary.total.time_ns) : Json(nullptr);
  document["lost"] = view.lost();
  document["unseen"] = view.unseen();
  document["changed_descriptors"] = view.changed();
  document["warnings"] = view.warnings();
  document["narrowed"] = fact_texts(trace, "narrowed");
  document["functions"] = Json::array();
  for (const trace::FunctionTally& function : summary.functions) {
    Json one = tally_json(function.tally, timed);
    one["name"] = function.name;
    one["layer"] = function.layer;
    one["signatures"] = function.signatures;
    one["inside_ns"] = timed ? Json(function.inside_ns) : Json(nullptr);
    one["shortest_ns"] = timed ? Json(function.tally.shortest_ns) : Json(nullptr);
    one["longest_ns"] = timed ? Json(function.tally.longest_ns) : Json(nullptr);
    one["errors"] = Json::object();
    for (const auto& [number, count] : function.errors)
      one["errors"][error_name(function.layer, number)] = count;
    document["functions"].push_back(std::move(one));
  }
  document["layers"] = Json::object();
  for (const auto& [name, layer] : summary.layers) {
    Json& one = document["layers"][name] = tally_json(layer.tally, timed);
    one["inside_ns"] = timed ? Json(layer.inside_ns) : Json(nullptr);
  }
  document["called_inside"] = Json::array();
  for (const trace::PairTally& pair : summary.pairs)
    document["called_inside"].push_back({{"caller", pair.caller},
                                         {"callee", pair.callee},
                                         {"calls", pair.calls},
                                         {"bytes", pair.bytes},
                                         {"time_ns", timed ? Json(pair.time_ns) : Json(nullptr)}});
  document["files"] = summary.files.size();
  document["files_by_bytes"] = files_json(view.files_by_bytes(), timed);
  document["files_by_time"] = files_json(view.files_by_time(), timed);
  document["process_list"] = Json::array();
  for (std::size_t i = 0; i < trace.processes().size(); ++i) {
    const trace::ProcessInfo& process = trace.processes()[i];
    Json one = tally_json(summary.processes[i].tally, timed);
    one["pid"] = process.number;
    one["rank"] = process.rank < 0 ? Json(nullptr) : Json(process.rank);
    one["class"] = process.class_number;
    one["clock_offset_ns"] = process.clock_at_init ? Json(*process.clock_at_init) : Json(nullptr);
    one["parent"] = process.parent < 0 ? Json(nullptr) : Json(process.parent);
    one["program"] = process.program;
    one["arguments"] = process.arguments;
    one["directory"] = process.directory;
    one["host"] = process.host;
    one["start_ns"] = timed ? Json(process.start_ns) : Json(nullptr);
    one["threads"] = summary.processes[i].threads;
    std::uint64_t lost = 0;
    for (const trace::StreamInfo& stream : process.streams) lost += stream.lost;
    one["lost"] = lost;
    document["process_list"].push_back(std::move(one));
  }
  return document;
}

}  // namespace weir::cli
