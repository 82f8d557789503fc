#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/fs.hpp"
#include "cli/output.hpp"
#include "cli/run_job.hpp"
#include "cli/run_stage.hpp"
#include "cli/run_verify.hpp"

namespace weir::cli {

// How long what took.
struct RunTimes {
  double start_s = 0;
  double stage_in_s = 0;
  double program_s = 0;
  double flush_s = 0;
};

// What went through the file system.
struct RunSums {
  std::uint64_t published = 0;
  std::uint64_t from_peers = 0;
  std::uint64_t spilled = 0;
  std::uint64_t buffered = 0;  // of the buffer's space, when the program had ended
  std::uint64_t flushed = 0;
  std::uint64_t files = 0;
  std::uint64_t past_weir = 0;
  std::map<std::string, std::uint64_t> rpcs;
  std::map<std::string, std::uint64_t> locks = {{"conflict", 0}, {"local", 0}, {"new", 0}};
};

RunSums sums_of(const std::vector<ServerFacts>& servers);
// Without what had been counted before the program began, where the servers have run before.
RunSums since(const RunSums& before, RunSums now);

struct RunReport {
  const RunJob& job;
  const std::vector<std::string>& command;
  const std::string& model;
  bool keep;
  bool json;
  int status;
  const RunTimes& times;
  const RunSums& sums;
  const std::optional<Staged>& staged;
  const std::optional<burst::Verdict>& verdict;
};
// On stderr for people, beside the program's own output; on stdout as JSON.
void print_summary(const RunReport& report, Output& out);

}  // namespace weir::cli
