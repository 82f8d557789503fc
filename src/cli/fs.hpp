#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "burst/client/session.hpp"
#include "burst/new_job.hpp"
#include "cli/command.hpp"

namespace weir::cli {

// The parts of `weir fs`.
extern const Command kFsStart, kFsStop, kFsStatus, kFsStats, kFsFlush, kFsRecover;
extern const Command kFsLs, kFsStat, kFsDu, kFsCat, kFsCp, kFsMount;

// `--job FILE`, worded alike everywhere; $WEIR_JOB when it is not given.
CLI::Option* add_job_option(CLI::App& app, std::string& job);

Result<std::string> job_file(const std::string& given);

// A conversation with the job's servers: through this node's, or, where there is none, the first that
// answers.
Result<std::unique_ptr<burst::Session>> talk_to(const burst::Job& job);
// The same with the job that the user named.
struct OpenedJob {
  std::string file;
  burst::Job job;
  std::unique_ptr<burst::Session> session;
};
Result<OpenedJob> open_job(const std::string& given);

// The servers of a job whose file is written: the processes that stay as long as they do. And until all
// answer.
Result<std::vector<pid_t>> start_servers(const burst::JobPlan& plan, const burst::Job& job,
                                         const std::string& job_path);
Result<burst::Job> wait_for_servers(const std::string& job_path, const std::vector<pid_t>& processes,
                                    std::uint64_t limit_ms);
// Everything that is published goes to the backing directory; so many bytes.
Result<std::uint64_t> flush_all(burst::Session& session);
// The same before the end: from now on the servers take nothing new in, unless it fails.
Result<std::uint64_t> flush_for_good(burst::Session& session);
// Beside a job file that 'weir run' made: locked by each run that uses the servers.
std::string runs_beside(const std::string& job_path);
// They leave nothing behind; returns when they have gone.
Result<void> stop_servers(burst::Session& session, const std::string& job_path);

// What one server tells of itself: counters by name, its workers added up.
struct ServerFacts {
  std::uint32_t number = 0;
  bool answers = false;
  std::map<std::string, std::uint64_t> counters;
};
std::vector<ServerFacts> ask_servers(burst::Session& session);

}  // namespace weir::cli
