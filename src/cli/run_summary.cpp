#include "cli/run_summary.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/units.hpp"

namespace weir::cli {

RunSums sums_of(const std::vector<ServerFacts>& servers) {
  RunSums sums;
  for (const ServerFacts& server : servers)
    for (const auto& [name, value] : server.counters) {
      if (name == "bytes.published") sums.published += value;
      if (name == "bytes.peer_read") sums.from_peers += value;
      if (name == "bytes.spilled") sums.spilled += value;
      if (name == "bytes.buffered") sums.buffered += value;
      if (name == "files") sums.files += value;
      if (name.starts_with("rpcs.")) sums.rpcs[name.substr(5)] += value;
      if (name.starts_with("locks.")) sums.locks[name.substr(6)] += value;
    }
  return sums;
}

RunSums since(const RunSums& before, RunSums now) {
  now.published -= std::min(now.published, before.published);
  now.from_peers -= std::min(now.from_peers, before.from_peers);
  now.spilled -= std::min(now.spilled, before.spilled);
  for (const auto maps : {&RunSums::rpcs, &RunSums::locks})
    for (auto& [name, value] : now.*maps) {
      const auto found = (before.*maps).find(name);
      if (found != (before.*maps).end()) value -= std::min(value, found->second);
    }
  return now;
}

namespace {

// Of so little a rate says nothing.
std::string rate_of(std::uint64_t bytes, double s) {
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 20;
  if (bytes < kMuch) return "";
  return fmt::format(" ({})", format_rate(Bytes(bytes), Nanoseconds(static_cast<std::int64_t>(s * 1e9))));
}

}  // namespace

void print_summary(const RunReport& report, Output& out) {
  const auto& [job, command, model, keep, json, status, times, sums, staged, verdict] = report;
  if (json) {
    Json document = json_document("run");
    document["command"] = command;
    document["dir"] = job.job.backing.string();
    document["model"] = model;
    document["job"] = job.job.id;
    document["job_file"] = keep ? Json(job.file) : Json(nullptr);
    document["status"] = status;
    document["start_s"] = times.start_s;
    document["program_s"] = times.program_s;
    document["flush_s"] = keep ? Json(nullptr) : Json(times.flush_s);
    document["files"] = sums.files;
    document["bytes"] = {{"published_bytes", sums.published},  {"buffered_bytes", sums.buffered},
                         {"peer_read_bytes", sums.from_peers}, {"spilled_bytes", sums.spilled},
                         {"flushed_bytes", sums.flushed},      {"past_weir_bytes", sums.past_weir}};
    document["rpcs"] = sums.rpcs;
    document["locks"] = sums.locks;
    document["stage_in"] = nullptr;
    if (staged)
      document["stage_in"] = {{"files", staged->files}, {"bytes", staged->bytes}, {"s", times.stage_in_s}};
    document["verify"] = verdict ? verdict_json(*verdict, job.job) : Json(nullptr);
    out.measured_json(document);
    return;
  }
  const auto seconds = [](double s) {
    return format_duration(Nanoseconds(static_cast<std::int64_t>(s * 1e9)));
  };
  if (staged)
    fmt::print(stderr, "weir run: {} in {} files brought in ahead in {}\n",
               format_bytes(Bytes(staged->bytes)), format_count(staged->files), seconds(times.stage_in_s));
  fmt::print(stderr, "weir run: program {} under {}: {} published, {} read from other nodes, {} buffered{}\n",
             seconds(times.program_s), model, format_bytes(Bytes(sums.published)),
             format_bytes(Bytes(sums.from_peers)), format_bytes(Bytes(sums.buffered)),
             sums.spilled == 0 ? ""
                               : fmt::format(", {} written to the directory at once: the buffer was full",
                                             format_bytes(Bytes(sums.spilled))));
  if (keep)
    fmt::print(stderr, "weir run: the servers stay; export {}={}\n", burst::kJobVariable, job.file);
  else
    fmt::print(stderr, "weir run: {} flushed to {} in {}{}, for which the program did not wait\n",
               format_bytes(Bytes(sums.flushed)), job.job.backing.string(), seconds(times.flush_s),
               rate_of(sums.flushed, times.flush_s));
  if (verdict) print_verdict(*verdict, job.job);
}

}  // namespace weir::cli
