#include <algorithm>
#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/units.hpp"
#include "cli/fs.hpp"

namespace weir::cli {
namespace {

struct Options {
  std::string job;
  bool json = false;
};

struct Looked {
  burst::Job job;
  std::vector<ServerFacts> servers;
};

Result<Looked> look(const std::string& given) {
  auto opened = open_job(given);
  if (!opened) return opened.error();
  auto servers = ask_servers(*opened->session);
  return Looked{std::move(opened->job), std::move(servers)};
}

std::uint64_t counter(const ServerFacts& server, const std::string& name) {
  const auto found = server.counters.find(name);
  return found == server.counters.end() ? 0 : found->second;
}

Result<int> status(const Options& options, Output& out) {
  const auto looked = look(options.job);
  if (!looked) return looked.error();
  const bool all_answer = std::ranges::all_of(looked->servers, &ServerFacts::answers);
  if (options.json) {
    Json document = json_document("fs-status");
    document["job"] = looked->job.id;
    document["backing"] = looked->job.backing.string();
    document["model"] = looked->job.model;
    document["servers"] = Json::array();
    for (const ServerFacts& server : looked->servers) {
      const auto& row = looked->job.servers[server.number];
      document["servers"].push_back({{"server", server.number},
                                     {"host", row.host},
                                     {"addresses", row.addresses},
                                     {"answers", server.answers},
                                     {"files", counter(server, "files")},
                                     {"buffered_bytes", counter(server, "bytes.buffered")}});
    }
    out.measured_json(document);
    return all_answer ? 0 : 1;
  }
  out.print("job {} before {}, {}\n", looked->job.id, looked->job.backing.string(), looked->job.model);
  Table table({{"server", Table::right},
               {"host"},
               {"address"},
               {"state"},
               {"files", Table::right},
               {"buffer", Table::right}});
  for (const ServerFacts& server : looked->servers) {
    const auto& row = looked->job.servers[server.number];
    table.row({std::to_string(server.number), row.host, row.addresses.empty() ? "-" : row.addresses.front(),
               server.answers ? "runs" : "does not answer",
               server.answers ? format_count(counter(server, "files")) : "-",
               server.answers ? format_bytes(Bytes(counter(server, "bytes.buffered"))) : "-"});
  }
  out.table(table);
  return all_answer ? 0 : 1;
}

// "rpcs.attach" goes to rpcs: {attach}.
Json nested(const std::map<std::string, std::uint64_t>& counters) {
  Json tree = {{"rpcs", Json::object()},
               {"locks", {{"new", 0}, {"local", 0}, {"conflict", 0}}},
               {"bytes", Json::object()}};
  for (const auto& [name, value] : counters) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos)
      tree[name] = value;
    else
      tree[name.substr(0, dot)][name.substr(dot + 1)] = value;
  }
  return tree;
}

Result<int> stats(const Options& options, Output& out) {
  const auto looked = look(options.job);
  if (!looked) return looked.error();
  std::map<std::string, std::uint64_t> total;
  for (const ServerFacts& server : looked->servers)
    for (const auto& [name, value] : server.counters) total[name] += value;
  if (options.json) {
    Json document = json_document("fs-stats");
    document["job"] = looked->job.id;
    document.update(nested(total));
    document["servers"] = Json::array();
    for (const ServerFacts& server : looked->servers) {
      Json row = nested(server.counters);
      row["server"] = server.number;
      row["answers"] = server.answers;
      document["servers"].push_back(row);
    }
    out.measured_json(document);
    return 0;
  }
  std::vector<Table::Column> columns = {{"what"}, {"all", Table::right}};
  for (const ServerFacts& server : looked->servers)
    columns.push_back({fmt::format("server {}", server.number), Table::right});
  Table table(columns);
  const auto text = [](const std::string& name, std::uint64_t value) {
    return name.starts_with("bytes.") ? format_bytes(Bytes(value)) : format_count(value);
  };
  for (const auto& [name, value] : total) {
    if (value == 0 && name.starts_with("rpcs.")) continue;  // of some fifty kinds
    std::vector<std::string> row = {name, text(name, value)};
    for (const ServerFacts& server : looked->servers)
      row.push_back(server.answers ? text(name, counter(server, name)) : "-");
    table.row(std::move(row));
  }
  out.table(table);
  return 0;
}

Run define_status(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_job_option(app, options->job);
  add_json_flag(app, options->json);
  return [options](Output& out) { return status(*options, out); };
}

Run define_stats(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_job_option(app, options->job);
  add_json_flag(app, options->json);
  return [options](Output& out) { return stats(*options, out); };
}

constexpr std::array kStatusExamples = {
    Example{"weir fs status --job job.json", "which servers run; exit 1 when one does not answer"},
};
constexpr std::array kStatsExamples = {
    Example{"weir fs stats --job job.json", "requests by kind, locks, bytes; per server"},
    Example{"weir fs stats --json", "the same for machines, of the job that $WEIR_JOB names"},
};

}  // namespace

const Command kFsStatus = {
    .name = "status",
    .summary = "which servers run, and what they hold",
    .examples = kStatusExamples,
    .define = define_status,
};

const Command kFsStats = {
    .name = "stats",
    .summary = "requests, locks and bytes of each server",
    .examples = kStatsExamples,
    .define = define_stats,
};

}  // namespace weir::cli
