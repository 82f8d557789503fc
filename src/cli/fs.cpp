#include "cli/fs.hpp"

#include <array>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "burst/server_protocol.hpp"
#include "burst/this_node.hpp"
#include "cli/commands.hpp"

namespace weir::cli {

Result<std::string> job_file(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* const named = std::getenv(burst::kJobVariable)) return std::string(named);
  return Error{Errc::usage, "no job named"}.with_remedy(
      fmt::format("give --job FILE, as 'weir fs start' wrote it, or set {}", burst::kJobVariable));
}

CLI::Option* add_job_option(CLI::App& app, std::string& job) {
  return app.add_option("--job", job, fmt::format("the job file; ${} when not given", burst::kJobVariable))
      ->type_name("FILE");
}

Result<std::unique_ptr<burst::Session>> talk_to(const burst::Job& job) {
  // Whether it runs is the question here, so nobody waits long for the answer.
  burst::Job quick = job;
  quick.limit_ms = 1000;
  if (const auto here = burst::server_of_this_node(job)) return burst::Session::connect(quick, *here);
  quick.limit_ms = 200;
  Result<std::unique_ptr<burst::Session>> session = Error{Errc::io, "no server answers"};
  for (std::uint32_t i = 0; i < job.servers.size() && !session; ++i)
    session = burst::Session::connect(quick, i);
  return session;
}

Result<OpenedJob> open_job(const std::string& given) {
  const auto path = job_file(given);
  if (!path) return path.error();
  auto job = burst::Job::read(*path);
  if (!job) return job.error();
  auto session = talk_to(*job);
  if (!session)
    return session.error().in(*path).with_remedy("it has ended, or was killed: see the log beside it");
  return OpenedJob{*path, std::move(*job), std::move(*session)};
}

std::vector<ServerFacts> ask_servers(burst::Session& session) {
  const burst::Layout layout = session.job().layout();
  std::vector<ServerFacts> all;
  for (std::uint32_t server = 0; server < layout.servers; ++server) {
    ServerFacts facts{.number = server, .answers = true, .counters = {}};
    for (std::uint32_t worker = 0; worker < layout.workers && facts.answers; ++worker) {
      const auto answer = session.ask({server, worker}, burst::GetStats{});
      facts.answers = answer.error == 0;
      for (const auto& row : answer.body.rows) facts.counters[row.name] += row.value;
    }
    all.push_back(std::move(facts));
  }
  return all;
}

namespace {

constexpr std::array kParts = {&kFsStart, &kFsStop, &kFsStatus, &kFsStats, &kFsFlush, &kFsRecover,
                               &kFsLs,    &kFsStat, &kFsDu,     &kFsCat,   &kFsCp,    &kFsMount};
constexpr std::array kExamples = {
    Example{"weir fs start --local 1 --buffer /dev/shm --backing out --job job.json",
            "a file system before ./out"},
    Example{"weir fs status --job job.json", "which servers run, what they hold"},
    Example{"weir fs stop --job job.json", "flush everything to ./out and end"},
};

}  // namespace

const Command kFs = {
    .name = "fs",
    .summary = "start, watch and stop the burst-buffer file system",
    .examples = kExamples,
    .parts = kParts,
};

}  // namespace weir::cli
