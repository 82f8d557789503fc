#pragma once

#include <memory>
#include <string>

#include "burst/client/session.hpp"
#include "burst/new_job.hpp"

namespace weir::cli {

// The file system that a program runs on: started for it, or left by the step before.
struct RunJob {
  std::string file;  // the job file, in the private folder of the directory
  burst::Job job;
  std::unique_ptr<burst::Session> session;
  bool was_running = false;
};

// `plan.backing` is the directory. An Error names what to do where a job has died before it.
Result<RunJob> find_or_start(burst::JobPlan plan);

// Whether a job stands before the directory, alive or not.
bool is_served(const std::filesystem::path& directory);

// Bytes that programs wrote to placeholders of this machine's servers, past the file system.
std::uint64_t bytes_past_weir(const burst::Job& job);

// Where buffers go when nothing is said: memory, if there is a place for it.
std::filesystem::path usual_buffer();

}  // namespace weir::cli
