#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/own_files.hpp"
#include "base/units.hpp"
#include "burst/client/policy.hpp"
#include "burst/this_node.hpp"
#include "cli/commands.hpp"
#include "cli/fs.hpp"
#include "cli/run_job.hpp"
#include "cli/run_summary.hpp"
#include "launch/mpi_choice.hpp"
#include "launch/preload.hpp"
#include "launch/process.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAuto = "auto";

struct Options {
  std::string directory;
  std::string model = "posix";
  std::string policy;
  std::string buffer;
  std::string quota;
  std::vector<std::string> traces;
  std::vector<std::string> hosts;
  std::string network;
  std::optional<std::uint32_t> local;
  std::optional<std::uint32_t> workers;
  bool keep = false;
  bool learn = false;
  bool verify = false;
  std::optional<std::vector<std::string>> stage_in;  // patterns; none: everything
  bool json = false;
  std::vector<std::string> command;
};

Error with_mount(Error error) {
  return error.code() == Errc::lacking
             ? error.with_remedy("link it dynamically, or put the directory before it with 'weir fs mount'")
             : error;
}

// The program and, behind a launcher, the one that it starts.
Result<void> check_programs(const std::vector<std::string>& command) {
  if (const auto good = launch::check_preloadable(command.front()); !good) return with_mount(good.error());
  const std::string first = fs::path(command.front()).filename().string();
  const auto& launchers = launch::launchers();
  if (std::ranges::none_of(launchers, [&](std::string_view one) { return first.starts_with(one); }))
    return {};
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (command[i].starts_with('-') || command[i].find('/') == std::string::npos ||
        !launch::find_program(command[i]))
      continue;
    if (const auto good = launch::check_preloadable(command[i]); !good) return with_mount(good.error());
    break;
  }
  return {};
}

Result<std::string> own_program() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return Error::from_errno(failed.value(), "cannot find this program");
  return self.string();
}

