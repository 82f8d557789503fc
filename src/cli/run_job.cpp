#include "cli/run_job.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "cli/fs.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrivate = ".weir-";
constexpr std::string_view kJobFile = "job.json";

// Private folders of jobs in the directory.
std::vector<fs::path> jobs_in(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed))
    if (entry.path().filename().string().starts_with(kPrivate) && entry.is_directory(failed))
      found.push_back(entry.path());
  return found;
}

// Runs begin and end on a directory one after the other. Where its file system has no such locks, at once.
UniqueFd turn_on(const fs::path& directory) {
  UniqueFd turn(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (::flock(turn.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return turn;
  fmt::print(stderr, "weir run: another run begins or ends on {}; waiting for it\n", directory.string());
  while (::flock(turn.get(), LOCK_EX) != 0 && errno == EINTR && !interrupted()) {
  }
  return turn;
}

// In the directory's turn.
Result<UniqueFd> use_servers_of(const std::string& job_path, bool& has_others) {
  auto use = open_file(runs_beside(job_path), O_RDWR | O_CREAT, 0600);
  if (!use) return use.error();
  has_others = ::flock(use->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::flock(use->get(), LOCK_SH);
  return use;
}

// Options that servers which run already cannot follow.
std::vector<std::string> unmet(const burst::Job& wanted, const burst::Job& there,
                               const AskedOfServers& asked) {
  const auto buffer_of = [](const burst::Job& job) {
    return job.servers.front().directory.parent_path().parent_path();
  };
  std::vector<std::string> options;
  if (asked.buffer && buffer_of(wanted) != buffer_of(there)) options.emplace_back("--buffer");
  if (asked.quota && wanted.quota_bytes != there.quota_bytes) options.emplace_back("--quota");
  if (asked.workers && wanted.workers != there.workers) options.emplace_back("--workers");
  if (asked.hosts && !std::ranges::equal(wanted.servers, there.servers, {}, &burst::JobServer::host,
                                         &burst::JobServer::host))
    options.emplace_back(is_local(wanted) ? "--local" : "--hosts");
  return options;
}

// A job of before: it goes on, or somebody has to look after it.
Result<RunJob> take_over(const fs::path& folder, const burst::JobPlan& plan, const burst::Job& wanted,
                         const AskedOfServers& asked) {
  const std::string file = folder / kJobFile;
  auto job = burst::Job::read(file);
  if (!job)
    return Error{Errc::usage,
                 fmt::format("another job's buffer stands before it ({})", folder.filename().string())}
        .in(plan.backing.string())
        .with_remedy("end it with 'weir fs stop', or bring its data out with 'weir fs recover'");
  auto session = talk_to(*job);
  if (!session)
    return Error{Errc::usage, fmt::format("job {} has died before it and left data in the buffer", job->id)}
        .in(plan.backing.string())
        .with_remedy(fmt::format("weir fs recover {} --remove", plan.backing.string()));
  if (const auto options = unmet(wanted, *job, asked); !options.empty())
    return Error{Errc::usage,
                 fmt::format("job {} runs before it with another {}", job->id, fmt::join(options, ", "))}
        .in(plan.backing.string())
        .with_remedy(fmt::format("leave that out, or end the job with 'weir fs stop --job {}'", file));
  RunJob taken{.file = file, .job = {}, .session = std::move(*session), .was_running = true, .use = {}};
  auto use = use_servers_of(file, taken.has_others);
  if (!use) return use.error();
  taken.use = std::move(*use);
  // Which model a file has is the clients' business: the next step may ask for another.
  const bool same = job->model == plan.model && job->policy == plan.policy && !job->verify && !plan.verify;
  if (taken.has_others && !same)
    return Error{Errc::usage,
                 fmt::format("another run uses the servers before it, under {}{}{}", job->model,
                             job->policy.empty() ? "" : " and a policy", job->verify ? " with --verify" : "")}
        .in(plan.backing.string())
        .with_remedy("wait for its end; runs at the same time need the same models, and --verify one alone");
  job->model = plan.model;
  job->policy = plan.policy;
  job->verify = plan.verify;
  if (!taken.has_others)
    if (auto written = job->write(file); !written) return written.error();
  taken.job = std::move(*job);
  return taken;
}

// Of a job whose servers have not come together nothing stays: the next run would take it for one that has
// died.
Error without_a_trace(const burst::Job& job, const std::string& file, Error error) {
  if (const auto met = burst::Job::read(file); met && met->has_all_addresses()) return error;
  std::error_code ignored;
  fs::remove_all(fs::path(file).parent_path(), ignored);
  for (const auto& server : job.servers) {
    fs::remove_all(server.directory, ignored);
    fs::remove(server.directory.parent_path(), ignored);  // once it is empty
  }
  return Error{error.code(), error.message()}.in(job.backing.string());  // nor of the log that it names
}

}  // namespace

fs::path usual_buffer() {
  const fs::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK | X_OK) == 0 ? memory : fs::path();
}

bool is_local(const burst::Job& job) { return job.servers.front().listen == burst::JobServer().listen; }

Left leave(const RunJob& job) {
  Left left{turn_on(job.job.backing)};
  ::flock(job.use.get(), LOCK_UN);
  left.was_last = ::flock(job.use.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  return left;
}

Result<RunJob> find_or_start(burst::JobPlan plan, const AskedOfServers& asked) {
  auto job = burst::new_job(plan);
  if (!job) return job.error();
  plan.backing = job->backing;
  const UniqueFd turn = turn_on(job->backing);
  if (const auto stop = check_interrupt(); !stop) return stop.error();
  if (const auto before = jobs_in(job->backing); !before.empty())
    return take_over(before.front(), plan, *job, asked);

  const fs::path folder = job->backing / fmt::format("{}{}", kPrivate, job->id);
  std::error_code failed;
  fs::create_directory(folder, failed);
  if (failed)
    return Error::from_errno(failed.value(), "cannot make a directory for the job").in(folder.string());
  fs::permissions(folder, fs::perms::owner_all, failed);
  const std::string file = folder / kJobFile;
  bool has_others = false;
  auto use = use_servers_of(file, has_others);
  if (!use) return without_a_trace(*job, file, use.error());
  if (auto written = job->write(file); !written) return without_a_trace(*job, file, written.error());
  const auto started = start_servers(plan, *job, file);
  if (!started) return without_a_trace(*job, file, started.error());
  auto running = wait_for_servers(file, *started, job->limit_ms);
  if (!running) return without_a_trace(*job, file, running.error());
  auto session = talk_to(*running);
  if (!session) return session.error();
  return RunJob{
      .file = file, .job = std::move(*running), .session = std::move(*session), .use = std::move(*use)};
}

bool is_served(const fs::path& directory) { return !jobs_in(directory).empty(); }

std::uint64_t bytes_past_weir(const burst::Job& job) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (const auto& server : job.servers)
    for (const auto& entry : fs::directory_iterator(burst::placeholders_of(server), failed))
      if (const auto size = entry.file_size(failed); !failed) bytes += size;
  return bytes;
}

}  // namespace weir::cli
