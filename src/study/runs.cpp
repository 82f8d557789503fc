#include "study/runs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/folders.hpp"
#include "base/json.hpp"
#include "trace/slice_file.hpp"

namespace weir::study {
namespace {

using trace::slices::Operation;

// All calls of a process on files; its time in them.
trace::SliceCount total(const trace::ProcessSlices& process, Run& run) {
  trace::SliceCount sum;
  for (const trace::ProcessSlice& slice : process.slices)
    for (const Operation operation : {Operation::read, Operation::write, Operation::open, Operation::close,
                                      Operation::sync, Operation::names}) {
      const trace::SliceCount count = slice.of(operation);
      sum += count;
      if (operation == Operation::read) run.read_bytes += count.bytes;
      if (operation == Operation::write) run.written_bytes += count.bytes;
    }
  return sum;
}

}  // namespace

Json to_json(const Run& run) {
  Json differences = Json::array();
  for (const Difference& one : run.differences)
    differences.push_back({{"name", one.name}, {"what", one.what}});
  return {{"number", run.number},       {"where", run.where},           {"run_s", run.run_s},
          {"io_s", run.io_s},           {"start_s", run.start_s},       {"flush_s", run.flush_s},
          {"calls", run.calls},         {"read_bytes", run.read_bytes}, {"written_bytes", run.written_bytes},
          {"processes", run.processes}, {"differences", differences},   {"run", run.document}};
}

Result<Run> run_from_json(const Json& json) {
  Run run;
  try {
    run.number = json.at("number").get<std::uint64_t>();
    run.where = json.at("where").get<std::string>();
    run.run_s = json.at("run_s").get<double>();
    run.io_s = json.at("io_s").get<double>();
    run.start_s = json.at("start_s").get<double>();
    run.flush_s = json.at("flush_s").get<double>();
    run.calls = json.at("calls").get<std::uint64_t>();
    run.read_bytes = json.at("read_bytes").get<std::uint64_t>();
    run.written_bytes = json.at("written_bytes").get<std::uint64_t>();
    run.processes = json.at("processes").get<std::uint64_t>();
    for (const Json& one : json.at("differences"))
      run.differences.push_back({one.at("name").get<std::string>(), one.at("what").get<std::string>()});
    run.document = json.at("run");
  } catch (const Json::exception& problem) {
    return Error{Errc::bad_data, problem.what()};
  }
  return run;
}

std::string runs_csv(const std::vector<Run>& runs) {
  std::string text = "run,where,io_s,run_s,start_s,flush_s,calls,read_bytes,written_bytes,same\n";
  for (const Run& run : runs)
    text += fmt::format("{},{},{:.9f},{:.9f},{:.9f},{:.9f},{},{},{},{}\n", run.number, run.where, run.io_s,
                        run.run_s, run.start_s, run.flush_s, run.calls, run.read_bytes, run.written_bytes,
                        run.differences.empty() ? 1 : 0);
  return text;
}

Result<void> add_counters(const std::filesystem::path& slices, Run& run) {
  std::uint64_t slowest_ns = 0;
  for (const std::string& file : names_in(slices)) {
    if (!file.ends_with(trace::slices::kSuffix)) continue;
    const auto process = trace::read_slices(slices / file);
    if (!process) return process.error();
    const trace::SliceCount sum = total(*process, run);
    slowest_ns = std::max(slowest_ns, sum.time_ns);
    run.calls += sum.calls;
    ++run.processes;
  }
  if (run.processes == 0)
    return Error{Errc::bad_data, "no process of the program was counted"}.with_remedy(
        "it may be linked statically, or be started with an environment of its own");
  run.io_s = 1e-9 * static_cast<double>(slowest_ns);
  return {};
}

Result<Json> last_document(std::string_view text, std::string_view schema) {
  for (std::size_t at = text.rfind("{\n"); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : text.rfind("{\n", at - 1)) {
    auto document = parse_json(text.substr(at));
    if (document && document->is_object() && document->value("schema", "") == schema) return document;
  }
  return Error{Errc::bad_data, fmt::format("there is no {} in what was printed", schema)};
}

}  // namespace weir::study
