#include "cli/run_job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
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

// A job of before: it goes on, or somebody has to look after it.
Result<RunJob> take_over(const fs::path& folder, const burst::JobPlan& plan) {
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
  // Which model a file has is the clients' business: the next step may ask for another.
  job->model = plan.model;
  job->policy = plan.policy;
  job->verify = plan.verify;
  if (auto written = job->write(file); !written) return written.error();
  return RunJob{file, std::move(*job), std::move(*session), true};
}

// Of a job whose servers have not come together nothing stays: the next run would take it for one that has
// died. What they said last is told.
Error without_a_trace(const burst::Job& job, const std::string& file, Error error) {
  if (const auto met = burst::Job::read(file); met && met->has_all_addresses()) return error;
  const auto log = read_text(file + ".log");
  std::error_code ignored;
  fs::remove_all(fs::path(file).parent_path(), ignored);
  for (const auto& server : job.servers) {
    fs::remove_all(server.directory, ignored);
    fs::remove(server.directory.parent_path(), ignored);  // once it is empty
  }
  std::string_view said = log ? std::string_view(*log) : std::string_view();
  while (said.ends_with('\n')) said.remove_suffix(1);
  if (said.empty()) return error;
  return Error{error.code(), fmt::format("{}: {}", error.message(), said.substr(said.rfind('\n') + 1))}.in(
      job.backing.string());
}

}  // namespace

fs::path usual_buffer() {
  const fs::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK | X_OK) == 0 ? memory : fs::path();
}

Result<RunJob> find_or_start(burst::JobPlan plan) {
  auto job = burst::new_job(plan);
  if (!job) return job.error();
  plan.backing = job->backing;
  if (const auto before = jobs_in(job->backing); !before.empty()) return take_over(before.front(), plan);

  const fs::path folder = job->backing / fmt::format("{}{}", kPrivate, job->id);
  std::error_code failed;
  fs::create_directory(folder, failed);
  if (failed)
    return Error::from_errno(failed.value(), "cannot make a directory for the job").in(folder.string());
  fs::permissions(folder, fs::perms::owner_all, failed);
  const std::string file = folder / kJobFile;
  if (auto written = job->write(file); !written) return without_a_trace(*job, file, written.error());
  if (auto started = start_servers(plan, *job, file); !started)
    return without_a_trace(*job, file, started.error());
  auto running = wait_for_servers(file, job->limit_ms);
  if (!running) return without_a_trace(*job, file, running.error());
  auto session = talk_to(*running);
  if (!session) return session.error();
  return RunJob{file, std::move(*running), std::move(*session), false};
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
