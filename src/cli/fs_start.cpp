#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "base/units.hpp"
#include "burst/client/policy.hpp"
#include "burst/meeting.hpp"
#include "burst/new_job.hpp"
#include "cli/fs.hpp"
#include "cli/run_job.hpp"

namespace weir::cli {
namespace {

struct Options {
  burst::JobPlan plan;
  std::string job;
  std::string quota;
  std::string limit;
  std::string policy_file;
  std::string when_full = "spill";
  std::string lock_grant = "extend";
  std::string lock_settle = "split";
  bool prepare = false;
};

Result<void> complete(Options& options) {
  if (!options.quota.empty()) {
    const auto quota = parse_bytes(options.quota);
    if (!quota) return quota.error().in("--quota");
    options.plan.quota_bytes = quota->count;
  }
  if (!options.limit.empty()) {
    const auto limit = parse_duration(options.limit);
    if (!limit) return limit.error().in("--limit");
    options.plan.limit_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(1, limit->count / 1'000'000));
  }
  if (!options.policy_file.empty()) {
    auto text = read_text(options.policy_file);
    if (!text) return text.error();
    options.plan.policy = std::move(*text);
  }
  for (const auto& [grant, name] : burst::kGrantNames)
    if (options.lock_grant == name) options.plan.locks.grant = grant;
  for (const auto& [settle, name] : burst::kSettleNames)
    if (options.lock_settle == name) options.plan.locks.settle = settle;
  options.plan.when_full = options.when_full == "fail" ? burst::WhenFull::fail : burst::WhenFull::spill;
  return {};
}

// A job file of before may go once its job has ended and nothing is left that only it knows how to find.
Result<void> check_file_is_free(const std::string& path) {
  const auto before = burst::Job::read(path);
  if (!before) return {};
  if (talk_to(*before))
    return Error{Errc::usage, fmt::format("job {} still runs", before->id)}.with_remedy("weir fs stop");
  std::error_code ignored;
  const bool has_begun = before->has_all_addresses();
  for (const burst::JobServer& server : before->servers)
    if (has_begun && std::filesystem::exists(server.directory, ignored))
      return Error{Errc::usage, fmt::format("job {} has died and left its buffer", before->id)}.with_remedy(
          fmt::format("weir fs recover {} --remove", server.directory.parent_path().string()));
  // Servers that end take away what they put beside the file; of those on other hosts nothing else tells.
  for (std::uint32_t i = 0; i < before->servers.size(); ++i)
    if (has_begun && !is_local(*before) && burst::arrival_of(path, *before, i))
      return Error{Errc::usage,
                   fmt::format("job {} has not ended on {}", before->id, before->servers[i].host)}
          .with_remedy("weir fs stop there; if it has died, weir fs recover there, then remove the file");
  burst::forget_arrivals(path, before->servers.size());
  return {};
}

// How the servers of a prepared job are started.
std::string by_hand(const Options& options) {
  const std::string command = fmt::format("weir-server --job {}", options.job);
  if (options.plan.local > 0)
    return fmt::format("{} of '{} --server N', N from 0 to {}", options.plan.local, command,
                       options.plan.local - 1);
  return fmt::format("one '{}' on each of {}", command, fmt::join(options.plan.hosts, ", "));
}

Result<int> start(Options& options, Output& out) {
  if (auto good = complete(options); !good) return good.error();
  auto job = burst::new_job(options.plan);
  if (!job) return job.error();
  const std::string path = std::filesystem::absolute(options.job).string();
  if (auto free = check_file_is_free(path); !free) return free.error().in(options.job);
  burst::forget_arrivals(path, job->servers.size());
  if (auto written = job->write(path); !written) return written.error();
  if (options.prepare) {
    out.print("{}: job {} is prepared; start {}\n", options.job, job->id, by_hand(options));
    return 0;
  }
  const auto started = start_servers(options.plan, *job, path);
  if (!started) return started.error();
  const auto running = wait_for_servers(path, *started, job->limit_ms);
  if (!running) return running.error();
  out.print("job {}: {} server{} before {}, buffer {}, {}\n", running->id, running->servers.size(),
            running->servers.size() == 1 ? "" : "s", running->backing.string(), options.plan.buffer.string(),
            running->model);
  out.print("export {}={}\n", burst::kJobVariable, path);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  burst::JobPlan& plan = options->plan;
  auto* const local =
      app.add_option("--local", plan.local, "so many servers on this machine, each a node of its own")
          ->check(CLI::Range(1, 64))
          ->type_name("N");
  app.add_option("--hosts", plan.hosts, "a server on each of these, by srun or mpirun")
      ->delimiter(',')
      ->type_name("H,...")
      ->excludes(local);
  app.add_option("--network", plan.network,
                 "which of the hosts' networks servers speak over (where the name leads)")
      ->excludes(local)
      ->type_name("DEVICE|RANGE");
  app.add_option("--buffer", plan.buffer, "where writes go: /dev/shm, a local NVMe, any directory")
      ->required()
      ->type_name("DIR");
  app.add_option("--backing", plan.backing, "the directory that the file system stands before")
      ->required()
      ->type_name("DIR");
  app.add_option("--job", options->job, "how programs find the servers; written")
      ->required()
      ->type_name("FILE");
  app.add_option("--consistency", plan.model,
                 fmt::format("for files no policy names: {} ({})", burst::list_of_policies(), plan.model))
      ->type_name("MODEL");
  app.add_option("--policy", options->policy_file,
                 "a model for each path, as 'weir check --policy' writes it")
      ->type_name("FILE");
  app.add_option("--quota", options->quota, "at most so much of each node's buffer, such as 16G")
      ->type_name("SIZE");
  add_choice(app, "--when-full", options->when_full, {"spill", "fail"},
             "a full buffer goes on in the backing directory, or writes fail with ENOSPC");
  add_choice(app, "--lock-grant", options->lock_grant, {"exact", "extend", "extend-end"},
             "posix-lock: a token covers what was asked for, or goes on to what others hold");
  add_choice(app, "--lock-settle", options->lock_settle, {"split", "revoke"},
             "posix-lock: a conflict takes a part of the holder's token, or all of it");
  app.add_option("--workers", plan.workers, "threads of each server that share out the files")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  app.add_option("--limit", options->limit, "calls that no server answers fail with EIO after this (30s)")
      ->type_name("TIME");
  app.add_flag("--prepare", options->prepare, "only write the job file; a launcher starts the servers");
  return [options](Output& out) { return start(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir fs start --local 1 --buffer /dev/shm --backing out --job job.json",
            "one node, buffer in memory"},
    Example{"weir fs start --hosts n01,n02 --buffer /mnt/nvme --backing /scratch/run --job job.json --policy "
            "run.policy",
            "two nodes, the consistency that 'weir check' found"},
    Example{"weir fs start --local 4 --workers 2 --buffer /dev/shm --backing out --job job.json",
            "four nodes on one machine, to try things"},
};

}  // namespace

const Command kFsStart = {
    .name = "start",
    .summary = "start servers, a node's each",
    .examples = kExamples,
    .define = define,
    .notes = "The job file holds the job's secret: keep it where only you may read it.",
};

}  // namespace weir::cli
