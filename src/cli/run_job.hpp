#pragma once

#include <memory>
#include <string>

#include "base/unique_fd.hpp"
#include "burst/client/session.hpp"
#include "burst/new_job.hpp"

namespace weir::cli {

// The file system that a program runs on: started for it, or left by the step before.
struct RunJob {
  std::string file;  // the job file, in the private folder of the directory
  burst::Job job;
  std::unique_ptr<burst::Session> session;
  bool was_running = false;
  bool has_others = false;  // other runs use the servers too
  UniqueFd use;             // a file beside the job file, locked shared by each run that uses the servers
};

// What was said about the servers; the rest is as it is where they run already.
struct AskedOfServers {
  bool buffer = false;
  bool quota = false;
  bool hosts = false;  // or how many there are
  bool workers = false;
};

// `plan.backing` is the directory. An Error names what to do where a job has died before it, where the
// servers there are not as asked for, and where another run uses them under another model.
Result<RunJob> find_or_start(burst::JobPlan plan, const AskedOfServers& asked);

// This run uses the servers no more. The last one that did has them for itself: as long as this lives, no run
// begins or ends on the directory.
struct Left {
  UniqueFd turn;
  bool was_last = true;
};
Left leave(const RunJob& job);

// Whether all servers are on this machine, each a node of its own.
bool is_local(const burst::Job& job);

// Whether a job stands before the directory, alive or not.
bool is_served(const std::filesystem::path& directory);

// Bytes that programs wrote to placeholders of this machine's servers, past the file system.
std::uint64_t bytes_past_weir(const burst::Job& job);

// Where buffers go when nothing is said: memory, if there is a place for it.
std::filesystem::path usual_buffer();

}  // namespace weir::cli