// `weir check` of these traces, with which model each file needs as a policy.
Result<void> derive_policy(const std::vector<std::string>& traces, const std::string& policy) {
  const auto self = own_program();
  if (!self) return self.error();
  std::vector<std::string> words = {*self, "check", "--policy", policy};
  words.insert(words.end(), traces.begin(), traces.end());
  const auto checked = launch::run_and_capture(words, Nanoseconds(600'000'000'000));
  if (!checked) return checked.error();
  // 1 says that there are races: then the files concerned are given posix.
  if (checked->status > 1)
    return Error{Errc::usage,
                 fmt::format("'weir check' cannot say which consistency is needed: {}", checked->output)};
  return {};
}

Result<burst::JobPlan> plan_of(Options& options) {
  burst::JobPlan plan;
  plan.backing = options.directory;
  plan.buffer = options.buffer.empty() ? usual_buffer() : fs::path(options.buffer);
  if (plan.buffer.empty())
    return Error{Errc::usage, "there is no /dev/shm to buffer in"}.with_remedy("give --buffer DIR");
  plan.hosts = options.hosts;
  plan.network = options.network;
  plan.local = options.hosts.empty() ? options.local.value_or(1) : 0;
  plan.workers = options.workers.value_or(1);
  plan.verify = options.verify;
  if (!options.quota.empty()) {
    const auto quota = parse_bytes(options.quota);
    if (!quota) return quota.error().in("--quota");
    plan.quota_bytes = quota->count;
  }
  plan.model = options.model;
  if (options.model == kAuto) {
    plan.model = "posix";  // for what nothing is known of
    if (options.traces.empty() && options.policy.empty() && !options.learn)
      return Error{Errc::usage, "--consistency auto needs to know the program"}.with_remedy(
          "--trace an earlier trace of it, --policy as 'weir check' wrote it, or --learn now");
  }
  if (!options.traces.empty() && options.model != kAuto)
    return Error{Errc::usage, fmt::format("--trace serves --consistency auto, not {}", options.model)}
        .with_remedy("give --consistency auto, or leave --trace out");
  if (!options.traces.empty() && (!options.policy.empty() || options.learn))
    return Error{Errc::usage, fmt::format("--trace and {} both say what the files need",
                                          options.learn ? "--learn" : "--policy")}
        .with_remedy("give one of them");
  if (options.learn) {
    if (plan.model == "posix") return plan;
    return Error{Errc::usage, "--learn finds out what the program needs"}.with_remedy(
        "leave --consistency out; the next run gets what was learnt with --policy");
  }
  fs::path derived;
  if (options.model == kAuto && !options.traces.empty()) {
    derived = fs::temp_directory_path() / fmt::format("weir-policy-{}", ::getpid());
    if (auto made = derive_policy(options.traces, derived); !made) return made.error();
  }
  if (options.policy.empty() && derived.empty()) return plan;
  auto text = read_text(derived.empty() ? fs::path(options.policy) : derived);
  std::error_code ignored;
  if (!derived.empty()) fs::remove(derived, ignored);
  if (!text) return text.error();
  plan.policy = std::move(*text);
  return plan;
}

launch::Variables variables_for(const Options& options, const RunJob& job) {
  launch::Variables variables = {
      {burst::kJobVariable, job.file},
      {"WEIR_BURST_DIR", fs::absolute(options.directory).lexically_normal().string()}};
  if (is_local(job.job) && job.job.servers.size() > 1 && std::getenv(burst::kServerVariable) == nullptr)
    variables.emplace_back(burst::kServerVariable, burst::kServerByRank);
  return variables;
}

// Runs the program below a tracer in the directory itself: the kernel does not know the names of buffered
// files, and a recorder that meets them as inherited descriptors would miss what is done to them.
Result<int> learn(const Options& options, const burst::JobPlan& plan) {
  std::vector<std::string_view> unused;
  for (const auto& [given, name] :
       {std::pair{options.verify, "--verify"}, std::pair{options.keep, "--keep"},
        std::pair{options.stage_in.has_value(), "--stage-in"}, std::pair{!options.quota.empty(), "--quota"},
        std::pair{options.local.has_value(), "--local"}, std::pair{!options.hosts.empty(), "--hosts"},
        std::pair{options.workers.has_value(), "--workers"}, std::pair{options.json, "--json"}})
    if (given) unused.emplace_back(name);
  if (!unused.empty())
    return Error{Errc::usage, "--learn runs the program in the directory itself, without a buffer"}
        .with_remedy(fmt::format("leave {} for the next run", fmt::join(unused, ", ")));
  const auto job = burst::new_job(plan);
  if (!job) return job.error();
  if (is_served(job->backing))
    return Error{Errc::usage, "a job stands before the directory; what it buffers would not be seen"}
        .in(options.directory)
        .with_remedy("'weir fs stop' first, then learn");
  const auto self = own_program();
  if (!self) return self.error();
  const fs::path directory = fs::absolute(options.directory).lexically_normal();
  const std::string policy =
      options.policy.empty()
          ? (directory.has_filename() ? directory : directory.parent_path()).filename().string() + ".policy"
          : options.policy;
  const std::string trace = policy + ".trace";
  std::vector<std::string> words = {*self, "trace", "--out", trace, "--"};
  words.insert(words.end(), options.command.begin(), options.command.end());
  auto status = launch::run_program(words, {});
  if (!status || *status != 0) return status;
  if (auto learnt = derive_policy({trace}, policy); !learnt) return learnt.error();
  fmt::print(stderr, "weir run: which consistency each file needs is in {}; use it with --policy\n", policy);
  return 0;
}

// Before the program has run: servers that were started for it end, or that another run has left to this one.
void give_up(RunJob& job) {
  if (job.was_running && !job.has_others) return;
  const Left left = leave(job);
  if (left.was_last && flush_for_good(*job.session)) static_cast<void>(stop_servers(*job.session, job.file));
}

Result<int> run(Options& options, Output& out) {
  if (const auto good = check_programs(options.command); !good) return good.error();
  const auto library = launch::find_preload_library("weir-burst");
  if (!library) return library.error();
  const auto plan = plan_of(options);
  if (!plan) return plan.error();
  if (options.learn) return learn(options, *plan);

  RunTimes times;
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  Clock::time_point begin = Clock::now();
  auto job = find_or_start(*plan, {.buffer = !options.buffer.empty(),
                                   .quota = !options.quota.empty(),
                                   .hosts = options.local || !options.hosts.empty(),
                                   .workers = options.workers.has_value()});
  if (!job) return job.error();
  times.start_s = since(begin);
  if (options.verify && job->was_running)
    if (const auto ready = begin_verifying(*job->session); !ready) return ready.error();
  std::optional<Staged> staged;
  if (options.stage_in && job->has_others) {
    give_up(*job);
    return Error{Errc::usage, "another run uses the servers, and may write what would be brought in"}
        .in(options.directory)
        .with_remedy("leave --stage-in out, or wait for its end");
  }
  if (options.stage_in) {
    begin = Clock::now();
    auto brought = stage_in(job->job, *options.stage_in, is_local(job->job));
    if (!brought) {
      give_up(*job);
      return brought.error();
    }
    staged = *brought;
    times.stage_in_s = since(begin);
  }
  const RunSums before = job->was_running ? sums_of(ask_servers(*job->session)) : RunSums();
  begin = Clock::now();
  const auto status =
      launch::run_program(options.command, launch::with_preload_last(variables_for(options, *job), *library));
  times.program_s = since(begin);
  if (!status) {
    give_up(*job);
    return status.error();
  }
  RunSums sums = cli::since(before, sums_of(ask_servers(*job->session)));
  sums.past_weir = bytes_past_weir(job->job);
  if (sums.past_weir > 0)
    warn(
        "{} were written to files in {} by a program that Weir is not in, and are lost: it is linked "
        "statically, or makes "
        "system calls by itself",
        format_bytes(Bytes(sums.past_weir)), job->job.backing.string());
  std::optional<burst::Verdict> verdict;
  if (options.verify) {
    auto told = verdict_of(*job->session);
    if (!told && *status == 0) return told.error();
    if (told)
      verdict = std::move(*told);
    else
      warn("{}", told.error().text());
  }
  if (!options.keep) {
    const Left left = leave(*job);
    begin = Clock::now();
    const auto flushed = left.was_last ? flush_for_good(*job->session) : flush_all(*job->session);
    times.flush_s = since(begin);
    if (!flushed) {
      const Error failed = flushed.error().with_remedy(fmt::format(
          "nothing is lost: the servers go on; when the cause is gone, 'weir fs stop --job {}'", job->file));
      if (*status == 0) return failed;
      warn("{}", failed.text());
      return *status;
    }
    sums.flushed = *flushed;
    if (!left.was_last)
      fmt::print(stderr, "weir run: another run uses the servers: they go on, and end with the last one\n");
    else if (auto ended = stop_servers(*job->session, job->file); !ended)
      warn("{}", ended.error().text());
  }
  print_summary({*job, options.command, options.model, options.keep, options.json, *status, times, sums,
                 staged, verdict},
                out);
  if (*status == 0 && verdict && verdict->stale > 0) return 1;
  return *status;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--dir", options->directory, "the directory whose files go through the buffer")
      ->required()
      ->type_name("DIR");
  app.add_option("--consistency", options->model,
                 fmt::format("{}, or auto: what the program needs (posix)", burst::list_of_policies()))
      ->type_name("MODEL");
  app.add_option(
         "--policy", options->policy,
         "a model for each path, as 'weir check --policy' writes it; others have that of --consistency")
      ->type_name("FILE");
  app.add_option("--trace", options->traces, "for auto: an earlier trace of the program")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_flag("--learn", options->learn,
               "trace the program in DIR itself; write what each file needs to --policy (DIR.policy)");
  app.add_flag(
      "--verify", options->verify,
      "hold every read under a weak model against what posix would give; exit 1 names those that differ");
  app.add_option_function<std::vector<std::string>>(
         "--stage-in",
         [options](const std::vector<std::string>& patterns) {
           options->stage_in = patterns;
           std::erase(*options->stage_in, "");  // what the parser gives where none was
         },
         "bring files of DIR that match (all) into the buffer before the program starts")
      ->expected(0, -1)
      ->type_name("GLOB...");
  app.add_option("--buffer", options->buffer, "where writes go (/dev/shm)")->type_name("DIR");
  app.add_option("--quota", options->quota, "at most so much of each node's buffer, such as 16G")
      ->type_name("SIZE");
  auto* const local = app.add_option("--local", options->local, "so many servers on this machine (1)")
                          ->check(CLI::Range(1, 64))
                          ->type_name("N");
  app.add_option("--hosts", options->hosts, "a server on each of these, by srun or mpirun")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("H,...")
      ->excludes(local);
  app.add_option("--network", options->network,
                 "which of the hosts' networks servers speak over (where the name leads)")
      ->excludes(local)
      ->type_name("DEVICE|RANGE");
  app.add_option("--workers", options->workers, "threads of each server that share out the files (1)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  app.add_flag("--keep", options->keep,
               "leave servers and data for the next 'weir run' on DIR; 'weir fs stop' ends them");
  add_json_flag(app, options->json);
  app.add_option("COMMAND", options->command, "the program and its arguments, after --")->required();
  return [options](Output& out) { return run(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir run --dir out -- mpirun -n 8 ./app", "everything under ./out through a buffer in memory"},
    Example{"weir run --dir out --consistency session --buffer /mnt/nvme -- mpirun -n 8 ./app",
            "files are seen by others once they are closed"},
    Example{"weir run --dir out --consistency auto --trace app.trace -- mpirun -n 8 ./app",
            "the weakest consistency that an earlier trace proves enough"},
    Example{"weir run --dir out --consistency session --verify -- mpirun -n 8 ./app",
            "whether session is enough for this run; names the reads for which it is not"},
    Example{"weir run --dir in --stage-in '*.dat' -- mpirun -n 8 ./app",
            "the program finds its input in the buffer"},
    Example{"weir run --dir /scratch/out --hosts n01,n02 --buffer /mnt/nvme -- mpirun --host n01,n02 ./app",
            "a server and a buffer on each of two nodes"},
    Example{"weir run --dir out --keep -- ./simulate && weir run --dir out -- ./analyse",
            "the second step reads from the buffer; then everything is flushed"},
};

}  // namespace

const Command kRun = {
    .name = "run",
    .summary = "run a program with a directory on the burst-buffer file system",
    .examples = kExamples,
    .define = define,
    .notes =
        "The exit status is the program's own; when it is zero and the flush fails it is 4, the servers go "
        "on "
        "and hold the data; with --verify it is 1 when a read was stale.\n"
        "Runs at the same time on one DIR share the servers, under the same models; the last one ends them. "
        "Servers that "
        "run already keep their --buffer, --quota, --local, --hosts and --workers: others are refused.\n"
        "What is said comes on stderr; with --json one object on stdout after the program's own output.\n"
        "Not seen: raw system calls, io_uring, statically linked programs ('weir fs mount' is for those).",
};

}  // namespace weir::cli
