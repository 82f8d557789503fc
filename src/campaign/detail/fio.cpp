#include <array>
#include <map>

#include <fmt/format.h>

#include "campaign/detail/foreign.hpp"

namespace weir::campaign::detail {
namespace {

// Options that say where and how the output goes, not what is measured.
bool is_factor(std::string_view option) {
  constexpr std::array<std::string_view, 9> kOthers = {"name",        "filename",        "directory",
                                                       "output",      "output-format",   "opendir",
                                                       "description", "filename_format", "exec_prerun"};
  return std::find(kOthers.begin(), kOthers.end(), option) == kOthers.end() &&
         option.find("_log") == std::string_view::npos && option.find("log_") == std::string_view::npos;
}

// Percentiles are by name, "99.900000", and only those that were asked for.
std::optional<double> percentile(const Json& latency, const char* key) {
  if (!latency.is_object() || !latency.contains("percentile")) return std::nullopt;
  const auto ns = number_at(latency["percentile"], key);
  return ns ? std::optional(*ns * 1e-9) : std::nullopt;
}

LatencyRow latency_of(const Json& direction) {
  LatencyRow row;
  row.count = static_cast<std::uint64_t>(std::max(0.0, number_at(direction, "total_ios").value_or(0)));
  if (row.count == 0 || !direction.contains("clat_ns")) return row;
  const Json& latency = direction["clat_ns"];
  row.p50_s = percentile(latency, "50.000000");
  row.p99_s = percentile(latency, "99.000000");
  row.p999_s = percentile(latency, "99.900000");
  if (const auto ns = number_at(latency, "max")) row.max_s = *ns * 1e-9;
  return row;
}

Result<ForeignRun> run_of(const Json& job, const Json& global, double ended_ms, const std::string& machine) {
  ForeignRun run;
  RunRow& row = run.row;
  row.machine = text_at(job, "hostname");
  if (row.machine.empty()) row.machine = machine;
  Json notes = Json::object();
  notes["job"] = text_at(job, "jobname");

  std::map<std::string, std::string> options;  // a job's own win over the global ones
  for (const Json* table : {&global, job.contains("job options") ? &job["job options"] : nullptr}) {
    if (table == nullptr || !table->is_object()) continue;
    for (const auto& [option, value] : table->items()) {
      const auto level = level_text(value);
      if (!level) continue;
      if (is_factor(option))
        options[option] = *level;
      else
        notes[option] = *level;
    }
  }
  run.options.assign(options.begin(), options.end());

  double bytes = 0, rate = 0, longest_ms = 0;
  bool any = false;
  for (const char* name : {"read", "write", "trim"}) {
    if (!job.contains(name) || !job[name].is_object()) continue;
    const Json& direction = job[name];
    auto bw = number_at(direction, "bw_bytes");
    if (!bw)
      if (const auto kib = number_at(direction, "bw")) bw = *kib * 1024;
    const auto moved = number_at(direction, "io_bytes");
    const auto ms = number_at(direction, "runtime");
    if (!bw || !moved || !ms || *bw < 0 || *moved < 0 || *ms < 0)
      return Error{Errc::bad_data, fmt::format("'{}' lacks bandwidth, bytes or runtime", name)};
    any = true;
    rate += *bw;
    bytes += *moved;
    longest_ms = std::max(longest_ms, *ms);
  }
  if (!any) return Error{Errc::bad_data, "has no results"};
  row.throughput = rate;
  row.bytes = bytes;
  row.duration_s = longest_ms * 1e-3;
  if (job.contains("read") && job["read"].is_object()) row.read = latency_of(job["read"]);
  if (job.contains("write") && job["write"].is_object()) row.write = latency_of(job["write"]);
  const double started_ms = number_at(job, "job_start").value_or(ended_ms - longest_ms);
  constexpr double kLatest_ms = 9e12;  // year 2255: what fits
  if (started_ms > 0 && started_ms < kLatest_ms) row.started_ns = std::llround(started_ms * 1e6);
  if (const auto error = number_at(job, "error"); error && *error != 0) {
    row.state = RunState::failed;
    row.reason = fmt::format("fio ended with error {}", *error);
  } else if (bytes == 0) {
    row.state = RunState::failed;
    row.reason = "fio moved no bytes";
  }
  row.notes = std::move(notes);
  return run;
}

}  // namespace

Result<ForeignResults> parse_fio(const Json& document, const std::string& machine) {
  const char* const list = document.contains("jobs") ? "jobs" : "client_stats";
  if (!document.contains(list) || !document[list].is_array() || document[list].empty())
    return Error{Errc::bad_data, "fio's output has no jobs"}.with_remedy("fio may have failed; run it again");
  const Json none = Json::object();
  const Json& global = document.contains("global options") ? document["global options"] : none;
  const double ended_ms =
      number_at(document, "timestamp_ms").value_or(number_at(document, "timestamp").value_or(0) * 1e3);
  ForeignResults results{"fio", {}};
  for (std::size_t i = 0; i < document[list].size(); ++i) {
    const Json& job = document[list][i];
    if (text_at(job, "jobname") == "All clients") continue;  // the sum of the others
    auto run = job.is_object() ? run_of(job, global, ended_ms, machine)
                               : Result<ForeignRun>(Error{Errc::bad_data, "is no table"});
    if (!run) return run.error().in(fmt::format("job {}", i + 1));
    results.runs.push_back(*std::move(run));
  }
  return results;
}

}  // namespace weir::campaign::detail
